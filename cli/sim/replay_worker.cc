// ringway sim replay JOURNAL, of a worker: what it lived, and whether it does the same again.
#include <map>
#include <string>
#include <variant>

#include "absl/strings/str_format.h"
#include "cli/sim/replay_report.h"
#include "cli/sim/sim_commands.h"
#include "core/job.h"
#include "worker/journal/replay.h"

namespace ringway::cli {
namespace {

struct WorkerLife {
  std::uint64_t fences = 0;
  std::uint64_t drains = 0;     // that began
  std::uint64_t malformed = 0;  // messages that were no offer
  std::map<Outcome, std::uint64_t> ended;
  std::map<Refusal, std::uint64_t> refused;

  void Take(const WorkerEvent& event, const std::vector<WorkerAction>& actions) {
    fences += std::holds_alternative<SlotFenced>(event);
    const auto* drain = std::get_if<SlotDrain>(&event);
    drains += drain != nullptr && drain->drain;
    for (const WorkerAction& action : actions) {
      if (const auto* end = std::get_if<EndAttempt>(&action)) Take(*end);
    }
  }
  void Take(const EndAttempt& end) {
    switch (end.reason) {
      case EndReason::kRefused:
        ++refused[end.refusal];
        break;
      case EndReason::kMalformed:
      case EndReason::kNoHeader:
      case EndReason::kNoJob:
        ++malformed;
        break;
      default:
        ++ended[end.outcome];
    }
  }
  template <class Kind>
  static std::uint64_t Sum(const std::map<Kind, std::uint64_t>& counts) {
    std::uint64_t sum = 0;
    for (const auto& [kind, count] : counts) sum += count;
    return sum;
  }
  std::string Text() const {
    std::string text = absl::StrFormat("%d offers taken, which ended\n", Sum(ended));
    for (const auto& [outcome, count] : ended) {
      absl::StrAppendFormat(&text, "  %-10s %d\n", OutcomeName(outcome), count);
    }
    absl::StrAppendFormat(&text, "%d offers refused\n", Sum(refused));
    for (const auto& [reason, count] : refused) {
      absl::StrAppendFormat(&text, "  %-10d %s\n", count, RefusalReason(reason));
    }
    absl::StrAppendFormat(&text, "%d fences, %d drains, %d messages that were no offer\n", fences, drains,
                          malformed);
    return text;
  }
};

}  // namespace

int ReplayWorker(Session& session, const std::string& journal) {
  WorkerLife life;
  const auto report = worker::Replay(
      journal, [&life](Time, const WorkerEvent& event, const std::vector<WorkerAction>& actions) {
        life.Take(event, actions);
      });
  return TellReplay(session, "a worker", report,
                    {{"taken", WorkerLife::Sum(life.ended)},
                     {"done", life.ended[Outcome::kDone]},
                     {"refused", WorkerLife::Sum(life.refused)},
                     {"fences", life.fences},
                     {"drains", life.drains},
                     {"malformed", life.malformed}},
                    life.Text());
}

}  // namespace ringway::cli
