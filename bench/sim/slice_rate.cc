#include "bench/sim/slice_rate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "bench/sim/big_fleet.h"
#include "bench/sim/run_rate.h"
#include "sim/study/slice_merge.h"
#include "sim/study/slice_plan.h"

namespace ringway::bench {
namespace {

constexpr std::size_t kSlices = 2;
constexpr double kFasterMin = 1.5;
constexpr double kMeanOffMax = 0.01;
constexpr double kP99OffMax = 0.03;

struct Played {
  sim::SlicedRun run;
  double wall_s = 0;
  double cpu_s = 0;  // of the longest thread
};

// The scenario in so many slices, a thread each.
Played Play(const std::shared_ptr<const sim::Scenario>& scenario, std::size_t slices) {
  const auto plan = sim::PlanSlices(*scenario, slices);
  if (!plan.ok()) {
    std::fprintf(stderr, "bench_sim: %s\n", std::string(plan.status().message()).c_str());
    std::exit(2);
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::optional<sim::SlicePlayed>> played(slices);
  std::vector<double> cpu_s(slices);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < slices; ++i) {
    threads.emplace_back([&, i] {
      played[i] = sim::PlaySlice(scenario, plan->slices[i]);
      cpu_s[i] = CpuSeconds();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<sim::SlicePlayed> all;
  for (auto& one : played) all.push_back(*std::move(one));
  Played result{.run = sim::MergeSlices(*plan, std::move(all))};
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.cpu_s = *std::max_element(cpu_s.begin(), cpu_s.end());
  return result;
}

double Off(const Played& sliced, const Played& whole, sim::Figure figure) {
  return std::abs(sliced.run.report.figures[figure] / whole.run.report.figures[figure] - 1);
}

}  // namespace

void MeasureSlices(bool quick, std::vector<Claim>& claims) {
  const BigFleetSize size{.regions = 6,
                          .workers = 1'500,
                          .service_mean_s = 4,
                          .load = 0.85,
                          .duration_s = quick ? 4'800.0 : 19'200.0,
                          .day_s = quick ? 4'800.0 : 19'200.0};
  const auto scenario = BigFleet(size);
  const Played whole = Play(scenario, 1);
  const Played sliced = Play(scenario, kSlices);
  for (const Played* run : {&whole, &sliced}) {
    for (const std::string& violation : run->run.report.violations) {
      std::fprintf(stderr, "bench_sim: %s\n", violation.c_str());
    }
  }
  const double requests = whole.run.report.figures[sim::Figure::kSubmitted];
  claims.push_back(Figure("slices.requests", requests, "requests"));
  claims.push_back(Figure("slices.one_thread", whole.wall_s, "s"));
  claims.push_back(Figure("slices.two_threads", sliced.wall_s, "s"));
  claims.push_back(Figure("slices.two_threads_over_one", whole.wall_s / sliced.wall_s, "times"));
  claims.push_back(
      AtLeast("slices.cpu_of_one_over_longer_of_two", whole.cpu_s / sliced.cpu_s, kFasterMin, "times"));
  claims.push_back(
      AtMost("slices.wait_mean_off", Off(sliced, whole, sim::Figure::kWaitMeanS), kMeanOffMax, "share"));
  claims.push_back(
      AtMost("slices.wait_p99_off", Off(sliced, whole, sim::Figure::kWaitP99S), kP99OffMax, "share"));
  claims.push_back(
      AtLeast("slices.seams", sliced.run.seams.within() ? 1.0 : 0.0, 1, "(1: within what chance does)"));
  claims.push_back(AtLeast("slices.sound", sliced.run.report.violations.empty() ? 1.0 : 0.0, 1,
                           "(1: no checker complained)"));
}

}  // namespace ringway::bench
