// ringway sim replay JOURNAL, of a router: what it lived, and whether it does the same again.
#include <map>
#include <string>

#include "absl/strings/str_format.h"
#include "cli/sim/replay_report.h"
#include "cli/sim/sim_commands.h"
#include "core/job.h"
#include "router/journal/replay.h"

namespace ringway::cli {
namespace {

struct RouterLife {
  std::uint64_t jobs = 0;
  std::uint64_t offers = 0;
  std::uint64_t forwards = 0;
  std::map<Outcome, std::uint64_t> ended;

  void Take(const std::vector<router::RouterAction>& actions) {
    for (const router::RouterAction& action : actions) {
      offers += std::holds_alternative<router::OfferToWorker>(action);
      forwards += std::holds_alternative<router::ForwardToRouter>(action);
      const auto* end = std::get_if<router::EndJob>(&action);
      if (end == nullptr) continue;
      ++jobs;
      ++ended[end->outcome];
    }
  }
  std::string Text() const {
    std::string text =
        absl::StrFormat("%d jobs ended, %d offers to workers, %d forwards\n", jobs, offers, forwards);
    for (const auto& [outcome, count] : ended) {
      absl::StrAppendFormat(&text, "  %-10s %d\n", OutcomeName(outcome), count);
    }
    return text;
  }
};

}  // namespace

int ReplayRouter(Session& session, const std::string& journal) {
  RouterLife life;
  const auto report = router::Replay(
      journal, [&life](Time, const router::RouterEvent&, const std::vector<router::RouterAction>& actions) {
        life.Take(actions);
      });
  return TellReplay(session, "a router", report,
                    {{"jobs", life.jobs}, {"offers", life.offers}, {"forwards", life.forwards}}, life.Text());
}

}  // namespace ringway::cli
