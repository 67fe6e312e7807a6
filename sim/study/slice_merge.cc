#include "sim/study/slice_merge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::sim {
namespace {

void AddFlows(const std::vector<std::vector<std::uint64_t>>& from,
              std::vector<std::vector<std::uint64_t>>& to) {
  for (std::size_t a = 0; a < from.size(); ++a) {
    for (std::size_t b = 0; b < from[a].size(); ++b) to[a][b] += from[a][b];
  }
}

void Append(RunResult next, RunResult& all) {
  all.complete = next.complete;
  all.now_s = next.now_s;
  all.events += next.events;
  all.totals.Add(next.totals);
  all.seconds.pop_back();  // it is not over
  all.seconds.insert(all.seconds.end(), std::make_move_iterator(next.seconds.begin()),
                     std::make_move_iterator(next.seconds.end()));
  AddFlows(next.flows, all.flows);
  all.rtt_cost += next.rtt_cost;
  all.rtt_cost_optimal += next.rtt_cost_optimal;
  all.violations.insert(all.violations.end(), next.violations.begin(), next.violations.end());
}

std::vector<std::string> SeamRemarks(const SeamReport& seams, double warmup_s) {
  std::vector<std::string> remarks;
  for (const SeamDifference* one : {&seams.busy, &seams.waiting, &seams.tables}) {
    remarks.push_back(absl::StrFormat("at the seams %s; up to %.1f %% is chance%s", one->text,
                                      100 * one->allowed, one->within() ? "" : ": TOO MUCH"));
  }
  if (!seams.within()) {
    remarks.push_back(absl::StrFormat(
        "the warm-up of %.0f s before each slice is too short for this scenario: what comes after a seam is "
        "not what the whole run has; give a longer one, for example --slice-warmup %.0f, or fewer slices",
        warmup_s, 2 * std::max(1.0, warmup_s)));
  }
  return remarks;
}

}  // namespace

std::optional<SlicePlayed> PlaySlice(std::shared_ptr<const Scenario> scenario, const Slice& slice,
                                     const std::function<bool(double now_s)>& keep_going) {
  Simulation run(scenario, slice);
  Reference reference(*scenario, slice);
  SeamWatch seams(run);
  run.Watch(&reference);
  run.Watch(&seams);
  run.Run(keep_going);
  if (!run.finished()) return std::nullopt;
  return SlicePlayed{.result = ResultOf(run),
                     .reference = std::move(reference),
                     .began = seams.began(),
                     .ended = seams.ended(),
                     .simulated_s = run.now_s() - slice.begins_s};
}

RunResult MergeResults(std::vector<RunResult> slices) {
  const bool several = slices.size() > 1;
  for (std::size_t i = 0; several && i < slices.size(); ++i) {
    for (std::string& text : slices[i].violations) text = absl::StrCat("slice ", i + 1, ": ", text);
  }
  RunResult all = std::move(slices.front());
  for (std::size_t i = 1; i < slices.size(); ++i) Append(std::move(slices[i]), all);
  return all;
}

SlicedRun MergeSlices(const SlicePlan& plan, std::vector<SlicePlayed> played) {
  const std::size_t count = played.size();
  const std::shared_ptr<const Scenario> scenario = played.front().result.scenario;
  SlicedRun run;
  double simulated_s = 0;
  std::vector<RunResult> results;
  Reference reference = played.front().reference;
  for (std::size_t i = 0; i < count; ++i) {
    simulated_s += played[i].simulated_s;
    results.push_back(std::move(played[i].result));
    if (i == 0) continue;
    reference.Add(played[i].reference);
    KeepWorst(CompareSeam(*scenario, plan.slices[i].from_s, played[i - 1].ended, played[i].began), run.seams);
  }
  RunResult result = MergeResults(std::move(results));
  result.complete = result.complete && count == plan.slices.size();
  run.report = MakeReport(result, &reference);
  if (plan.slices.size() == 1) return run;
  std::vector<std::string>& remarks = run.report.remarks;
  remarks.push_back(absl::StrFormat(
      "played as %d slices, each after a warm-up of %.0f s: %.0f virtual seconds for %.0f; users and faults "
      "are those of the whole run, the fleet's state at the %d seams is not",
      count, plan.warmup_s, simulated_s, result.now_s, count - 1));
  remarks.insert(remarks.end(), plan.remarks.begin(), plan.remarks.end());
  if (count > 1) {
    for (std::string& remark : SeamRemarks(run.seams, plan.warmup_s)) remarks.push_back(std::move(remark));
  }
  return run;
}

}  // namespace ringway::sim
