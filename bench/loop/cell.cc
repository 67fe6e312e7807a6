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
// Above it a line may cost more than the pooled queue's.
constexpr double kHighLoad = 0.92;

std::string NameOf(const Fleet& fleet, const Traffic& traffic) {
  return absl::StrFormat("waits.%s.%.2f.%s", fleet.world.name, traffic.load,
                         traffic.gaps_cv == 1 ? "poisson" : absl::StrFormat("gamma%g", traffic.gaps_cv));
}

std::string Head(const std::string& name) {
  return absl::StrFormat("      %-28s %9s %9s %9s %9s %9s %9s %7s %7s %7s\n", name, "mean ms", "lines ms",
                         "spill ms", "least ms", "near ms", "p99 s", "away", "trips", "tables");
}

std::string RowOf(const char* name, const Waits& w) {
  return absl::StrFormat("        %-26s %9.1f %9.1f %9.1f %9.1f %9.1f %9.2f %7.3f %7.3f %7.1f\n", name,
                         1e3 * w.mean_s, 1e3 * w.lines_s(), 1e3 * w.spilled_s, 1e3 * w.hindsight_s,
                         1e3 * w.oracle_s, w.p99_s, w.away_share, w.trips, w.tables_per_minute);
}

std::string RowOf(const NearestFree::Means& means) {
  return absl::StrFormat("        %-26s %9.1f %9.1f %9.1f %9.1f %9s %9s %7.3f\n", "nearest free, all seen",
                         1e3 * (means.lines_s + means.travelled_s), 1e3 * means.lines_s,
                         1e3 * means.travelled_s, 1e3 * means.hindsight_s, "", "", means.away_share);
}

// The way of the jobs that spilled beside what it could have been, and the two factors that it is made of;
// and the way of all jobs beside somebody's who sees every worker, with how that one stands to hindsight.
void JudgeWays(const std::string& cell, const Waits& waits, std::vector<Claim>& claims) {
  if (1e3 * waits.spilled_s < kTravelledMinMs) return;
  claims.push_back(AtMost(cell + ".travelled", waits.spilled_s / waits.hindsight_s, 1.3, "x"));
  claims.push_back(Figure(cell + ".travelled_by_refusals", waits.spilled_s / waits.taken_s, "x"));
  claims.push_back(Figure(cell + ".travelled_by_targets", waits.taken_s / waits.hindsight_s, "x"));
  claims.push_back(Figure(cell + ".trips_of_a_spilled_job", waits.trips_of_spilled));
  claims.push_back(Figure(cell + ".travelled_oracle", waits.spilled_s / waits.oracle_s, "x"));
  const NearestFree::Means& seen = waits.all_seen;
  claims.push_back(Figure(cell + ".travelled_all_seen", waits.travelled_s / seen.travelled_s, "x"));
  claims.push_back(Figure(cell + ".wait_all_seen", waits.mean_s / (seen.lines_s + seen.travelled_s), "x"));
  claims.push_back(Figure(cell + ".all_seen_travelled", seen.travelled_s / seen.hindsight_s, "x"));
}

void JudgeLines(const std::string& name, const Traffic& traffic, const Waits& waits,
                std::vector<Claim>& claims) {
  const double of_service = traffic.load > kHighLoad ? 0.05 : 0.01;
  claims.push_back(
      AtMost(name, 1e3 * waits.lines_s(), 1e3 * (waits.pooled_s + of_service * kServiceMeanS), "ms"));
}

// Whether those beside it were sound.
bool JudgeBeside(const Cell& cell, const Waits& shipped, Judged& judged) {
  const Waits learnt = Measure(cell.fleet, cell.traffic, Loop::kLearnt);
  const Waits without = Measure(cell.fleet, cell.traffic, Loop::kNoController);
  const Waits late = Measure(cell.fleet, cell.traffic, Loop::kLate);
  judged.rows += RowOf("hints alone", without) + RowOf("hints late and lost", late) +
                 RowOf("controller, learnt waits", learnt);
  JudgeLines(judged.name + ".late_lines", cell.traffic, late, judged.claims);
  judged.claims.push_back(
      AtMost(judged.name + ".without_controller", 1e3 * without.mean_s, 1.2e3 * shipped.mean_s + 1, "ms"));
  judged.claims.push_back(AtMost(judged.name + ".beside_learnt", shipped.mean_s / learnt.mean_s, 1, "x"));
  return without.sound && late.sound;
}

}  // namespace

Judged JudgeCell(const Cell& cell) {
  Judged judged{.name = NameOf(*cell.fleet, cell.traffic), .claims = {}, .rows = {}};
  const Waits shipped = Measure(cell.fleet, cell.traffic, Loop::kShipped);
  judged.rows = Head(judged.name) + RowOf("controller and hints", shipped);
  JudgeLines(judged.name + ".lines", cell.traffic, shipped, judged.claims);
  bool sound = shipped.sound && shipped.served_share > 0.9999;
  if (!cell.alone) sound = JudgeBeside(cell, shipped, judged) && sound;
  judged.rows += RowOf(shipped.all_seen) +
                 absl::StrFormat("        %-26s %9.1f\n", "one pooled queue", 1e3 * shipped.pooled_s);
  JudgeWays(judged.name, shipped, judged.claims);
  judged.claims.push_back(
      AtLeast(judged.name + ".sound", sound ? 1 : 0, 1, "(1: no checker complained, all served)"));
  return judged;
}

std::vector<Claim> JudgeCells(const std::vector<Cell>& cells, bool brief) {
  std::vector<std::promise<Judged>> ends(cells.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back([&] {
      for (std::size_t at = next++; at < cells.size(); at = next++) ends[at].set_value(JudgeCell(cells[at]));
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
