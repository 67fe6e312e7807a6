#include "router/journal/replay.h"

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/journal/bytes.h"
#include "router/journal/recorder.h"
#include "router/router_machine.h"
#include "runtime/segment.h"

namespace ringway::router::journal {
namespace {

// One life.
class Life {
 public:
  Life(ReplayReport& report, const Observer& observe) : report_(report), observe_(observe) {}

  absl::Status Take(std::string_view payload) { return machine_ ? Events(payload) : Begin(payload); }

 private:
  absl::Status Begin(std::string_view payload) {
    Reader reader(payload, words_);
    std::string title;
    std::uint32_t version = 0;
    reader.Take(title);
    if (!reader.ok() || title != kTitle) return absl::DataLossError("not a router's journal");
    reader.Take(version);
    if (!reader.ok() || version != kVersion) {
      return absl::FailedPreconditionError(
          absl::StrCat("a journal of version ", version, "; this release reads version ", kVersion));
    }
    RouterSettings settings;
    auto fleet = std::make_shared<Fleet>();
    reader.Take(settings);
    reader.Take(*fleet);
    if (!reader.ok() || !fleet->world.regions.contains(settings.home)) {
      return absl::DataLossError("the beginning of a router's journal is damaged");
    }
    machine_.emplace(settings, std::move(fleet));
    ++report_.lives;
    return absl::OkStatus();
  }

  absl::Status Events(std::string_view payload) {
    Reader reader(payload, words_);
    while (!reader.empty() && !differs_) {
      absl::Time now;
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

  void Step(absl::Time now, const RouterEvent& event, std::uint64_t count, std::uint64_t digest) {
    actions_.clear();
    machine_->Step(now, event, actions_);
    bytes_.clear();
    Writer(bytes_).Put(actions_);
    ++report_.events;
    report_.actions += count;
    if (Digest(bytes_) != digest) {
      differs_ = true;
      ++report_.different;
      if (report_.first_difference.empty()) {
        report_.first_difference =
            absl::StrCat("life ", report_.lives, ", event ", report_.events, " (kind ", event.index(), ", ",
                         absl::FormatTime(now, absl::UTCTimeZone()), "): ", count, " actions recorded, ",
                         actions_.size(), " now, and they differ");
      }
    }
    if (observe_) observe_(now, event, actions_);
  }

  ReplayReport& report_;
  const Observer& observe_;
  std::deque<std::string> words_;
  std::optional<RouterMachine> machine_;
  bool differs_ = false;
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
  for (const runtime::SegmentFile& segment : *segments) {
    Life life(report, observe);
    const auto end =
        runtime::ReadSegment(segment.path, [&life](std::string_view payload) { return life.Take(payload); });
    if (!end.ok()) {
      return absl::Status(end.status().code(), absl::StrCat(segment.path, ": ", end.status().message()));
    }
    report.torn += *end != runtime::SegmentEnd::kWhole;
  }
  if (report.lives == 0) return absl::NotFoundError(absl::StrCat(directory, ": no journal is here"));
  return report;
}

}  // namespace ringway::router::journal
