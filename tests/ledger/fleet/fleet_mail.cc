// Who hears which message.
#include "tests/ledger/fleet/fleet.h"

namespace ringway::ledger::fleet {

void Fleet::Send(Process from, Process to, Body body) {
  mail_.Send(queue_, kMessage, {from, to, LifeOf(from), LifeOf(to), std::move(body)});
}

std::uint32_t Fleet::LifeOf(const Process& process) const {
  if (process.kind == Process::Kind::kLeader) return leaders_[process.number].life;
  if (process.kind == Process::Kind::kRouter) return routers_[process.number].life;
  return 0;
}

void Fleet::Deliver(std::uint32_t number) {
  const Message message = mail_.Take(number);
  if (message.from_life != LifeOf(message.from) || message.to_life != LifeOf(message.to)) {
    // An offer that was sent is at the worker's door whatever becomes of its sender.
    if (message.to.kind != Process::Kind::kWorker) return DropGrant(message);
  }
  switch (message.to.kind) {
    case Process::Kind::kLeader:
      return StepLeader(message.to.number, std::get<LedgerEvent>(message.body));
    case Process::Kind::kRouter:
      return ToRouter(message.to.number, message.body);
    case Process::Kind::kWorker:
      return ToWorker(message.to.number, message);
    case Process::Kind::kController:
      return;
  }
}

void Fleet::DropGrant(const Message& message) {
  const auto* action = std::get_if<LedgerAction>(&message.body);
  const auto* grant = action == nullptr ? nullptr : std::get_if<Grant>(action);
  if (grant == nullptr || checker_ == nullptr || message.to_life == LifeOf(message.to)) return;
  checker_->Voided(grant->key);
}

void Fleet::StepLeader(std::uint32_t number, const LedgerEvent& event) {
  Leader& leader = leaders_[number];
  std::vector<LedgerAction> actions = std::move(leader_actions_);
  actions.clear();
  leader.ledger.Step(Now(), event, actions);
  const Process from{Process::Kind::kLeader, number};
  for (const LedgerAction& action : actions) {
    if (const auto* grant = std::get_if<Grant>(&action)) {
      if (checker_ != nullptr) checker_->Granted(grant->key, grant->worker, grant->lease);
      Send(from, {Process::Kind::kRouter, grant->key.router.value()}, action);
    } else if (const auto* refuse = std::get_if<Refuse>(&action)) {
      Send(from, {Process::Kind::kRouter, refuse->key.router.value()}, action);
    } else if (const auto* withdrawn = std::get_if<Withdrawn>(&action)) {
      Send(from, {Process::Kind::kRouter, withdrawn->key.router.value()}, action);
    } else if (const auto* lost = std::get_if<LeaseLost>(&action)) {
      Send(from, {Process::Kind::kRouter, lost->router.value()}, action);
    } else if (const auto* fence = std::get_if<FenceWorker>(&action)) {
      Send(from, {Process::Kind::kWorker, fence->worker.value()}, action);
    } else if (const auto* revoke = std::get_if<Revoke>(&action)) {
      Send(from, {Process::Kind::kWorker, revoke->worker.value()}, action);
    }
  }
  leader_actions_ = std::move(actions);
  const Time wake = leader.ledger.NextWake();
  if (wake < leader.wake || leader.wake <= Now()) {
    leader.wake = std::max(wake, Now());
    if (wake != InfiniteFuture()) Push(leader.wake - Now(), kLeaderWake, number);
  }
}

void Fleet::ToRouter(std::uint32_t number, const Body& body) {
  Router& router = routers_[number];
  std::vector<ClientAction> actions;
  if (const auto* answer = std::get_if<Answer>(&body)) {
    Hear(number, *answer);
    return;
  }
  if (std::holds_alternative<Heartbeat>(body)) {
    router.client.Heard(Now());
    if (settings_.network.loss > 0) router.client.Reconnect(Now(), actions);
  } else if (const auto* leader = std::get_if<CurrentLeader>(&body)) {
    router.client.Follow(Now(), *leader, actions);
  } else {
    const auto& action = std::get<LedgerAction>(body);
    if (const auto* grant = std::get_if<Grant>(&action)) router.client.On(Now(), *grant, actions);
    if (const auto* refuse = std::get_if<Refuse>(&action)) router.client.On(Now(), *refuse, actions);
    if (const auto* gone = std::get_if<Withdrawn>(&action)) router.client.On(Now(), *gone, actions);
    if (const auto* lost = std::get_if<LeaseLost>(&action)) router.client.On(Now(), *lost, actions);
  }
  Act(number, actions);
}

void Fleet::ToWorker(std::uint32_t number, const Message& message) {
  Worker& worker = workers_[number];
  if (const auto* offer = std::get_if<Offer>(&message.body)) return Hear(number, *offer);
  if (const auto* cancel = std::get_if<Cancel>(&message.body)) return Hear(number, *cancel);
  if (worker.off) return;
  const auto& action = std::get<LedgerAction>(message.body);
  const auto* fence = std::get_if<FenceWorker>(&action);
  const auto* revoke = std::get_if<Revoke>(&action);
  const Lease upto = fence != nullptr ? fence->upto : revoke->lease;
  // It announces to whoever holds the highest appointment that it has seen.
  if (upto.fence >= worker.gate.fence().fence) worker.leader = message.from.number;
  worker.gate.Raise(upto);
  if (checker_ != nullptr) checker_->Fenced(WorkerId(number), worker.gate.fence());
  if (revoke != nullptr && worker.busy && worker.offer.lease == revoke->lease) {
    StopRun(number, Outcome::kCancelled);
  } else {
    Announce(number);
  }
}

}  // namespace ringway::ledger::fleet
