#include "router/router_machine.h"

#include <algorithm>
#include <utility>

namespace ringway::router {

RouterMachine::RouterMachine(const RouterSettings& settings, std::shared_ptr<const Fleet> fleet,
                             std::uint64_t epoch_seen_max)
    : view_(settings.home, settings.name, settings.seed, std::move(fleet)),
      jobs_({.jobs_max = settings.jobs_max,
             .started = settings.started,
             .offer_limit = settings.offer_limit,
             .hold_keyed = !settings.once.router.empty()},
            view_),
      keys_(settings.once) {
  view_.routes.FollowLeader(epoch_seen_max);
}

void RouterMachine::Step(Time now, const RouterEvent& event, std::vector<RouterAction>& actions) {
  std::visit([&](const auto& e) { Step(now, e, actions); }, event);
}

void RouterMachine::On(Turn& turn, const JobArrived& event) {
  jobs_.On(turn, event);
  if (keys_.on()) keys_.On(turn, jobs_, event);
}

void RouterMachine::On(Turn& turn, const AttemptEnded& event) {
  keys_.On(turn, event);
  jobs_.On(turn, event);
}

void RouterMachine::On(Turn& turn, const ClientGone& event) {
  keys_.On(turn, event);
  jobs_.On(turn, event);
}

void RouterMachine::On(Turn& turn, const WorkerListed& event) {
  Learn(turn, event);
  jobs_.On(turn, event);
}

void RouterMachine::On(Turn& turn, const RouterListed& event) {
  Learn(turn, event);
  jobs_.Reaim(turn.now);
  keys_.On(turn, event);
}

void RouterMachine::On(Turn& turn, const RouterUnlisted& event) {
  Learn(turn, event);
  jobs_.Reaim(turn.now);
  keys_.On(turn, event);
}

void RouterMachine::On(Turn& turn, const FleetChanged& event) {
  Learn(turn, event);
  jobs_.On(turn, event);
}

void RouterMachine::On(Turn& turn, const TableOffered& event) {
  Learn(turn, event);
  if (turn.view.routes.TakeDrainedChanged()) jobs_.Reaim(turn.now);
}

void RouterMachine::On(Turn& turn, const ControllerWelcomed& event) {
  Learn(turn, event);
  keys_.On(event);
  jobs_.TakeCounts();  // what was counted while nobody listened is of no use to anybody
}

void RouterMachine::Report(Turn& turn) {
  SendReport report = turn.view.controller.NextReport(turn.now);
  report.tiers = jobs_.TakeCounts();
  report.table = table();
  // A view outlives the epoch of its controller; the next one's have to be later.
  report.epoch_seen_max = std::max(epoch_seen_max(), once().view().epoch);
  report.view = {once().view().epoch, once().view().version};
  turn.actions.emplace_back(std::move(report));
}

}  // namespace ringway::router
