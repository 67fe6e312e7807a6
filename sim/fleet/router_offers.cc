// The routers of a simulation, offers: what a router sends to a worker of its region, and how it takes that
// back.
#include "sim/fleet/routers.h"
#include "sim/observers/observer.h"

namespace ringway::sim {
namespace {

// The router has closed the stream, and waits for nobody.
void TellClosed(Stage& stage, const Caller& caller, const router::WithdrawAttempt& withdraw, bool begun) {
  stage.TellRouter(0, {.router = caller.router,
                       .life = caller.life,
                       .event = router::AttemptEnded{.job = caller.job,
                                                     .attempt = caller.attempt,
                                                     .worker = withdraw.worker,
                                                     .outcome = withdraw.why,
                                                     .may_have_started = begun}});
}

}  // namespace

void Routers::Perform(RouterId router, router::OfferToWorker& offer) {
  Site& site = sites_[router];
  Held& held = site.held[offer.job];
  const WorkerId worker = workers_.Global(places_[router], offer.worker);
  held.attempt = offer.attempt;
  held.sent = workers_.plain(worker);
  const OfferNote note{.caller = {router, site.life, offer.job, offer.attempt},
                       .payload = held.payload,
                       .deadline = site.node->machine().job(offer.job).facts.deadline,
                       .lease = offer.lease};
  const std::int64_t hop_ns = workers_.HopNs(worker, router);
  stage_.After(hop_ns, Happening::kOfferReaches, worker.value(), stage_.to_worker.Put(note));
  if (!held.sent) return;
  // A plain server gets all there is at once, and says nothing before it answers.
  stage_.After(hop_ns, Happening::kUploadReaches, worker.value(), stage_.to_worker.Put(note));
  stage_.TellCaller(0, note.caller, RouterMessage::OnAttempt::kAccepted).worker = offer.worker;
}

// The worker starts when it has arrived. What was forwarded has brought it along.
void Routers::SendPayload(const RouterMessage& accepted) {
  const RouterId router = accepted.router;
  Site& site = sites_[router];
  Held* const held = site.HeldBy(accepted.job, accepted.attempt);
  if (held == nullptr || !held->live || std::exchange(held->sent, true)) return;
  const WorkerId worker = workers_.Global(places_[router], accepted.worker);
  const std::uint32_t note = stage_.to_worker.New();
  stage_.to_worker[note].caller = {router, site.life, accepted.job, accepted.attempt};
  stage_.After(workers_.HopNs(worker, router), Happening::kUploadReaches, worker.value(), note);
}

void Routers::Perform(RouterId router, router::WithdrawAttempt& withdraw) {
  Site& site = sites_[router];
  const Caller caller{router, site.life, withdraw.job, withdraw.attempt};
  const RegionId region = places_[router];
  if (withdraw.worker.valid()) {
    const WorkerId worker = workers_.Global(region, withdraw.worker);
    const Held& held = site.held[withdraw.job];
    // Who has the payload says when it has stopped, but a plain server, to which closing is all that can be
    // said.
    const bool waits = held.sent && !workers_.plain(worker);
    stage_.After(workers_.HopNs(worker, router),
                 waits ? Happening::kWithdrawReaches : Happening::kCancelReaches, worker.value(),
                 stage_.to_worker.Put({.caller = caller}));
    if (waits || !site.closed.insert(caller.attempt).second) return;
    TellClosed(stage_, caller, withdraw, held.sent);
    if (!held.sent) return;
    for (Observer* observer : stage_.observers) observer->OnStreamBroke(stage_.Now(), held.payload.serial);
    return;
  }
  const auto delay = stage_.network.DelayNs(region, places_[withdraw.router]);
  if (!delay) return;
  RouterNote note;
  note.router = withdraw.router;
  note.life = kAnyLife;
  note.caller = caller;
  note.event = router::JobWithdrawn{};
  stage_.TellRouter(*delay, std::move(note));
}

bool Routers::CloseStream(const Caller& caller) {
  Site& site = sites_[caller.router];
  site.closed.insert(caller.attempt);
  const Held* const held = site.HeldBy(caller.job, caller.attempt);
  return held == nullptr || held->sent;
}

}  // namespace ringway::sim
