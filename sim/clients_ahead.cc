// What users do before a simulation that starts late: everybody comes, draws what a submission draws, and is
// gone. Its own queue keeps those who come in one instant in the order in which a run from zero has them.
#include <algorithm>
#include <cmath>
#include <variant>

#include "sim/clients.h"

namespace ringway::sim {

void Clients::GoAhead(std::int64_t begins_ns) {
  EventQueue ahead;
  arrivals_ = &ahead;
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    const Fault& fault = scenario_.steps[i].fault;
    if (!std::holds_alternative<ScaleDemand>(fault) && !std::holds_alternative<BadJobs>(fault)) continue;
    ahead.Push(static_cast<std::int64_t>(scenario_.steps[i].at_s * 1e9),
               static_cast<std::uint8_t>(Happening::kStepBegins), static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) ScheduleNext(i);
  while (!ahead.empty() && ahead.NextTime() < begins_ns) {
    const SimEvent event = ahead.Pop();
    switch (static_cast<Happening>(event.kind())) {
      case Happening::kUserArrives:
        ArriveAhead(event.subject, event.detail);
        break;
      case Happening::kUserRetries:
        if (streams_[users_[event.subject].stream].factor > kNobody) {
          SubmitAhead(event.subject);
        } else {
          Leave(event.subject);
        }
        break;
      default:
        StepAhead(event);
    }
  }
  arrivals_ = &stage_.queue;
  while (!ahead.empty()) {
    const SimEvent event = ahead.Pop();
    const auto what = static_cast<Happening>(event.kind());
    if (what == Happening::kStepBegins || what == Happening::kStepEnds)
      continue;  // of the faults from now on
    stage_.AtNs(event.at_ns, what, event.subject, event.detail);
  }
}

void Clients::StepAhead(const SimEvent& event) {
  const ScenarioStep& step = scenario_.steps[event.subject];
  const bool begin = static_cast<Happening>(event.kind()) == Happening::kStepBegins;
  if (const auto* scale = std::get_if<ScaleDemand>(&step.fault)) {
    Scale(scale->regions, begin ? scale->factor : 1 / scale->factor);
  } else if (const auto* bad = std::get_if<BadJobs>(&step.fault)) {
    for (RegionId region(0); region != bad_share_.end_id(); region = RegionId(region.index() + 1)) {
      const bool meant = bad->regions.empty() ||
                         std::find(bad->regions.begin(), bad->regions.end(), region) != bad->regions.end();
      if (meant) SetBadShare(region, begin ? bad->share : 0);
    }
  }
  if (!begin) return;
  const auto after = [&](double seconds, Happening what) {
    arrivals_->Push(event.at_ns + static_cast<std::int64_t>(seconds * 1e9), static_cast<std::uint8_t>(what),
                    event.subject);
  };
  if (std::isfinite(step.lasts_s)) after(step.lasts_s, Happening::kStepEnds);
  if (step.every_s > 0) after(step.every_s, Happening::kStepBegins);
}

void Clients::ArriveAhead(std::size_t index, std::uint32_t generation) {
  if (streams_[index].generation != generation) return;
  const UserSpec& habits = scenario_.users;
  const std::uint64_t key = habits.keyed_share > 0 && keys_.Chance(habits.keyed_share) ? ++last_key_ : 0;
  SubmitAhead(NewUser(index, key));
  if (key != 0 && keys_.Chance(habits.twice_share)) ScheduleTwin(index, key);
  ScheduleNext(index);
}

void Clients::SubmitAhead(UserIndex index) {
  User& user = users_[index];
  ++last_serial_;
  ServiceS(user);
  EntryRouter(RegionOf(user));
  const double bad_share = bad_share_[scenario_.demand[user.stream].region];
  if (bad_share > 0) choices_.Chance(bad_share);
  const double large_share = scenario_.users.large_share;
  if (large_share > 0) uploads_.Chance(large_share);
  Leave(index);
}

}  // namespace ringway::sim
