#include "sim/fleet/routers.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/fleet/wire.h"
#include "sim/observers/observer.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kSeedStride = 0x9e3779b97f4a7c15ULL;
constexpr std::string_view kTooLarge = "the payload is too large to be kept";
constexpr Duration kPoolTakeoverHold = Seconds(2);
constexpr Duration kPoolUncontrolledMax = Seconds(5);

// As router/daemon/pools/http_pool.cc has them; no job runs for longer than its deadline.
router::LeaderSettings PoolLeader(const Scenario& scenario, const Tier& tier) {
  router::LeaderSettings settings;
  settings.ledger.workers_announce = false;
  settings.ledger.service_bound = tier.deadline;
  settings.ledger.takeover_hold = kPoolTakeoverHold;
  if (scenario.controller) settings.uncontrolled_max = kPoolUncontrolledMax;
  return settings;
}

}  // namespace

Routers::Routers(Stage& stage, const Scenario& scenario, const Workers& workers,
                 IdVector<RouterId, RegionId> places)
    : stage_(stage),
      scenario_(scenario),
      workers_(workers),
      places_(std::move(places)),
      paused_until_ns_(places_.size(), 0),
      control_streams_(places_.size(), 0) {
  IdVector<RegionId, std::size_t> here(scenario.fleet->world.regions.size(), 0);
  for (const RegionId place : places_) local_.push_back(RouterId(here[place]++));
  while (sites_.size() < places_.size()) sites_.push_back({});
  for (std::size_t i = 0; i < places_.size(); ++i) Create(RouterId(i));
}

router::NodeSettings Routers::SettingsOf(RouterId router) const {
  const Site& site = sites_[router];
  router::once::Settings once;  // keys are not looked at where nobody has one
  if (scenario_.users.keyed_share > 0) once = {.router = NameOf(router), .life = site.life, .alone = false};
  if (scenario_.once_records_max) once.bounds.records_max = *scenario_.once_records_max;
  const std::uint64_t number = (router.value() + 1) * kSeedStride + static_cast<std::uint64_t>(site.revived);
  router::NodeSettings settings{.router = {.home = places_[router],
                                           .name = NameOf(router),
                                           .jobs_max = kJobsMax,
                                           .seed = scenario_.seed ^ number,
                                           .started = stage_.Now(),
                                           .once = std::move(once)},
                                .watch_max = scenario_.watch_max,
                                .self = LocalOf(router),
                                .incarnation = site.life,
                                .epoch_seen_max = site.epoch_kept};
  // Without a controller operators say who leads, as --leader does.
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const bool plain = scenario_.service[tier].plain;
    if (!plain && scenario_.controller) continue;
    settings.tiers.push_back(
        {.tier = tier,
         .leader = plain ? PoolLeader(scenario_, scenario_.fleet->tiers[tier]) : router::LeaderSettings(),
         .fixed = !scenario_.controller});
  }
  return settings;
}

void Routers::Create(RouterId router) {
  Site& site = sites_[router];
  site.settings = SettingsOf(router);
  site.node.emplace(site.settings, scenario_.fleet);
  site.held.assign(kJobsMax, {});
  site.free.clear();
  site.forwarded.clear();
  site.closed.clear();
  site.of_users.clear();
  for (std::size_t job = kJobsMax; job-- > 0;) site.free.push_back(JobId(job));
  site.wake.Reset();
  if (stage_.tap != nullptr) {
    stage_.tap->Born(router, stage_.Now(), site.settings.router, site.node->machine());
  }
}

void Routers::Exchange(const MachineExchange& exchange) {
  for (Site& site : sites_) {
    if (!site.node) continue;
    const router::RouterMachine& present = site.node->machine();
    router::RouterMachine next(site.settings.router, std::make_shared<const Fleet>(present.fleet()));
    exchange(present, next);
    site.node->Replace(std::move(next));
  }
}

void Routers::ShowGrant(RouterId router, const ledger::LedgerAction& said) {
  const auto* grant = std::get_if<ledger::Grant>(&said);
  if (grant == nullptr) return;
  const WorkerId worker = workers_.Global(places_[router], grant->worker);
  for (Observer* observer : stage_.observers) observer->OnGranted(stage_.Now(), worker, grant->lease);
}

// What the machine is told of a ledger. What another router's leader grants is seen where that says so.
void Routers::SeeAnswer(RouterId router, TierId tier, const router::LedgerNews& news) {
  const auto* answered = std::get_if<router::LeaderAnswered>(&news);
  if (answered == nullptr) return;
  stage_.kinds.ledger_answers.Count(answered->answer);
  if (sites_[router].node->session(tier)->leads()) ShowGrant(router, answered->answer);
}

std::string Routers::NameOf(RouterId router) { return absl::StrFormat("router-%06d", router.value()); }

void Routers::OnJob(std::uint32_t detail) {
  JobNote& note = stage_.jobs[detail];
  Site& site = sites_[note.router];
  const bool here = site.node && (note.life == kAnyLife || note.life == site.life);
  if (!here || site.free.empty()) {
    Refuse(note);
    return stage_.jobs.Free(detail);
  }
  const JobId job = site.free.back();
  site.free.pop_back();
  site.held[job] = {.live = true, .user = note.user, .payload = note.payload, .caller = note.caller};
  if (note.caller.router.valid()) {
    site.forwarded[{note.caller.router.value(), note.caller.attempt}] = job;
  } else if (scenario_.users.leave_share > 0) {
    site.of_users[note.payload.serial] = job;
  }
  const RouterId router = note.router;
  Step(router, router::JobArrived{job, std::move(note.facts)});
  if (note.payload.large && site.held[job].live) Step(router, router::RepeatRuledOut{job, kTooLarge});
  stage_.jobs.Free(detail);
  Rest(router);
}

void Routers::OnMessage(std::uint32_t detail) {
  const RouterMessage& message = stage_.messages[detail];
  const RouterId router = message.router;
  const Site& site = sites_[router];
  if (site.node) {
    const bool to_this_life = message.life == site.life;
    if (message.on_attempt != RouterMessage::OnAttempt::kNothing && to_this_life) HearOfAttempt(message);
    if (message.watch != 0) {
      on_watched(router, message);
    } else if (message.has_announcement && to_this_life) {
      StepTier(router, message.tier, router::WorkerAnnounced{message.announcement, message.fence_connection});
    }
    Rest(router);
  }
  stage_.messages.Free(detail);
}

void Routers::HearOfAttempt(const RouterMessage& message) {
  Site& site = sites_[message.router];
  if (!site.closed.empty() && site.closed.contains(message.attempt)) return;
  if (message.on_attempt == RouterMessage::OnAttempt::kAccepted) {
    Relay(message.router, message);
    Step(message.router, router::AttemptAccepted{.job = message.job, .attempt = message.attempt});
    return SendPayload(message);
  }
  // Whoever has no payload has not started.
  const Held* const held = site.HeldBy(message.job, message.attempt);
  const bool begun = message.may_have_started && (held == nullptr || held->sent);
  const bool done = message.outcome == Outcome::kDone;
  Step(message.router,
       router::AttemptEnded{.job = message.job,
                            .attempt = message.attempt,
                            .worker = message.from.valid() ? WorkerId() : message.worker,
                            .router = message.from,
                            .outcome = message.outcome,
                            .answered = message.answered,
                            .may_have_started = begun,
                            .retry_after = Nanoseconds(message.retry_after_ns),
                            .import_full = message.import_full,
                            .message = {},
                            .result = done ? ResultOf(message.router, message.job) : router::once::Result()});
}

// What the record of a key says of the run: which submission it was.
router::once::Result Routers::ResultOf(RouterId router, JobId job) const {
  const Site& site = sites_[router];
  if (site.node->machine().job(job).facts.once == nullptr) return {};
  const auto text = std::make_shared<const std::string>(absl::StrCat(site.held[job].payload.serial));
  return {.end = text, .bytes = text};
}

void Routers::OnNote(std::uint32_t detail) {
  Hear(stage_.to_router[detail]);
  stage_.to_router.Free(detail);
}

void Routers::Hear(RouterNote& note) {
  const RouterId router = note.router;
  const Site& site = sites_[router];
  if (!site.node || (note.life != kAnyLife && note.life != site.life)) return;
  if (note.stream != 0 && note.stream != control_streams_[router]) return;
  if (note.serial != 0) {
    // Its stream is closed: a job that comes later is not told of it, and is answered to nobody.
    const auto found = site.of_users.find(note.serial);
    if (found != site.of_users.end()) Tell(router, router::ClientGone{found->second});
    return;
  }
  if (note.caller.router.valid()) {
    const JobId job = ForwardedBy(router, note.caller);
    if (!job.valid()) return;
    if (std::holds_alternative<router::JobWithdrawn>(note.event))
      return Tell(router, router::JobWithdrawn{job});
    return Tell(router, router::ClientGone{job});
  }
  if (const auto* offered = std::get_if<router::TableOffered>(&note.event)) {
    sites_[router].table = offered->table;
  }
  if (const auto* changed = std::get_if<router::FleetChanged>(&note.event)) {
    return on_fleet(router, changed->fleet);
  }
  Tell(router, note.event);
}

void Routers::OnWake(RouterId router, Life life) {
  Site& site = sites_[router];
  if (!site.node || site.life != life) return;
  if (site.wake.Due(stage_.Now())) Tell(router, router::NodeWake{});
}

JobId Routers::ForwardedBy(RouterId router, const Caller& caller) const {
  const Site& site = sites_[router];
  const auto found = site.forwarded.find({caller.router.value(), caller.attempt});
  if (found == site.forwarded.end()) return JobId();
  return site.held[found->second].caller.life == caller.life ? found->second : JobId();
}

// Nobody listens, or no room: the connection is refused, so it is certain that nothing has started.
void Routers::Refuse(const JobNote& note) {
  const RegionId region = places_[note.router];
  if (!note.caller.router.valid()) {
    const AnswerNote answer{.serial = note.payload.serial, .outcome = Outcome::kFailed};
    stage_.After(stage_.network.HereNs(region), Happening::kAnswerReaches, note.user,
                 stage_.to_user.Put(answer));
    return;
  }
  const auto delay = stage_.network.DelayNs(region, places_[note.caller.router]);
  RouterMessage& message =
      stage_.TellCaller(delay.value_or(kSilenceNs), note.caller, RouterMessage::OnAttempt::kEnded);
  message.from = note.router;
  message.may_have_started = !delay.has_value();
}

// A worker of this router started a job that another router asked for: that one must know.
void Routers::Relay(RouterId router, const RouterMessage& message) {
  const Held& held = sites_[router].held[message.job];
  if (!held.live || !held.caller.router.valid()) return;
  const auto delay = stage_.network.DelayNs(places_[router], places_[held.caller.router]);
  if (delay) stage_.TellCaller(*delay, held.caller, RouterMessage::OnAttempt::kAccepted);
}

void Routers::Perform(RouterId router, router::RouterAction& action) {
  if (auto* offer = std::get_if<router::OfferToWorker>(&action)) return Perform(router, *offer);
  if (auto* forward = std::get_if<router::ForwardToRouter>(&action)) return Perform(router, *forward);
  if (auto* withdraw = std::get_if<router::WithdrawAttempt>(&action)) return Perform(router, *withdraw);
  if (auto* end = std::get_if<router::EndJob>(&action)) return Perform(router, *end);
  if (auto* report = std::get_if<router::SendReport>(&action)) {
    if (on_report) on_report(router, *report);
  } else if (auto* decided = std::get_if<router::TableDecided>(&action)) {
    Site& site = sites_[router];
    if (decided->active && site.table) {
      if (!site.writes_lost) {
        site.table_kept = site.table;
        site.kept_by = stage_.releases.routers[router];
      }
      for (Observer* observer : stage_.observers) observer->OnTableActive(stage_.Now(), router, *site.table);
    }
    if (on_table_decided) on_table_decided(router, *decided);
  } else if (auto* ask = std::get_if<router::AskReplica>(&action)) {
    on_ask(router, *ask);
  } else if (auto* answer = std::get_if<router::AnswerOnce>(&action)) {
    on_once_answer(router, *answer);
  }
}

void Routers::Perform(RouterId router, router::ForwardToRouter& forward) {
  Site& site = sites_[router];
  Held& held = site.held[forward.job];
  held.attempt = forward.attempt;
  held.sent = true;
  const Caller caller{router, site.life, forward.job, forward.attempt};
  for (Observer* observer : stage_.observers) {
    observer->OnForwarded(stage_.Now(), router, forward.router, held.payload.serial);
  }
  const auto delay = stage_.network.DelayNs(places_[router], places_[forward.router]);
  if (!delay) {
    // Silence: nobody can say whether the job arrived.
    stage_.TellCaller(kSilenceNs, caller, RouterMessage::OnAttempt::kEnded).from = forward.router;
    return;
  }
  JobNote& note = stage_.SendJob(*delay, forward.router);
  note.life = kAnyLife;
  note.user = 0;
  note.caller = caller;
  note.payload = held.payload;
  note.facts = site.node->machine().job(forward.job).facts;
  note.facts.forwarded = true;
  note.facts.spilled = forward.route.reason == router::kSpillReason;
  note.facts.landing = forward.landing;
  if (stage_.wire == nullptr) return;
  const Way way = WayBetween(stage_, *delay, router, forward.router);
  RINGWAY_CHECK(stage_.wire->Carry(way, router, forward.router, forward, note.facts));
}

void Routers::Perform(RouterId router, router::EndJob& end) {
  Site& site = sites_[router];
  Held& held = site.held[end.job];
  RINGWAY_CHECK(held.live);
  held.live = false;
  site.free.push_back(end.job);
  if (held.caller.router.valid()) {
    site.forwarded.erase({held.caller.router.value(), held.caller.attempt});
  } else if (scenario_.users.leave_share > 0) {
    site.of_users.erase(held.payload.serial);
  }
  if (!held.caller.router.valid()) return AnswerUser(router, held, end);
  const auto delay = stage_.network.DelayNs(places_[router], places_[held.caller.router]);
  RouterMessage& message =
      stage_.TellCaller(delay.value_or(kSilenceNs), held.caller, RouterMessage::OnAttempt::kEnded);
  message.from = router;
  if (!delay) return;
  message.outcome = end.outcome;
  message.answered = true;
  message.may_have_started = end.trace.service > ZeroDuration();
  message.retry_after_ns = ToInt64Nanoseconds(end.retry_after);
  message.import_full = end.import_full;
}

void Routers::AnswerUser(RouterId router, const Held& held, const router::EndJob& end) {
  const RegionId region = places_[router];
  const bool here = end.trace.worker.valid() || !end.trace.router.valid();
  JobSerial done_by = held.payload.serial;
  if (end.result.end != nullptr) RINGWAY_CHECK(absl::SimpleAtoi(*end.result.end, &done_by));
  const AnswerNote answer{.serial = held.payload.serial,
                          .done_by = done_by,
                          .outcome = end.outcome,
                          .served_in = here ? region : places_[end.trace.router],
                          .attempts = end.trace.attempts,
                          .wait = end.trace.wait,
                          .delay = end.trace.delay,
                          .spilled = end.trace.route.reason == router::kSpillReason};
  stage_.After(stage_.network.HereNs(region), Happening::kAnswerReaches, held.user,
               stage_.to_user.Put(answer));
}

bool Routers::Wants(const Caller& caller) const {
  const Site& site = sites_[caller.router];
  return site.node && site.life == caller.life &&
         site.node->machine().job(caller.job).attempt == caller.attempt;
}

// As the daemon has it on disk by now: it writes soon after what it hears.
void Routers::Keep(Site& site) {
  if (site.node && !site.writes_lost) site.epoch_kept = site.node->machine().epoch_seen_max();
}

void Routers::LoseWrites(RouterId router, bool lost, bool wiped) {
  Site& site = sites_[router];
  Keep(site);
  site.writes_lost = lost;
  if (!lost || !wiped) return;
  site.table_kept = nullptr;
  site.epoch_kept = 0;
}

void Routers::Kill(RouterId router) {
  Site& site = sites_[router];
  if (!site.node) return;
  for (Observer* observer : stage_.observers) observer->OnRouterDied(stage_.Now(), router);
  Keep(site);
  if (stage_.tap != nullptr) stage_.tap->Died(router);
  site.node.reset();
  ++site.life;
  for (std::size_t i = 0; i < site.held.size(); ++i) {
    Held& held = site.held[JobId(i)];
    if (!std::exchange(held.live, false)) continue;
    const JobNote lost{
        .router = router, .user = held.user, .caller = held.caller, .payload = held.payload, .facts = {}};
    if (!held.caller.router.valid()) {
      Refuse(lost);  // the user sees the connection break
      continue;
    }
    const auto delay = stage_.network.DelayNs(places_[router], places_[held.caller.router]);
    stage_.TellCaller(delay.value_or(kSilenceNs), held.caller, RouterMessage::OnAttempt::kEnded).from =
        router;
  }
  // What it had asked other routers for is withdrawn there when the stream closes.
  for (std::size_t other = 0; other < sites_.size(); ++other) {
    Site& peer = sites_[RouterId(other)];
    if (!peer.node) continue;
    for (std::size_t i = 0; i < peer.held.size(); ++i) {
      const Held& held = peer.held[JobId(i)];
      if (held.live && held.caller.router == router) Tell(RouterId(other), router::ClientGone{JobId(i)});
    }
  }
}

void Routers::Revive(RouterId router) {
  Site& site = sites_[router];
  if (site.node) return;
  ++site.revived;
  for (Observer* observer : stage_.observers) observer->OnRouterStarted(stage_.Now(), router);
  Create(router);
  if (std::exchange(site.table, site.table_kept) != site.table_kept) {
    for (Observer* observer : stage_.observers) observer->OnOldDisk(stage_.Now(), router);
  }
  if (!site.table) return;
  router::TableOffered offered{.table = site.table, .from_disk = true};
  if (stage_.wire != nullptr) {
    const Way way = WayOf(stage_, 0, site.kept_by, stage_.releases.routers[router]);
    std::string refusal;
    if (!stage_.wire->Carry(way, router, *scenario_.fleet, offered, refusal)) return;
    site.table = offered.table;
  }
  Tell(router, offered);
}

}  // namespace ringway::sim
