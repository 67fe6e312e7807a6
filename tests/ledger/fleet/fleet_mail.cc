// Who hears which letter.
#include "tests/ledger/fleet/fleet.h"

namespace ringway::ledger::fleet {

void Fleet::Send(Process from, Process to, Body body) {
  mail_.Send(queue_, kLetter, {from, to, LifeOf(from), LifeOf(to), std::move(body)});
}

std::uint32_t Fleet::LifeOf(const Process& process) const {
  if (process.kind == Process::Kind::kHolder) return holders_[process.number].life;
  if (process.kind == Process::Kind::kRouter) return routers_[process.number].life;
  return 0;
}

void Fleet::Deliver(std::uint32_t number) {
  const Letter letter = mail_.Take(number);
  if (letter.from_life != LifeOf(letter.from) || letter.to_life != LifeOf(letter.to)) {
    // An offer that was sent is at the worker's door whatever becomes of its sender.
    if (letter.to.kind != Process::Kind::kWorker) return DropGrant(letter);
  }
  switch (letter.to.kind) {
    case Process::Kind::kHolder:
      return StepHolder(letter.to.number, std::get<LedgerEvent>(letter.body));
    case Process::Kind::kRouter:
      return ToRouter(letter.to.number, letter.body);
    case Process::Kind::kWorker:
      return ToWorker(letter.to.number, letter);
    case Process::Kind::kController:
      return;
  }
}

void Fleet::DropGrant(const Letter& letter) {
  const auto* action = std::get_if<LedgerAction>(&letter.body);
  const auto* grant = action == nullptr ? nullptr : std::get_if<Grant>(action);
  if (grant == nullptr || checker_ == nullptr || letter.to_life == LifeOf(letter.to)) return;
  checker_->Voided(grant->key);
}

void Fleet::StepHolder(std::uint32_t number, const LedgerEvent& event) {
  Holder& holder = holders_[number];
  std::vector<LedgerAction> actions = std::move(holder_actions_);
  actions.clear();
  holder.ledger.Step(Now(), event, actions);
  const Process from{Process::Kind::kHolder, number};
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
  holder_actions_ = std::move(actions);
  const absl::Time wake = holder.ledger.NextWake();
  if (wake < holder.wake || holder.wake <= Now()) {
    holder.wake = std::max(wake, Now());
    if (wake != absl::InfiniteFuture()) Push(holder.wake - Now(), kHolderWake, number);
  }
}

void Fleet::ToRouter(std::uint32_t number, const Body& body) {
  Router& router = routers_[number];
  std::vector<AskAction> actions;
  if (const auto* answer = std::get_if<Answer>(&body)) {
    Hear(number, *answer);
    return;
  }
  if (std::holds_alternative<Beat>(body)) {
    router.book.Heard(Now());
    if (settings_.network.loss > 0) router.book.Reconnect(Now(), actions);
  } else if (const auto* seat = std::get_if<HolderSeat>(&body)) {
    router.book.Seat(Now(), *seat, actions);
  } else {
    const auto& action = std::get<LedgerAction>(body);
    if (const auto* grant = std::get_if<Grant>(&action)) router.book.On(Now(), *grant, actions);
    if (const auto* refuse = std::get_if<Refuse>(&action)) router.book.On(Now(), *refuse, actions);
    if (const auto* gone = std::get_if<Withdrawn>(&action)) router.book.On(Now(), *gone, actions);
    if (const auto* lost = std::get_if<LeaseLost>(&action)) router.book.On(Now(), *lost, actions);
  }
  Act(number, actions);
}

void Fleet::ToWorker(std::uint32_t number, const Letter& letter) {
  Worker& worker = workers_[number];
  if (const auto* offer = std::get_if<Offer>(&letter.body)) return Hear(number, *offer);
  if (const auto* cancel = std::get_if<Cancel>(&letter.body)) return Hear(number, *cancel);
  if (worker.off) return;
  const auto& action = std::get<LedgerAction>(letter.body);
  const auto* fence = std::get_if<FenceWorker>(&action);
  const auto* revoke = std::get_if<Revoke>(&action);
  const Lease upto = fence != nullptr ? fence->upto : revoke->lease;
  // It announces to whoever holds the highest appointment that it has seen.
  if (upto.fence >= worker.gate.fence().fence) worker.holder = letter.from.number;
  worker.gate.Raise(upto);
  if (checker_ != nullptr) checker_->Fenced(WorkerId(number), worker.gate.fence());
  if (revoke != nullptr && worker.busy && worker.offer.lease == revoke->lease) {
    StopRun(number, Outcome::kCancelled);
  } else {
    Announce(number);
  }
}

}  // namespace ringway::ledger::fleet
