// What a lost leader costs: stopped for a while, and killed with -9 again and again, under load.
//
// Jobs of both tiers are sent at 70 % of capacity to all routers but the leader, so that none is lost merely
// because its door died; the death hits both tiers alike, but only the one in ledger mode loses its ledger.
// The gap begins with the signal and ends when the next leader, named by the controller, has granted.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/ledger/measures.h"
#include "tests/live/eventually.h"
#include "tests/live/open_loop.h"

namespace ringway::bench {
namespace {

constexpr double kLoad = 0.7;
constexpr Duration kCalm = Milliseconds(400);  // before the signal

struct Gap {
  bool ended = false;
  Duration until_next;
  live::Tally ledger, probe;  // jobs sent in the gap
  live::Tally ledger_all, probe_all;
};

void Add(const live::Tally& from, live::Tally& to) {
  to.jobs += from.jobs;
  to.done += from.done;
  to.attempts += from.attempts;
}

// `strike` takes the leader away.
Gap Strike(Fleet& fleet, const Leader& leader, Duration span, const std::string& name,
           const std::function<void()>& strike) {
  const auto load = [&](const char* tier) {
    return live::Load{.routers = fleet.Doors(leader.router),
                      .tier = tier,
                      .rps = kLoad * kCapacityRps,
                      .span = span,
                      .name = absl::StrCat(name, "-", tier),
                      .seed = std::hash<std::string>()(name)};
  };
  live::OpenLoop ledger(load(kLedgered)), probe(load(kProbed));
  ledger.Start();
  probe.Start();
  absl::SleepFor(kCalm);
  const Time struck = absl::Now();
  strike();
  Gap gap;
  gap.ended = live::Eventually(
      [&] {
        const Leader next = fleet.LedgerLeader();
        return !next.router.empty() && next != leader && fleet.Grants(next.router);
      },
      Seconds(10));
  const Time over = absl::Now();
  gap.until_next = over - struck;
  const auto ledger_records = ledger.Finish();
  const auto probe_records = probe.Finish();
  gap.ledger = live::Count(live::Between(ledger_records, struck, over));
  gap.probe = live::Count(live::Between(probe_records, struck, over));
  gap.ledger_all = live::Count(ledger_records);
  gap.probe_all = live::Count(probe_records);
  return gap;
}

double Percent(const live::Tally& tally) { return 100 * tally.success(); }

Claim Stopped(Fleet& fleet, const Run& run) {
  const Leader leader = fleet.LedgerLeader();
  const Gap gap =
      Strike(fleet, leader, Seconds(5), "stop", [&] { fleet.router(leader.router).Signal(SIGSTOP); });
  fleet.router(leader.router).Signal(SIGCONT);
  if (!run.brief) {
    std::printf(
        "leader stopped (SIGSTOP): next one grants after %.2f s; done in the gap %.1f %% (probing %.1f %%)\n",
        ToDoubleSeconds(gap.until_next), Percent(gap.ledger), Percent(gap.probe));
  }
  return AtMost("stopped_next_holder_s", ToDoubleSeconds(gap.until_next), 2.5, "s");
}

}  // namespace

std::vector<Claim> LostLeader(Fleet& fleet, const Run& run) {
  std::vector<Claim> claims = {Stopped(fleet, run)};
  Duration slowest;
  std::vector<double> seconds;
  live::Tally ledger, probe, ledger_all, probe_all;
  std::set<Leader> leaders;
  int repeated = 0, missing = 0, struck = 0;
  for (int kill = 0; kill < run.kills; ++kill) {
    if (!fleet.AwaitReady()) {
      ++missing;
      break;
    }
    const Leader leader = fleet.LedgerLeader();
    if (!leaders.insert(leader).second) ++repeated;
    const Gap gap = Strike(fleet, leader, Seconds(1.6), absl::StrCat("kill", kill),
                           [&] { fleet.router(leader.router).Kill(); });
    ++struck;
    if (!gap.ended) ++missing;
    slowest = std::max(slowest, gap.until_next);
    seconds.push_back(ToDoubleSeconds(gap.until_next));
    Add(gap.ledger, ledger);
    Add(gap.probe, probe);
    Add(gap.ledger_all, ledger_all);
    Add(gap.probe_all, probe_all);
    fleet.router(leader.router).StartAgain();
  }
  std::sort(seconds.begin(), seconds.end());
  const double grants_twice = fleet.ledgered().DoubleGrants();
  if (!run.brief && !seconds.empty()) {
    std::printf("leader killed (-9) %d times: next one grants after %.2f s (median), %.2f s (slowest)\n",
                struck, seconds[seconds.size() / 2], ToDoubleSeconds(slowest));
    std::printf(
        "  jobs sent in the gaps: ledger %.2f %% of %zu done, probing %.2f %% of %zu; in all: %.2f %%, %.2f "
        "%%\n",
        Percent(ledger), ledger.jobs, Percent(probe), probe.jobs, Percent(ledger_all), Percent(probe_all));
    std::printf("  offers per job in all: ledger %.2f, probing %.2f; slots granted twice: %.0f\n",
                ledger_all.attempts_per_job(), probe_all.attempts_per_job(), grants_twice);
  }
  claims.push_back(AtLeast("kills", struck, run.kills, "kills"));
  claims.push_back(AtMost("double_grants", grants_twice, 0, "grants"));
  claims.push_back(AtMost("appointments_given_twice", repeated, 0, "appointments"));
  claims.push_back(AtMost("gaps_without_a_new_holder", missing, 0, "gaps"));
  claims.push_back(AtMost("next_holder_slowest_s", ToDoubleSeconds(slowest), 2, "s"));
  // Two counts of the same traffic differ by chance; half a percent is within it.
  claims.push_back(AtLeast("gap_success_over_probing", ledger.success() / std::max(probe.success(), 1e-9),
                           0.995, "ratio"));
  return claims;
}

}  // namespace ringway::bench
