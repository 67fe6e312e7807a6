#include "controller/canary/trial.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace ringway::canary {
namespace {

constexpr std::string_view kPhases[] = {"none",     "measuring", "running", "passed",
                                        "promoted", "reverted",  "aborted"};
// Of the period, at least and at most.
constexpr double kMeasureShare = 0.1;
constexpr double kMeasureMin_s = 10;
constexpr double kMeasureMax_s = 120;
// Of the routers that must report for time to count.
constexpr double kHeardShare = 0.75;

double PeriodS(const CanarySpec& spec) { return ToDoubleSeconds(spec.period); }

bool Enough(int heard, int all) { return all > 0 && heard >= kHeardShare * all; }

}  // namespace

std::string_view PhaseName(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

std::optional<Phase> ParsePhase(std::string_view name) {
  const auto found = std::find(std::begin(kPhases), std::end(kPhases), name);
  if (found == std::end(kPhases)) return std::nullopt;
  return static_cast<Phase>(found - std::begin(kPhases));
}

std::string Figures(const std::string& tier, const Evidence& evidence) {
  const Evidence::State& state = evidence.state();
  const auto share = [](const JobCount& jobs) {
    return jobs.ended() > 0 ? 100 * jobs.lost / jobs.ended() : 0;
  };
  return absl::StrFormat(
      "tier %s: of %.0f jobs that entered at chosen routers %.0f were lost (%.2f %%), of %.0f at the others "
      "of "
      "their regions %.0f (%.2f %%), %.1f expected; of the whole tier %.2f %%, before it %.2f %%",
      tier, state.chosen.ended(), state.chosen.lost, share(state.chosen), state.rest.ended(), state.rest.lost,
      share(state.rest), state.expected_lost, share(state.during), share(state.before));
}

std::shared_ptr<const Fleet> Trial::Try(std::string id, std::shared_ptr<const Fleet> held,
                                        std::shared_ptr<const Fleet> file) {
  TrialState fresh;
  fresh.in_force = ShapeOf(*held);
  fresh.spec = *file->canary;
  fresh.changes = ShapeChanges(*held, *file);
  if (!fresh.changes.empty()) {
    fresh.phase = Phase::kMeasuring;
    fresh.id = std::move(id);
    fresh.tried = ShapeOf(*file);
    for (std::string& tier : TiersReshaped(*held, *file)) fresh.evidence[std::move(tier)];
    tried_ = std::move(file);
  }
  state_ = std::move(fresh);
  return held;
}

std::shared_ptr<const Fleet> Trial::Load(std::string id, const Fleet& before,
                                         std::shared_ptr<const Fleet> file) {
  tried_ = nullptr;
  waits_for_.clear();
  if (!file->canary) {
    state_ = TrialState();
    return file;
  }
  auto held = Shaped(*file, ShapeOf(before));
  return Try(std::move(id), std::move(held), std::move(file));
}

std::shared_ptr<const Fleet> Trial::Start(std::string id, TrialState kept,
                                          std::shared_ptr<const Fleet> file) {
  if (!file->canary || kept.in_force.empty()) {
    state_ = TrialState();
    if (file->canary) {
      state_.in_force = ShapeOf(*file);
      state_.spec = *file->canary;
    }
    return file;
  }
  auto held = Shaped(*file, kept.in_force);
  const bool same = ShapeChanges(*held, *file).empty();
  // A canary of a file that is gone is over; a file that nobody has tried is tried.
  if (!same && kept.tried != ShapeOf(*file)) return Try(std::move(id), std::move(held), std::move(file));
  state_ = std::move(kept);
  if (same && open()) return Try(std::move(id), std::move(held), std::move(file));
  if (open()) tried_ = std::move(file);
  state_.first = state_.table = TableVersion();  // all begin this epoch with one table
  return held;
}

bool Trial::Chosen(std::string_view router) const {
  return running() && std::binary_search(state_.chosen.begin(), state_.chosen.end(), router);
}

void Trial::Sent(TableVersion version) {
  if (state_.first.epoch != version.epoch) state_.first = version;
  state_.table = version;
}

void Trial::Hear(const std::string& router, const std::string& region, const std::string& tier,
                 TableVersion table, const JobCount& jobs) {
  const auto evidence = state_.evidence.find(tier);
  if (evidence == state_.evidence.end()) return;
  if (state_.phase == Phase::kMeasuring) return evidence->second.CountBefore(jobs);
  if (!running() || state_.first == TableVersion()) return;
  const bool chosen = Chosen(router);
  // What it did by the table before says nothing about the new settings.
  if (chosen && table < state_.first) return;
  evidence->second.Count(region, chosen, jobs);
}

double Trial::MeasureFor() const {
  return std::clamp(kMeasureShare * PeriodS(state_.spec), kMeasureMin_s, kMeasureMax_s);
}

bool Trial::WantsRouters() const {
  return state_.phase == Phase::kMeasuring && state_.elapsed_s >= MeasureFor();
}

std::string Trial::WhatIsMissing(const Presence& presence) const {
  if (state_.phase == Phase::kMeasuring) {
    for (const auto& [tier, evidence] : state_.evidence) {
      const double known = evidence.state().before.ended();
      if (known < kJobsMin) {
        return absl::StrFormat("tier %s: %.0f of %.0f jobs have ended before anything is tried", tier, known,
                               kJobsMin);
      }
    }
    return "no region has two routers at which jobs enter: there is nobody to compare with";
  }
  if (!Enough(presence.chosen_heard, presence.chosen)) {
    return absl::StrCat("only ", presence.chosen_heard, " of ", presence.chosen,
                        " chosen routers report under the new settings");
  }
  if (!Enough(presence.rest_heard, presence.rest)) {
    return absl::StrCat("only ", presence.rest_heard, " of the ", presence.rest, " other routers report");
  }
  for (const auto& [tier, evidence] : state_.evidence) {
    if (std::find(presence.resting.begin(), presence.resting.end(), tier) != presence.resting.end()) {
      return absl::StrCat("tier ", tier, " is not planned: its mode is not active");
    }
    const Evidence::State& known = evidence.state();
    const double jobs = std::min(known.chosen.ended(), known.rest.ended());
    if (jobs < kJobsMin) {
      return absl::StrFormat("tier %s: %.0f of %.0f jobs of both groups have been compared", tier, jobs,
                             kJobsMin);
    }
  }
  return "";
}

std::optional<Verdict> Trial::Judge(double window_s) const {
  // Two questions of each tier share the error.
  const double windows = kPatience * PeriodS(state_.spec) / window_s + 1;
  const double bar = windows * 2 * static_cast<double>(state_.evidence.size()) / kFalseRevert;
  bool whole_period = true;
  for (const auto& [tier, evidence] : state_.evidence) {
    if (evidence.ChosenAreWorse(bar)) {
      return Verdict{Phase::kReverted,
                     absl::StrCat("routers with the new settings lose more: ", Figures(tier, evidence))};
    }
    if (evidence.TierFell(bar)) {
      return Verdict{Phase::kReverted,
                     absl::StrCat("the tier loses more since it began: ", Figures(tier, evidence))};
    }
    whole_period = whole_period && evidence.state().judged_s >= PeriodS(state_.spec);
  }
  if (!whole_period || !waits_for_.empty()) return std::nullopt;
  const std::string figures = absl::StrJoin(state_.evidence, "; ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, Figures(entry.first, entry.second));
  });
  return Verdict{Phase::kPassed, figures};
}

std::optional<Verdict> Trial::EndWindow(double seconds, double window_s, const Presence& presence,
                                        const std::vector<RouterPlace>& routers) {
  state_.elapsed_s += seconds;
  std::optional<Verdict> verdict;
  if (state_.phase == Phase::kMeasuring) {
    waits_for_.clear();
    if (!WantsRouters()) return std::nullopt;
    const bool measured = std::all_of(state_.evidence.begin(), state_.evidence.end(), [](const auto& entry) {
      return entry.second.state().before.ended() >= kJobsMin;
    });
    if (measured) state_.chosen = Choose(state_.id, state_.spec.share, routers);
    if (!state_.chosen.empty()) {
      state_.phase = Phase::kRunning;
      state_.elapsed_s = 0;
      state_.entered_at.clear();
      return std::nullopt;
    }
    waits_for_ = WhatIsMissing(presence);
  } else {
    const bool heard =
        Enough(presence.chosen_heard, presence.chosen) && Enough(presence.rest_heard, presence.rest);
    for (auto& [tier, evidence] : state_.evidence) {
      const bool rests =
          std::find(presence.resting.begin(), presence.resting.end(), tier) != presence.resting.end();
      evidence.CloseWindow(heard && !rests ? seconds : 0);
    }
    waits_for_ = WhatIsMissing(presence);
    verdict = Judge(window_s);
  }
  if (!verdict && state_.elapsed_s > kPatience * PeriodS(state_.spec)) {
    verdict =
        Verdict{Phase::kReverted,
                absl::StrCat("no verdict after ", absl::FormatDuration(kPatience * state_.spec.period), ": ",
                             waits_for_.empty() ? "too much of it could not be judged" : waits_for_)};
  }
  return verdict;
}

void Trial::End(const Verdict& verdict) {
  state_.phase = verdict.phase;
  state_.reason = verdict.reason;
  if (verdict.phase == Phase::kPassed || verdict.phase == Phase::kPromoted) state_.in_force = state_.tried;
  state_.chosen.clear();
  state_.entered_at.clear();
  state_.elapsed_s = 0;
  state_.first = state_.table = TableVersion();
  tried_ = nullptr;
  waits_for_.clear();
}

}  // namespace ringway::canary
