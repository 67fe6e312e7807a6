#include "cli/sim/slice_runs.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "cli/sim/run_pool.h"

namespace ringway::cli {

std::vector<sim::SlicePlayed> PlaySlices(const std::shared_ptr<const sim::Scenario>& scenario,
                                         const sim::SlicePlan& plan, unsigned threads) {
  const Interruption interruption;
  const std::size_t count = plan.slices.size();
  std::vector<std::optional<sim::SlicePlayed>> played(count);  // each written by one thread
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      if (Interruption::Noticed()) return;
      played[i] = sim::PlaySlice(scenario, plan.slices[i], [](double) { return !Interruption::Noticed(); });
    }
  };
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < std::min<std::size_t>(threads, count); ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  std::vector<sim::SlicePlayed> first;
  for (std::optional<sim::SlicePlayed>& one : played) {
    if (!one) break;
    first.push_back(*std::move(one));
  }
  return first;
}

}  // namespace ringway::cli
