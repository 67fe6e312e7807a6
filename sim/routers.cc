#include "sim/routers.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "sim/witness.h"

namespace ringway::sim {
namespace {

std::string NameOf(RouterId router) { return absl::StrFormat("router-%06d", router.value()); }

constexpr std::uint64_t kSeedStride = 0x9e3779b97f4a7c15ULL;

}  // namespace

Routers::Routers(Stage& stage, const Scenario& scenario, const Workers& workers,
                 IdVector<RouterId, RegionId> places)
    : stage_(stage),
      scenario_(scenario),
      workers_(workers),
      places_(std::move(places)),
      sites_(places_.size()),
      paused_until_ns_(places_.size(), 0) {
  for (std::size_t i = 0; i < places_.size(); ++i) Create(RouterId(i));
}

void Routers::Create(RouterId router) {
  Site& site = sites_[router];
  const std::uint64_t number = (router.value() + 1) * kSeedStride + static_cast<std::uint64_t>(site.revived);
  site.machine.emplace(router::RouterSettings{.home = places_[router],
                                              .name = NameOf(router),
                                              .jobs_max = kJobsMax,
                                              .seed = scenario_.seed ^ number,
                                              .started = stage_.Now()},
                       scenario_.fleet);
  site.held.assign(kJobsMax, {});
  site.free.clear();
  site.forwarded.clear();
  for (std::size_t job = kJobsMax; job-- > 0;) site.free.push_back(JobId(job));
  site.wake.Reset();
}

void Routers::Begin() {
  for (std::size_t i = 0; i < sites_.size(); ++i) Introduce(RouterId(i));
}

void Routers::Introduce(RouterId router) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const RouterId peer(i);
    if (peer != router) Step(router, router::RouterListed{peer, places_[peer], NameOf(peer)});
  }
  for (std::size_t i = 0; i < workers_.count(); ++i) {
    const WorkerPlace& place = workers_.places()[WorkerId(i)];
    if (place.region != places_[router]) continue;
    const WorkerId known = workers_.InRegion(WorkerId(i));
    const bool beside = scenario_.all_beside || place.beside == router;
    Step(router, router::WorkerListed{known, place.tier, beside});
    if (beside && workers_.alive(WorkerId(i))) {
      const bool busy = workers_.slot(WorkerId(i)).busy();
      const auto state = busy ? dispatch::WorkerState::kBusy : dispatch::WorkerState::kIdle;
      Step(router, router::WorkerHeard{known, {.state = state}});
    }
  }
}

void Routers::OnJob(std::uint32_t detail) {
  JobNote& note = stage_.jobs[detail];
  Site& site = sites_[note.router];
  const bool here = site.machine && (note.life == kAnyLife || note.life == site.life);
  if (!here || site.free.empty()) {
    Refuse(note);
    return stage_.jobs.Free(detail);
  }
  const JobId job = site.free.back();
  site.free.pop_back();
  site.held[job] = {.live = true, .user = note.user, .luggage = note.luggage, .asker = note.asker};
  if (note.asker.router.valid()) site.forwarded[{note.asker.router.value(), note.asker.attempt}] = job;
  const RouterId router = note.router;
  Step(router, router::JobArrived{job, std::move(note.facts)});
  stage_.jobs.Free(detail);
  Settle();
  ArmWake(router);
}

void Routers::OnWord(std::uint32_t detail) {
  const RouterWord& word = stage_.words[detail];
  const RouterId router = word.router;
  if (sites_[router].machine) {
    if (word.on_attempt != RouterWord::OnAttempt::kNothing && word.life == sites_[router].life) {
      HearOfAttempt(word);
    }
    if (word.has_news) Step(router, router::WorkerHeard{word.worker, word.news});
    Settle();
    if (word.has_announcement && on_announcement) {
      on_announcement(router, word.announcement);
      Settle();
    }
    ArmWake(router);
  }
  stage_.words.Free(detail);
}

void Routers::HearOfAttempt(const RouterWord& word) {
  if (word.on_attempt == RouterWord::OnAttempt::kAccepted) {
    Relay(word.router, word);
    Step(word.router, router::AttemptAccepted{.job = word.job, .attempt = word.attempt});
    return;
  }
  Step(word.router, router::AttemptEnded{.job = word.job,
                                         .attempt = word.attempt,
                                         .worker = word.from.valid() ? WorkerId() : word.worker,
                                         .router = word.from,
                                         .outcome = word.outcome,
                                         .answered = word.answered,
                                         .may_have_started = word.may_have_started,
                                         .retry_after = absl::Nanoseconds(word.retry_after_ns),
                                         .import_full = word.import_full});
}

void Routers::OnNote(std::uint32_t detail) {
  Hear(stage_.to_router[detail]);
  stage_.to_router.Free(detail);
}

void Routers::Hear(RouterNote& note) {
  const RouterId router = note.router;
  const Site& site = sites_[router];
  if (!site.machine || (note.life != kAnyLife && note.life != site.life)) return;
  if (std::holds_alternative<router::ClientGone>(note.event)) return OnAskerGone(router, note.asker);
  if (const auto* offered = std::get_if<router::TableOffered>(&note.event)) {
    sites_[router].table = offered->table;
  }
  Tell(router, note.event);
  const bool welcomed = std::holds_alternative<router::ControllerWelcomed>(note.event);
  const bool lost = std::holds_alternative<router::ControllerLost>(note.event);
  if ((welcomed || lost) && on_controller) on_controller(router, welcomed);
}

void Routers::OnWake(RouterId router, Life life) {
  Site& site = sites_[router];
  if (!site.machine || site.life != life) return;
  if (site.wake.Due(stage_.Now())) Tell(router, router::TimePassed{});
}

// Hearing one answer may bring about another, so the loop goes by index; it ends because each ends an ask,
// and asks anew at most as long as there are slots to be granted.
void Routers::HearOwn() {
  settling_ = true;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const Own own = own_[i];
    if (!sites_[own.router].machine) continue;
    std::visit([&](const auto& news) { Step(own.router, news); }, own.news);
    ArmWake(own.router);
  }
  own_.clear();
  settling_ = false;
}

// The router that asked for a job does not want it any more, or has died.
void Routers::OnAskerGone(RouterId router, const Asker& asker) {
  const Site& site = sites_[router];
  const auto found = site.forwarded.find({asker.router.value(), asker.attempt});
  if (found == site.forwarded.end()) return;
  const JobId job = found->second;
  if (site.held[job].asker.life == asker.life) Tell(router, router::ClientGone{job});
}

// Nobody listens, or no room: the connection is refused, so it is certain that nothing has started.
void Routers::Refuse(const JobNote& note) {
  const RegionId region = places_[note.router];
  if (!note.asker.router.valid()) {
    const AnswerNote answer{.serial = note.luggage.serial, .outcome = Outcome::kFailed};
    stage_.After(stage_.network.HereNs(region), Happening::kAnswerReaches, note.user,
                 stage_.to_user.Put(answer));
    return;
  }
  const auto delay = stage_.network.DelayNs(region, places_[note.asker.router]);
  RouterWord& word = stage_.TellAsker(delay.value_or(kSilenceNs), note.asker, RouterWord::OnAttempt::kEnded);
  word.from = note.router;
  word.may_have_started = !delay.has_value();
}

// A worker of this router started a job that another router asked for: that one must know.
void Routers::Relay(RouterId router, const RouterWord& word) {
  const Held& held = sites_[router].held[word.job];
  if (!held.live || !held.asker.router.valid()) return;
  const auto delay = stage_.network.DelayNs(places_[router], places_[held.asker.router]);
  if (delay) stage_.TellAsker(*delay, held.asker, RouterWord::OnAttempt::kAccepted);
}

void Routers::ArmWake(RouterId router) {
  Site& site = sites_[router];
  const absl::Time wake = site.machine->NextWake();
  if (site.wake.Wants(wake)) stage_.At(wake, Happening::kRouterWakes, router.value(), site.life);
}

void Routers::Perform(RouterId router, router::RouterAction& action) {
  if (auto* offer = std::get_if<router::OfferToWorker>(&action)) return Perform(router, *offer);
  if (auto* forward = std::get_if<router::ForwardToRouter>(&action)) return Perform(router, *forward);
  if (auto* withdraw = std::get_if<router::WithdrawAttempt>(&action)) return Perform(router, *withdraw);
  if (auto* end = std::get_if<router::EndJob>(&action)) return Perform(router, *end);
  if (auto* report = std::get_if<router::SendReport>(&action)) {
    if (on_report) on_report(router, *report);
  } else if (auto* decided = std::get_if<router::TableDecided>(&action)) {
    const Site& site = sites_[router];
    if (decided->active && site.table) {
      for (Witness* witness : stage_.witnesses) witness->OnTableActive(stage_.Now(), router, *site.table);
    }
    if (on_table_decided) on_table_decided(router, *decided);
  } else if (auto* tell = std::get_if<router::TellLedger>(&action)) {
    if (on_ledger) on_ledger(router, *tell);
  }
}

void Routers::Perform(RouterId router, router::OfferToWorker& offer) {
  const Site& site = sites_[router];
  const Held& held = site.held[offer.job];
  const RegionId region = places_[router];
  const WorkerId worker = workers_.Global(region, offer.worker);
  const bool beside = workers_.places()[worker].beside == router;
  const OfferNote note{.asker = {router, site.life, offer.job, offer.attempt},
                       .luggage = held.luggage,
                       .deadline = site.machine->job(offer.job).facts.deadline,
                       .lease = offer.lease};
  stage_.After(beside ? stage_.network.BesideNs() : stage_.network.HereNs(region), Happening::kOfferReaches,
               worker.value(), stage_.to_worker.Put(note));
  stage_.queue.ForeseePush(stage_.queue.now_ns() + held.luggage.service_ns);
}

void Routers::Perform(RouterId router, router::ForwardToRouter& forward) {
  const Site& site = sites_[router];
  const Held& held = site.held[forward.job];
  const Asker asker{router, site.life, forward.job, forward.attempt};
  for (Witness* witness : stage_.witnesses) {
    witness->OnForwarded(stage_.Now(), router, forward.router, held.luggage.serial);
  }
  const auto delay = stage_.network.DelayNs(places_[router], places_[forward.router]);
  if (!delay) {
    // Silence: nobody can say whether the job arrived.
    stage_.TellAsker(kSilenceNs, asker, RouterWord::OnAttempt::kEnded).from = forward.router;
    return;
  }
  JobNote& note = stage_.SendJob(*delay, forward.router);
  note.life = kAnyLife;
  note.user = 0;
  note.asker = asker;
  note.luggage = held.luggage;
  note.facts = site.machine->job(forward.job).facts;
  note.facts.forwarded = true;
  note.facts.spilled = forward.route.reason == router::kSpillReason;
}

void Routers::Perform(RouterId router, router::WithdrawAttempt& withdraw) {
  const Site& site = sites_[router];
  const Asker asker{router, site.life, withdraw.job, withdraw.attempt};
  const RegionId region = places_[router];
  if (withdraw.worker.valid()) {
    const WorkerId worker = workers_.Global(region, withdraw.worker);
    const bool beside = workers_.places()[worker].beside == router;
    stage_.After(beside ? stage_.network.BesideNs() : stage_.network.HereNs(region),
                 Happening::kWithdrawReaches, worker.value(), stage_.to_worker.Put({.asker = asker}));
    // An offer that was not answered: the router closes the stream, and waits for nobody.
    if (withdraw.why == Outcome::kTimeout) OfferUnread(asker, worker);
    return;
  }
  const auto delay = stage_.network.DelayNs(region, places_[withdraw.router]);
  if (!delay) return;
  RouterNote note;
  note.router = withdraw.router;
  note.life = kAnyLife;
  note.asker = asker;
  note.event = router::ClientGone{};
  stage_.TellRouter(*delay, std::move(note));
}

void Routers::Perform(RouterId router, router::EndJob& end) {
  Site& site = sites_[router];
  Held& held = site.held[end.job];
  RINGWAY_CHECK(held.live);
  held.live = false;
  site.free.push_back(end.job);
  if (held.asker.router.valid()) site.forwarded.erase({held.asker.router.value(), held.asker.attempt});
  if (!held.asker.router.valid()) return AnswerUser(router, held, end);
  const auto delay = stage_.network.DelayNs(places_[router], places_[held.asker.router]);
  RouterWord& word = stage_.TellAsker(delay.value_or(kSilenceNs), held.asker, RouterWord::OnAttempt::kEnded);
  word.from = router;
  if (!delay) return;
  word.outcome = end.outcome;
  word.answered = true;
  word.may_have_started = end.story.service > absl::ZeroDuration();
  word.retry_after_ns = absl::ToInt64Nanoseconds(end.retry_after);
  word.import_full = end.import_full;
}

void Routers::AnswerUser(RouterId router, const Held& held, const router::EndJob& end) {
  const RegionId region = places_[router];
  const bool here = end.story.worker.valid() || !end.story.router.valid();
  const AnswerNote answer{.serial = held.luggage.serial,
                          .outcome = end.outcome,
                          .served_in = here ? region : places_[end.story.router],
                          .attempts = end.story.attempts,
                          .wait = end.story.wait,
                          .delay = end.story.delay,
                          .spilled = end.story.route.reason == router::kSpillReason};
  stage_.After(stage_.network.HereNs(region), Happening::kAnswerReaches, held.user,
               stage_.to_user.Put(answer));
}

bool Routers::Wants(const Asker& asker) const {
  const Site& site = sites_[asker.router];
  return site.machine && site.life == asker.life && site.machine->job(asker.job).attempt == asker.attempt;
}

void Routers::OfferUnread(const Asker& asker, WorkerId worker) {
  RouterWord& word = stage_.TellAsker(0, asker, RouterWord::OnAttempt::kEnded);
  word.worker = workers_.InRegion(worker);
  word.outcome = Outcome::kTimeout;
  word.answered = false;
  word.may_have_started = false;
}

void Routers::Kill(RouterId router) {
  Site& site = sites_[router];
  if (!site.machine) return;
  site.machine.reset();
  ++site.life;
  for (std::size_t i = 0; i < site.held.size(); ++i) {
    Held& held = site.held[JobId(i)];
    if (!std::exchange(held.live, false)) continue;
    const JobNote lost{
        .router = router, .user = held.user, .asker = held.asker, .luggage = held.luggage, .facts = {}};
    if (!held.asker.router.valid()) {
      Refuse(lost);  // the user sees the connection break
      continue;
    }
    const auto delay = stage_.network.DelayNs(places_[router], places_[held.asker.router]);
    stage_.TellAsker(delay.value_or(kSilenceNs), held.asker, RouterWord::OnAttempt::kEnded).from = router;
  }
  // What it had asked other routers for is withdrawn there when the stream closes.
  for (std::size_t other = 0; other < sites_.size(); ++other) {
    Site& peer = sites_[RouterId(other)];
    if (!peer.machine) continue;
    for (std::size_t i = 0; i < peer.held.size(); ++i) {
      const Held& held = peer.held[JobId(i)];
      if (held.live && held.asker.router == router) Tell(RouterId(other), router::ClientGone{JobId(i)});
    }
  }
}

void Routers::Revive(RouterId router) {
  Site& site = sites_[router];
  if (site.machine) return;
  ++site.revived;
  Create(router);
  Introduce(router);
  if (site.table) Tell(router, router::TableOffered{.table = site.table, .from_disk = true});
}

}  // namespace ringway::sim
