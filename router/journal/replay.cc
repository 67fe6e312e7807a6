#include "router/journal/replay.h"

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/journal/bytes.h"
#include "router/journal/checkpoint.h"
#include "router/journal/recorder.h"
#include "router/router_machine.h"
#include "runtime/segment.h"

namespace ringway::router::journal {
namespace {

// The machine, from one segment to the next.
class Player {
 public:
  Player(ReplayReport& report, const Observer& observe) : report_(report), observe_(observe) {}

  void BeginSegment() { begun_ = false; }
  // What follows need not be what came next.
  void EndSegment(bool whole) {
    if (!whole) machine_.reset();
  }
  absl::Status Take(std::string_view payload) { return begun_ ? Events(payload) : Begin(payload); }

 private:
  absl::Status Begin(std::string_view payload) {
    begun_ = true;
    Reader reader(payload, words_);
    std::string title;
    std::uint32_t version = 0;
    reader.Take(title);
    if (!reader.ok() || title != kTitle) return absl::DataLossError("not a router's journal");
    reader.Take(version);
    if (!reader.ok() || version != kVersion) {
      return absl::FailedPreconditionError(absl::StrCat("a journal of version ", version,
                                                        "; this release reads version ", kVersion,
                                                        ": replay it with the release that wrote it"));
    }
    std::string told;
    reader.Take(told);
    if (!reader.ok()) return absl::DataLossError("the beginning of a segment is damaged");
    auto shapes = Shapes::Of(told);
    if (!shapes.ok()) return shapes.status();
    shapes_ = *std::move(shapes);
    return Begin(Reader(reader.left(), words_, &shapes_));
  }

  absl::Status Begin(Reader reader) {
    RouterSettings settings;
    auto fleet = std::make_shared<Fleet>();
    std::uint64_t events = 0;
    std::string state;
    reader.Take(settings);
    reader.Take(*fleet);
    reader.Take(events);
    reader.Take(state);
    if (!reader.ok() || !reader.empty() || !fleet->world.regions.contains(settings.home)) {
      return absl::DataLossError("the beginning of a segment is damaged");
    }
    return Resume(settings, std::move(fleet), events, state);
  }

  // The machine of the segment before, if this is what came next: then it must have come to the same state.
  absl::Status Resume(const RouterSettings& settings, std::shared_ptr<const Fleet> fleet,
                      std::uint64_t events, const std::string& state) {
    const bool next = machine_ && settings.started == started_ && events == events_;
    if (next && Save(*machine_, &shapes_) != state) {
      Differs(
          absl::StrCat("after ", events, " events of the life the checkpoint that was recorded is another"));
    }
    if (!machine_ || settings.started != started_) ++report_.lives;
    if (machine_ && settings.started == started_ && events != events_) ++report_.gaps;
    machine_.emplace(settings, std::move(fleet));
    started_ = settings.started;
    events_ = events;
    differs_ = false;
    if (!Load(state, words_, *machine_, &shapes_)) return absl::DataLossError("a checkpoint is damaged");
    return absl::OkStatus();
  }

  absl::Status Events(std::string_view payload) {
    Reader reader(payload, words_, &shapes_);
    while (!reader.empty() && !differs_) {
      Time now;
      RouterEvent event;
      std::uint64_t count = 0, digest = 0;
      reader.Take(now);
      reader.Take(event);
      reader.Take(count);
      reader.Take(digest);
      if (!reader.ok()) return absl::DataLossError("an event with a good checksum cannot be read");
      Step(now, event, count, digest);
    }
    return absl::OkStatus();
  }

  void Step(Time now, const RouterEvent& event, std::uint64_t count, std::uint64_t digest) {
    actions_.clear();
    machine_->Step(now, event, actions_);
    bytes_.clear();
    Writer(bytes_, nullptr, &shapes_).Put(actions_);
    ++events_;
    ++report_.events;
    report_.actions += count;
    if (Digest(bytes_) != digest) {
      Differs(absl::StrCat("life ", report_.lives, ", event ", events_, " (kind ", event.index(), ", ",
                           absl::FormatTime(now, absl::UTCTimeZone()), "): ", count, " actions recorded, ",
                           actions_.size(), " now, and they differ"));
    }
    if (observe_) observe_(now, event, actions_);
  }

  // What follows in this segment would differ too; the next one has a checkpoint of its own.
  void Differs(std::string how) {
    differs_ = true;
    ++report_.different;
    if (report_.first_difference.empty()) report_.first_difference = std::move(how);
  }

  ReplayReport& report_;
  const Observer& observe_;
  Shapes shapes_;  // of the segment
  std::deque<std::string> words_;
  std::optional<RouterMachine> machine_;
  Time started_;
  std::uint64_t events_ = 0;  // of its life
  bool begun_ = false;        // the segment
  bool differs_ = false;      // in this segment
  std::vector<RouterAction> actions_;
  std::string bytes_;
};

}  // namespace

bool IsRouterJournal(const std::string& directory) {
  const auto segments = runtime::ListSegments(directory);
  if (!segments.ok() || segments->empty()) return false;
  bool router = false;
  (void)runtime::ReadSegment(segments->back().path, [&router](std::string_view payload) {
    std::deque<std::string> words;
    Reader reader(payload, words);
    std::string title;
    reader.Take(title);
    router = reader.ok() && title == kTitle;
    return absl::CancelledError("the first record is enough");
  });
  return router;
}

absl::StatusOr<ReplayReport> Replay(const std::string& directory, const Observer& observe) {
  const auto segments = runtime::ListSegments(directory);
  if (!segments.ok()) return segments.status();
  ReplayReport report;
  Player player(report, observe);
  for (const runtime::SegmentFile& segment : *segments) {
    player.BeginSegment();
    const auto end = runtime::ReadSegment(
        segment.path, [&player](std::string_view payload) { return player.Take(payload); });
    if (!end.ok()) {
      return absl::Status(end.status().code(), absl::StrCat(segment.path, ": ", end.status().message()));
    }
    player.EndSegment(*end == runtime::SegmentEnd::kWhole);
    report.torn += *end != runtime::SegmentEnd::kWhole;
  }
  if (report.lives == 0) return absl::NotFoundError(absl::StrCat(directory, ": no journal is here"));
  return report;
}

}  // namespace ringway::router::journal
