#include "bench/loop/cell.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <future>
#include <thread>

#include "absl/strings/str_format.h"
#include "bench/loop/waits.h"

namespace ringway::bench {
namespace {

// Travelled beside the least: where fewer have travelled than this, the ratio is chance.
constexpr double kTravelledMinMs = 0.2;

std::string NameOf(const Fleet& fleet, const Traffic& traffic) {
  return absl::StrFormat("waits.%s.%.2f.%s", fleet.world.name, traffic.load,
                         traffic.gaps_cv == 1 ? "poisson" : absl::StrFormat("gamma%g", traffic.gaps_cv));
}

std::string RowOf(const char* name, const Waits& w) {
  return absl::StrFormat("        %-26s %9.1f %9.1f %9.1f %9.1f %9.1f %9.2f %7.3f %7.3f %7.1f\n", name,
                         1e3 * w.mean_s, 1e3 * w.lines_s(), 1e3 * w.spilled_s, 1e3 * w.hindsight_s,
                         1e3 * w.oracle_s, w.p99_s, w.away_share, w.trips, w.tables_per_minute);
}

}  // namespace

Judged JudgeCell(const std::shared_ptr<const Fleet>& fleet, const Traffic& traffic) {
  const Waits shipped = Measure(fleet, traffic, Loop::kShipped);
  const Waits learnt = Measure(fleet, traffic, Loop::kLearnt);
  const Waits without = Measure(fleet, traffic, Loop::kNoController);
  const Waits late = Measure(fleet, traffic, Loop::kLate);
  Judged judged{.name = NameOf(*fleet, traffic), .claims = {}, .rows = {}};
  judged.rows = absl::StrFormat("      %-28s %9s %9s %9s %9s %7s %7s %7s\n", judged.name, "mean ms",
                                "lines ms", "least ms", "p99 s", "away", "trips", "tables") +
                RowOf("controller and hints", shipped) + RowOf("hints alone", without) +
                RowOf("hints late and lost", late) + RowOf("controller, learnt waits", learnt) +
                absl::StrFormat("        %-26s %9.1f\n", "one pooled queue", 1e3 * shipped.pooled_s);
  const std::string& cell = judged.name;
  std::vector<Claim>& claims = judged.claims;
  const double of_service = traffic.load > 0.92 ? 0.05 : 0.01;
  const auto lines = [&](const char* what, const Waits& waits) {
    claims.push_back(AtMost(cell + what, 1e3 * waits.lines_s(),
                            1e3 * (waits.pooled_s + of_service * kServiceMeanS), "ms"));
  };
  lines(".lines", shipped);
  lines(".late_lines", late);
  claims.push_back(
      AtMost(cell + ".without_controller", 1e3 * without.mean_s, 1.2e3 * shipped.mean_s + 1, "ms"));
  claims.push_back(AtMost(cell + ".beside_learnt", shipped.mean_s / learnt.mean_s, 1, "x"));
  if (1e3 * shipped.spilled_s >= kTravelledMinMs) {
    claims.push_back(AtMost(cell + ".travelled", shipped.spilled_s / shipped.hindsight_s, 1.3, "x"));
    claims.push_back(Figure(cell + ".travelled_oracle", shipped.spilled_s / shipped.oracle_s, "x"));
  }
  const bool sound = shipped.sound && without.sound && late.sound && shipped.served_share > 0.9999;
  claims.push_back(AtLeast(cell + ".sound", sound ? 1 : 0, 1, "(1: no checker complained, all served)"));
  return judged;
}

std::vector<Claim> JudgeCells(const std::vector<Cell>& cells, bool brief) {
  std::vector<std::promise<Judged>> ends(cells.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back([&] {
      for (std::size_t at = next++; at < cells.size(); at = next++)
        ends[at].set_value(JudgeCell(cells[at].fleet, cells[at].traffic));
    });
  }
  std::vector<Claim> claims;
  for (std::promise<Judged>& end : ends) {
    const Judged judged = end.get_future().get();
    if (!brief) {
      std::fputs(judged.rows.c_str(), stdout);
      std::fflush(stdout);
    }
    claims.insert(claims.end(), judged.claims.begin(), judged.claims.end());
  }
  return claims;
}

}  // namespace ringway::bench
