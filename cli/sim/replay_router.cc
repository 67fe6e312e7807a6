// ringway sim replay JOURNAL, of a router: what it lived, and whether it does the same again.
#include <map>
#include <string>

#include "absl/strings/str_format.h"
#include "cli/sim/sim_commands.h"
#include "core/job.h"
#include "core/json.h"
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
};

void WriteJson(const router::journal::ReplayReport& report, const RouterLife& life, JsonWriter& json) {
  const auto integer = [&json](const char* key, std::uint64_t value) {
    json.Key(key).Integer(static_cast<std::int64_t>(value));
  };
  json.BeginObject().Key("identical").Flag(report.different == 0);
  integer("lives", report.lives);
  integer("events", report.events);
  integer("actions", report.actions);
  integer("segments_different", report.different);
  integer("gaps", report.gaps);
  integer("torn", report.torn);
  integer("jobs", life.jobs);
  integer("offers", life.offers);
  integer("forwards", life.forwards);
  json.End();
}

}  // namespace

int ReplayRouter(Session& session, const std::string& journal) {
  RouterLife life;
  const auto report = router::journal::Replay(
      journal, [&life](Time, const router::RouterEvent&, const std::vector<router::RouterAction>& actions) {
        life.Take(actions);
      });
  if (!report.ok()) return Fail(session, report.status());
  const bool same = report->different == 0;
  if (session.json) {
    JsonWriter json;
    WriteJson(*report, life, json);
    session.out << json.text() << "\n";
    return same ? kExitOk : kExitNo;
  }
  session.out << absl::StrFormat("a router: %d lives, %d events, %d actions: ", report->lives, report->events,
                                 report->actions)
              << (same ? "every action comes out as it was, bit for bit\n" : report->first_difference + "\n");
  if (report->torn > 0)
    session.out << report->torn << " segments end inside a record, as kill -9 leaves them\n";
  if (report->gaps > 0) session.out << report->gaps << " gaps: what the disk could not take\n";
  session.out << absl::StrFormat("%d jobs ended, %d offers to workers, %d forwards\n", life.jobs, life.offers,
                                 life.forwards);
  for (const auto& [outcome, count] : life.ended) {
    session.out << absl::StrFormat("  %-10s %d\n", OutcomeName(outcome), count);
  }
  return same ? kExitOk : kExitNo;
}

}  // namespace ringway::cli
