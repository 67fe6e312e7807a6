#include "sim/workers.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sim/witness.h"

namespace ringway::sim {
namespace {

// A failing backend still needs a moment to fail.
constexpr std::int64_t kSinkholeNs = 1'000'000;

}  // namespace

Workers::Workers(Stage& stage, const Scenario& scenario, IdVector<WorkerId, WorkerPlace> places)
    : stage_(stage),
      scenario_(scenario),
      places_(std::move(places)),
      first_(scenario.fleet->world.regions.size()) {
  for (std::size_t i = places_.size(); i-- > 0;) first_[places_[WorkerId(i)].region] = WorkerId(i);
  for (const WorkerPlace& place : places_) sites_.push_back(Site(SettingsFor(place.tier)));
}

SlotSettings Workers::SettingsFor(TierId tier) const {
  SlotSettings settings;
  settings.service_prior = absl::Seconds(MeanServiceS(scenario_.service[tier].law));
  return settings;
}

void Workers::OnOffer(WorkerId worker, const OfferNote& note) {
  Site& site = sites_[worker];
  for (Witness* witness : stage_.witnesses) witness->OnOffered(stage_.Now(), worker, note);
  if (!site.alive) {
    // Connection refused: certain that nothing has started.
    Answer(worker, note, router::AttemptEnded{.outcome = Outcome::kFailed, .may_have_started = false});
    return;
  }
  const AttemptId attempt = ++site.last_attempt;
  actions_.clear();
  site.slot.Step(stage_.Now(),
                 SlotOffer{.attempt = attempt, .lease = {}, .grant = note.lease, .deadline = note.deadline},
                 actions_);
  Perform(worker, attempt, note);
}

void Workers::OnWithdraw(WorkerId worker, const OfferNote& note) {
  Site& site = sites_[worker];
  const bool held = site.alive && site.admitted != 0 && site.note.asker.router == note.asker.router &&
                    site.note.asker.life == note.asker.life && site.note.asker.attempt == note.asker.attempt;
  if (!held) return;  // it has ended, or was refused: its answer is on the way
  actions_.clear();
  site.slot.Step(stage_.Now(), SlotWithdraw{site.admitted}, actions_);
  Perform(worker, 0, {});
}

void Workers::OnFence(WorkerId worker, const FenceNote& note) {
  Site& site = sites_[worker];
  if (!site.alive) return;
  actions_.clear();
  site.slot.Step(stage_.Now(), SlotFenced{.by = note.upto.fence, .upto = note.upto, .revoke = note.revoke},
                 actions_);
  Perform(worker, 0, {});
  Announce(worker);
}

void Workers::OnServiceEnds(WorkerId worker, std::uint64_t run) {
  Site& site = sites_[worker];
  if (!site.alive || site.run != run || site.admitted == 0) return;
  const bool cancelled = stage_.queue.now_ns() < site.ends_ns;
  Outcome outcome = cancelled ? Outcome::kCancelled : Outcome::kDone;
  if (site.sinkhole) outcome = Outcome::kFailed;
  actions_.clear();
  site.slot.Step(stage_.Now(), SlotFinished{site.admitted, outcome}, actions_);
  Perform(worker, 0, {});
}

void Workers::OnWake(WorkerId worker) {
  Site& site = sites_[worker];
  if (!site.wake.Due(stage_.Now()) || !site.alive) return;
  actions_.clear();
  site.slot.Step(stage_.Now(), SlotWake{}, actions_);
  Perform(worker, 0, {});
}

// Carries out what the slot decided. `offered`: the attempt that `offer` is about, 0: none.
void Workers::Perform(WorkerId worker, AttemptId offered, const OfferNote& offer) {
  Site& site = sites_[worker];
  for (std::size_t i = 0; i < actions_.size(); ++i) {  // Start appends
    const SlotAction action = actions_[i];
    if (const auto* refuse = std::get_if<RefuseAttempt>(&action)) {
      for (Witness* witness : stage_.witnesses) witness->OnRefused(stage_.Now(), worker, offer);
      Answer(worker, offer,
             router::AttemptEnded{.outcome = Outcome::kBusy,
                                  .answered = true,
                                  .may_have_started = false,
                                  .retry_after = refuse->retry_after});
    } else if (std::holds_alternative<AdmitAttempt>(action)) {
      site.admitted = offered;
      site.note = offer;
      site.slot.Step(stage_.Now(), SlotPayloadComplete{offered}, actions_);
    } else if (std::holds_alternative<StartJob>(action)) {
      Start(worker);
    } else if (std::holds_alternative<StopJob>(action)) {
      StopAtNextStep(worker);
    } else if (const auto* ended = std::get_if<AttemptEnded>(&action)) {
      const OfferNote note = site.note;
      const bool started = std::exchange(site.started, false);
      site.admitted = 0;
      ++site.run;
      for (Witness* witness : stage_.witnesses) {
        witness->OnFreed(stage_.Now(), worker, note, ended->outcome == Outcome::kDone);
      }
      Answer(worker, note,
             router::AttemptEnded{.outcome = ended->outcome, .answered = true, .may_have_started = started});
    } else if (std::holds_alternative<StateChanged>(action)) {
      TellBeside(worker);
      // The holder knows of a job that it granted.
      if (site.admitted == 0 || !site.note.lease.fence.stated()) Announce(worker);
    }
  }
  ArmWake(worker);
}

void Workers::Start(WorkerId worker) {
  Site& site = sites_[worker];
  const std::int64_t now_ns = stage_.queue.now_ns();
  const double service_ns = static_cast<double>(site.note.luggage.service_ns) * site.slowness;
  const std::int64_t takes_ns = site.sinkhole ? kSinkholeNs : static_cast<std::int64_t>(service_ns);
  site.started = true;
  site.started_ns = now_ns;
  site.ends_ns = now_ns + takes_ns;
  stage_.After(takes_ns, Happening::kServiceEnds, worker.value(), ++site.run);
  for (Witness* witness : stage_.witnesses) witness->OnStarted(stage_.Now(), worker, site.note);
  Answer(worker, site.note, router::AttemptAccepted{});
}

void Workers::StopAtNextStep(WorkerId worker) {
  Site& site = sites_[worker];
  const std::int64_t steps = scenario_.service[places_[worker].tier].steps;
  const std::int64_t step_ns = std::max<std::int64_t>(1, (site.ends_ns - site.started_ns) / steps);
  const std::int64_t ran_ns = stage_.queue.now_ns() - site.started_ns;
  const std::int64_t left_ns = step_ns - ran_ns % step_ns;
  stage_.After(left_ns, Happening::kServiceEnds, worker.value(), ++site.run);
}

void Workers::Answer(WorkerId worker, const OfferNote& note, router::RouterEvent event) {
  if (auto* accepted = std::get_if<router::AttemptAccepted>(&event)) {
    accepted->job = note.asker.job;
    accepted->attempt = note.asker.attempt;
  } else if (auto* ended = std::get_if<router::AttemptEnded>(&event)) {
    ended->job = note.asker.job;
    ended->attempt = note.asker.attempt;
    ended->worker = InRegion(worker);
  }
  const bool beside = places_[worker].beside == note.asker.router;
  const RegionId region = places_[worker].region;
  stage_.TellAsker(beside ? stage_.network.BesideNs() : stage_.network.HereNs(region), note.asker,
                   std::move(event));
}

void Workers::TellBeside(WorkerId worker) {
  const Slot& slot = sites_[worker].slot;
  RouterNote note;
  note.router = places_[worker].beside;
  note.life = kAnyLife;
  dispatch::WorkerNews news;
  news.state = slot.resting(stage_.Now()) ? dispatch::WorkerState::kFailed
               : slot.busy()              ? dispatch::WorkerState::kBusy
                                          : dispatch::WorkerState::kIdle;
  news.draining = slot.draining();
  note.event = router::WorkerHeard{InRegion(worker), news};
  stage_.TellRouter(stage_.network.BesideNs(), std::move(note));
}

ledger::Announce Workers::Announcement(WorkerId worker) {
  Site& site = sites_[worker];
  site.announced_ns = stage_.queue.now_ns();
  ledger::Announce announce{.worker = worker,
                            .sequence = site.slot.NextSequence(),
                            .status = ledger::WorkerStatus::kIdle,
                            .fence = site.slot.fence(),
                            .running = {}};
  if (site.slot.busy() || site.slot.resting(stage_.Now())) announce.status = ledger::WorkerStatus::kBusy;
  if (site.slot.draining()) announce.status = ledger::WorkerStatus::kLeaving;
  if (site.admitted != 0) announce.running = site.note.lease;
  return announce;
}

void Workers::Announce(WorkerId worker) {
  if (on_announce) on_announce(worker, Announcement(worker));
}

std::optional<ledger::Announce> Workers::Overdue(WorkerId worker, std::int64_t silent_ns) {
  const Site& site = sites_[worker];
  if (!site.alive || site.admitted != 0) return std::nullopt;
  if (stage_.queue.now_ns() - site.announced_ns < silent_ns) return std::nullopt;
  return Announcement(worker);
}

void Workers::ArmWake(WorkerId worker) {
  Site& site = sites_[worker];
  const absl::Time wake = site.slot.NextWake();
  if (site.wake.Wants(wake)) stage_.At(wake, Happening::kWorkerWakes, worker.value());
}

void Workers::Kill(WorkerId worker) {
  Site& site = sites_[worker];
  if (!site.alive) return;
  site.alive = false;
  for (Witness* witness : stage_.witnesses) witness->OnWorkerDied(stage_.Now(), worker);
  if (site.admitted != 0) {
    Answer(worker, site.note, router::AttemptEnded{.outcome = Outcome::kFailed, .may_have_started = true});
  }
  site.admitted = 0;
  site.started = false;
  ++site.run;
  if (on_listed) on_listed(worker, false);
  RouterNote note;
  note.router = places_[worker].beside;
  note.life = kAnyLife;
  note.event = router::WorkerHeard{InRegion(worker), {.state = dispatch::WorkerState::kUnknown}};
  stage_.TellRouter(stage_.network.BesideNs(), std::move(note));
}

void Workers::Revive(WorkerId worker) {
  Site& site = sites_[worker];
  if (site.alive) return;
  site.alive = true;
  SlotSettings settings = SettingsFor(places_[worker].tier);
  settings.started = stage_.Now();
  site.slot = Slot(settings);
  if (on_listed) on_listed(worker, true);
  TellBeside(worker);
}

void Workers::LoseRouter(RouterId router) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const WorkerId worker(i);
    if (sites_[worker].admitted != 0 && sites_[worker].note.asker.router == router) {
      OnWithdraw(worker, sites_[worker].note);
    }
  }
}

}  // namespace ringway::sim
