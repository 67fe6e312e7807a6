#include "controller/screen/hour_codec.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "controller/screen/bytes.h"
#include "controller/screen/timeline_codec.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kLongBytes = 8;

void WriteEvent(const LoggedEvent& event, ByteWriter& bytes) {
  bytes.Add(event.number, kLongBytes);
  bytes.Add(static_cast<std::uint64_t>(ToUnixMillis(event.wall)), kLongBytes);
  bytes.Add(static_cast<std::uint64_t>(event.kind), 1);
  bytes.Add(event.warning ? 1 : 0, 1);
  for (const std::string* text : {&event.tier, &event.region, &event.text, &event.who, &event.why}) {
    bytes.Add(std::string_view(*text));
  }
}

// Nothing where it names a kind that this release does not know.
std::optional<LoggedEvent> ReadEvent(ByteReader& reader) {
  LoggedEvent event;
  event.number = reader.Number(kLongBytes);
  event.wall = FromUnixMillis(static_cast<std::int64_t>(reader.Number(kLongBytes)));
  const std::uint64_t kind = reader.Number(1);
  event.warning = reader.Number(1) != 0;
  for (std::string* text : {&event.tier, &event.region, &event.text, &event.who, &event.why}) {
    *text = reader.Name();
  }
  if (kind >= kEventKinds) return std::nullopt;
  event.kind = static_cast<EventKind>(kind);
  return event;
}

absl::StatusOr<std::deque<LoggedEvent>> DecodeEvents(std::string_view bytes) {
  ByteReader reader(bytes);
  std::deque<LoggedEvent> events;
  for (std::size_t n = reader.Count(1); n > 0 && reader.ok(); --n) {
    std::optional<LoggedEvent> event = ReadEvent(reader);
    if (event && (events.empty() || events.back().number < event->number))
      events.push_back(*std::move(event));
  }
  if (!reader.ok() || !reader.done()) return absl::DataLossError("it does not hold a log of events");
  return events;
}

}  // namespace

std::string EncodeHour(const Timeline& timeline, const EventLog& events, const Fleet& fleet, Duration ahead) {
  ByteWriter bytes;
  bytes.Add(std::string_view(EncodeTimeline(timeline, fleet, ahead)));
  bytes.Add(events.entries().size(), kNumberBytes);
  for (const LoggedEvent& event : events.entries()) WriteEvent(event, bytes);
  return bytes.Take();
}

absl::StatusOr<Hour> DecodeHour(std::string_view bytes, const Fleet& fleet, Time now, Duration ahead) {
  ByteReader reader(bytes);
  const std::string timeline = reader.Name();
  if (!reader.ok()) return absl::DataLossError("it does not hold a timeline");
  auto steps = DecodeTimeline(timeline, fleet, now, ahead);
  if (!steps.ok()) return steps.status();
  auto events = DecodeEvents(bytes.substr(kNumberBytes + timeline.size()));
  if (!events.ok()) return events.status();
  return Hour{*std::move(steps), *std::move(events)};
}

}  // namespace ringway::controller
