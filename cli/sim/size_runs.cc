#include "cli/sim/size_runs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/sim/run_pool.h"
#include "sim/study/days.h"

namespace ringway::cli {

Samples::Samples(const sim::Scenario& scenario, TierId tier, std::size_t seeds, double day_s)
    : scenario_(scenario), tier_(tier), searched_(seeds), fresh_(seeds) {
  const std::size_t days = sim::RecordedDays(scenario, day_s);
  // A recording shorter than any day counts as one, too.
  recorded_ = sim::RecordedDays(scenario, 1e-3) > 0;
  if (days < 2) return;
  // Neighbours are told apart, so that a week's slow drift is in both halves.
  for (const std::size_t first : {0, 1}) {
    for (std::size_t day = first; day < days; day += 2) {
      days_.push_back(sim::OnDay(scenario, day, day_s));
      day_numbers_.push_back(day);
    }
  }
  searched_ = (days + 1) / 2;
  fresh_ = days - searched_;
}

std::shared_ptr<const sim::Scenario> Samples::Make(const sim::FleetSize& size, std::size_t sample) const {
  auto copy = std::make_shared<sim::Scenario>(are_days() ? days_[sample] : scenario_);
  auto fleet = std::make_shared<Fleet>(*scenario_.fleet);
  for (std::size_t i = 0; i < size.size(); ++i) {
    fleet->tiers[tier_].regions[RegionId(i)].workers = size[RegionId(i)];
  }
  copy->fleet = std::move(fleet);
  copy->seed = sample + 1;
  return copy;
}

std::optional<bool> SampleJudge::Judge(const sim::FleetSize& fleet, std::size_t first, std::size_t count) {
  runs_.clear();
  while (runs_.size() < count) {
    const std::size_t done = runs_.size();
    const std::size_t wave = std::min<std::size_t>(threads_, count - done);
    runs_.resize(done + wave);
    const bool whole = RunAll(
        wave, threads_, [&](std::size_t i) { return samples_.Make(fleet, first + done + i); },
        [&](std::size_t i, const sim::Figures& figures) { runs_[done + i] = figures; });
    if (!whole) return std::nullopt;
    if (!std::all_of(runs_.begin() + static_cast<std::ptrdiff_t>(done), runs_.end(),
                     [&](const sim::Figures& run) { return sim::MeetsAll(objectives_, run); })) {
      Remember(fleet);
      return false;
    }
  }
  Remember(fleet);
  return true;
}

void SampleJudge::Remember(const sim::FleetSize& fleet) {
  sim::TriedFleet tried{.workers = std::accumulate(fleet.begin(), fleet.end(), 0), .worst = {}};
  for (const sim::Objective& objective : objectives_) tried.worst.push_back(sim::Worst(objective, runs_));
  tried_.push_back(std::move(tried));
}

std::optional<std::vector<bool>> SampleJudge::JudgeEach(const std::vector<sim::Trial>& trials) const {
  std::vector<bool> met(trials.size());
  const bool whole = RunAll(
      trials.size(), threads_,
      [&](std::size_t i) { return samples_.Make(trials[i].fleet, trials[i].sample); },
      [&](std::size_t i, const sim::Figures& figures) { met[i] = sim::MeetsAll(objectives_, figures); });
  return whole ? std::optional(std::move(met)) : std::nullopt;
}

}  // namespace ringway::cli
