#include "sim/simulation.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "sim/fleet/wire.h"

namespace ringway::sim {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
// How many buckets before its turn one is brought near: its first chunk of events, the next one, the workers
// whose jobs end in it, and these jobs.
constexpr std::int64_t kBucketsToFirst = 10;
constexpr std::int64_t kBucketsToChain = 6;
constexpr std::int64_t kBucketsToWorker = 2;
constexpr std::int64_t kBucketsToJob = 1;
// A fleet of so many workers lies in the caches, and nothing has to be brought near.
constexpr std::size_t kWorkersInCache = 2048;

bool HasOrders(const Scenario& scenario) {
  return std::any_of(scenario.steps.begin(), scenario.steps.end(), [](const ScenarioStep& step) {
    return std::holds_alternative<OrderRouters>(step.fault);
  });
}

}  // namespace

IdVector<RouterId, RegionId> Simulation::PlaceRouters(const Scenario& scenario) {
  IdVector<RouterId, RegionId> routers;
  for (RegionId region(0); region != scenario.fleet->world.regions.end_id();
       region = RegionId(region.index() + 1)) {
    std::size_t workers = 0;
    for (const Tier& tier : scenario.fleet->tiers) {
      workers += static_cast<std::size_t>(std::max(0, tier.regions[region].workers));
    }
    // A router speaks for so many and no more; the rest would be in nobody's directory.
    constexpr std::size_t kEach = router::WorkerRegistry::kWorkersReportedMax;
    const auto wanted = static_cast<std::size_t>(scenario.routers_per_region);
    for (std::size_t i = 0; i < std::max(wanted, (workers + kEach - 1) / kEach); ++i)
      routers.push_back(region);
  }
  return routers;
}

IdVector<WorkerId, WorkerPlace> Simulation::PlaceWorkers(const Scenario& scenario,
                                                         const IdVector<RouterId, RegionId>& routers) {
  IdVector<RegionId, std::vector<RouterId>> routers_of(scenario.fleet->world.regions.size());
  for (std::size_t i = 0; i < routers.size(); ++i) routers_of[routers[RouterId(i)]].push_back(RouterId(i));
  IdVector<WorkerId, WorkerPlace> workers;
  for (RegionId region(0); region != routers_of.end_id(); region = RegionId(region.index() + 1)) {
    const std::vector<RouterId>& here = routers_of[region];
    for (TierId tier(0); tier != scenario.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
      const int count = scenario.fleet->tiers[tier].regions[region].workers;
      for (int i = 0; i < count; ++i) {
        workers.push_back({tier, region, here[static_cast<std::size_t>(i) % here.size()]});
      }
    }
  }
  return workers;
}

Simulation::Simulation(std::shared_ptr<const Scenario> scenario, const Slice& slice, Wire* wire, Tap* tap)
    : scenario_(std::move(scenario)),
      slice_(slice),
      stage_(*scenario_, slice.begins_ns(), tap),
      workers_(stage_, *scenario_, PlaceWorkers(*scenario_, PlaceRouters(*scenario_))),
      routers_(stage_, *scenario_, workers_, PlaceRouters(*scenario_)),
      leaders_(stage_, *scenario_, routers_, workers_),
      registries_(stage_, *scenario_, routers_, workers_),
      clients_(stage_, *scenario_, routers_),
      orders_(stage_, routers_, workers_, registries_),
      control_(stage_, *scenario_, routers_, workers_, registries_, leaders_, orders_),
      autoscaler_(stage_, *scenario_, workers_, control_),
      prometheus_(stage_, *scenario_, workers_, control_),
      once_(stage_, routers_),
      faults_(stage_, *scenario_,
              {clients_, routers_, workers_, leaders_, registries_, control_, once_, orders_}),
      tally_(*scenario_, workers_, slice),
      checkers_(workers_.count(), routers_.places().size()),
      recovery_(*scenario_, routers_, workers_, leaders_, slice.begins_s),
      agreement_(*scenario_, recovery_, routers_, workers_, leaders_, registries_),
      audit_(recovery_) {
  if (scenario_->wire) stage_.wire = wire;
  const bool former = scenario_->wire && scenario_->wire->begins_former;
  const Release begins = former ? Release::kFormer : Release::kPresent;
  stage_.releases = {.controller = begins,
                     .routers = IdVector<RouterId, Release>(routers_.places().size(), begins),
                     .workers = IdVector<WorkerId, Release>(workers_.count(), begins)};
  if (stage_.wire != nullptr) stage_.wire->Serve(routers_, workers_);
  Watch(&tally_);
  Watch(&checkers_);
  Watch(&recovery_);
  Watch(&agreement_);
  if (HasOrders(*scenario_)) Watch(&audit_);  // each observer costs whatever happens to a job
}

void Simulation::Begin() {
  leaders_.Begin();
  registries_.Begin();
  control_.Begin();
  autoscaler_.Begin();
  prometheus_.Begin();
  faults_.Begin();
  clients_.Begin();
  stage_.After(kSecondNs, Happening::kSecondPasses);
}

// In a large fleet an event of later was mostly written a service time ago, and so was what it is about.
void Simulation::LookAhead() {
  bucket_ = stage_.queue.bucket();
  stage_.queue.ForeseeBucket(kBucketsToFirst);
  stage_.queue.ForeseeChain(kBucketsToChain);
  stage_.queue.Foresee(kBucketsToWorker, [this](const SimEvent& event) {
    if (static_cast<Happening>(event.kind()) == Happening::kServiceEnds) {
      workers_.Foresee(WorkerId(event.subject));
    }
  });
  stage_.queue.Foresee(kBucketsToJob, [this](const SimEvent& event) { ForeseeJob(event); });
}

void Simulation::ForeseeJob(const SimEvent& event) const {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kJobReaches:
      return routers_.ForeseeArrival(RouterId(event.subject));
    case Happening::kServiceEnds: {
      const WorkerId worker(event.subject);
      const OfferNote& note = workers_.NoteOf(worker);
      if (note.caller.router.valid()) ForeseeAttempt(worker, note);
      return;
    }
    case Happening::kOfferReaches:
    case Happening::kUploadReaches:
      workers_.Foresee(WorkerId(event.subject));
      return ForeseeAttempt(WorkerId(event.subject), stage_.to_worker[event.detail]);
    case Happening::kWorkerWakes:
      return workers_.Foresee(WorkerId(event.subject));
    case Happening::kMessageReaches: {
      const RouterMessage& message = stage_.messages[event.detail];
      if (message.watch != 0) registries_.Foresee(message.router, message.worker);
      if (message.on_attempt != RouterMessage::OnAttempt::kNothing) {
        routers_.Foresee(message.router, message.job);
      }
      return;
    }
    default:
      return;
  }
}

void Simulation::ForeseeAttempt(WorkerId worker, const OfferNote& note) const {
  routers_.Foresee(note.caller.router, note.caller.job);
  for (const Observer* observer : stage_.observers) observer->Foresee(worker, note.payload.serial);
}

void Simulation::MarkWindow() {
  const std::int64_t now_ns = stage_.queue.now_ns();
  if (now_ns == slice_.from_ns()) began_ = Reached();
  if (now_ns != slice_.to_ns()) return;
  ended_ = Reached();
  over_ = true;
}

void Simulation::Run(const std::function<bool(double now_s)>& keep_going) {
  Begin();
  const auto end_ns = static_cast<std::int64_t>(scenario_->duration_s * 1e9);
  const bool looks_ahead = workers_.count() > kWorkersInCache;
  SimEvent event;
  while (stage_.Next(end_ns, event)) {
    if (looks_ahead && stage_.queue.bucket() != bucket_) LookAhead();
    ++events_;
    if (static_cast<Happening>(event.kind()) != Happening::kSecondPasses) {
      if (event.at_ns >= stage_.stopped_until_ns || !Held(event)) Dispatch(event);
      continue;
    }
    recovery_.OnSecond(stage_.Now(), checkers_);
    agreement_.OnSecond(stage_.Now(), checkers_);
    audit_.OnSecond(stage_.Now(), checkers_);
    ShowReading();
    for (Observer* observer : stage_.observers) observer->OnSecond(stage_.Now());
    stage_.After(kSecondNs, Happening::kSecondPasses);
    MarkWindow();
    if (SliceIsOver()) break;
    if (keep_going && !keep_going(static_cast<double>(event.at_ns) * 1e-9)) return clients_.End();
  }
  finished_ = true;
  clients_.End();
}

void Simulation::ShowReading() {
  for (RouterId router(0); router != routers_.places().end_id(); router = RouterId(router.index() + 1)) {
    if (!routers_.alive(router)) continue;
    const router::once::OnceMachine& once = routers_.machine(router).once();
    if (!once.on() || once.ready()) continue;
    for (Observer* observer : stage_.observers) observer->OnRouterReading(stage_.Now(), router);
  }
}

std::size_t Simulation::waiting(RouterId router) const {
  if (!routers_.alive(router)) return 0;
  std::size_t jobs = 0;
  for (std::size_t t = 0; t < scenario_->fleet->tiers.size(); ++t) {
    jobs += routers_.machine(router).tier(TierId(t)).held;
  }
  return jobs;
}

std::int64_t Simulation::HeldUntil(const SimEvent& event) const {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kJobReaches:
    case Happening::kMessageReaches:
    case Happening::kRouterHears:
    case Happening::kRouterWakes:
    case Happening::kDirectoryReaches:
    case Happening::kStreamRetried:
    case Happening::kStreamSilent:
    case Happening::kStreamGreets:
    case Happening::kStreamEnded:
    case Happening::kRouterOrdered:
    case Happening::kOrdersRecorded:
    case Happening::kWatchEnds:
    case Happening::kWatchReopens:
    case Happening::kAskReaches:
    case Happening::kReplyReaches:
    case Happening::kCallEnds:
      return routers_.paused_until_ns(RouterId(event.subject));
    case Happening::kLeaderHears:
    case Happening::kClientHears:
    case Happening::kLinkRetried:
    case Happening::kRegionLinkReaches:
    case Happening::kRegionLinkRetried:
    case Happening::kAnnouncedReach:
      return routers_.paused_until_ns(leaders_.RouterOf(event.subject));
    case Happening::kOfferReaches:
    case Happening::kUploadReaches:
    case Happening::kWithdrawReaches:
    case Happening::kCancelReaches:
    case Happening::kServiceEnds:
    case Happening::kWorkerWakes:
    case Happening::kFenceReaches:
    case Happening::kDrainReaches:
    case Happening::kWatchOpens:
    case Happening::kWatchFalls:
      return workers_.stalled_until_ns(WorkerId(event.subject));
    default:
      return 0;
  }
}

bool Simulation::Held(const SimEvent& event) {
  const std::int64_t until_ns = HeldUntil(event);
  if (until_ns <= event.at_ns) return false;
  stage_.queue.Push(until_ns, event.kind(), event.subject, event.detail);
  return true;
}

// A stopped worker reads late, and finds the streams closed whose routers did not wait.
void Simulation::OnOffer(const SimEvent& event) {
  OfferNote& offer = stage_.to_worker[event.detail];
  const WorkerId worker(event.subject);
  if (workers_.plain(worker)) offer.lease = {};  // it knows of none
  const bool read_late = workers_.stalled_until_ns(worker) == event.at_ns;
  if (!read_late || routers_.Wants(offer.caller)) workers_.OnOffer(worker, offer);
  stage_.to_worker.Free(event.detail);
}

// What follows an offer on its stream, or about it.
void Simulation::TellOffered(const SimEvent& event) {
  const Caller& caller = stage_.to_worker[event.detail].caller;
  const WorkerId worker(event.subject);
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kUploadReaches:
      workers_.OnAttempt<UploadEnded>(worker, caller);
      break;
    case Happening::kWithdrawReaches:
      workers_.OnAttempt<AttemptWithdrawn>(worker, caller);
      break;
    default:
      workers_.OnAttempt<AttemptCancelled>(worker, caller);
  }
  stage_.to_worker.Free(event.detail);
}

void Simulation::TellLeaders(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kLinkRetried:
      return leaders_.OnLinkRetried(event.subject, event.detail);
    case Happening::kRegionLinkReaches:
      return leaders_.OnRegionLinkReaches(event.subject, event.detail);
    case Happening::kRegionLinkRetried:
      return leaders_.OnRegionLinkRetried(event.subject, event.detail);
    case Happening::kAnnouncedReach:
      return leaders_.OnAnnounced(event.subject, event.detail);
    default:
      return leaders_.OnAnnounceRound();
  }
}

void Simulation::TellReplicas(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kAskReaches:
      return once_.OnAskReaches(event.detail);
    case Happening::kReplyReaches:
      return once_.OnReplyReaches(event.detail);
    default:
      return once_.OnCallEnds(event.detail);
  }
}

void Simulation::TellRegistries(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kWatchOpens:
      return registries_.OnWatchOpens(WorkerId(event.subject), event.detail);
    case Happening::kWatchEnds:
      return registries_.OnWatchEnds(RouterId(event.subject), event.detail);
    case Happening::kWatchReopens:
      return registries_.OnWatchReopens(RouterId(event.subject), event.detail);
    case Happening::kWatchFalls:
      return registries_.OnWatchFalls(WorkerId(event.subject), event.detail);
    default:
      return registries_.OnPoolsChecked();
  }
}

void Simulation::TellControl(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kDirectoryReaches:
      return control_.OnDirectory(RouterId(event.subject), event.detail);
    case Happening::kReportReaches:
      return control_.OnReport(event.subject, event.detail);
    case Happening::kStreamRetried:
      return control_.OnStreamRetried(RouterId(event.subject), event.detail);
    case Happening::kStreamSilent:
      return control_.OnStreamSilent(RouterId(event.subject), event.detail);
    case Happening::kStreamGreets:
      return control_.OnStreamGreets(RouterId(event.subject), event.detail);
    case Happening::kStreamEnded:
      return control_.OnStreamEnded(RouterId(event.subject), event.detail);
    case Happening::kControllerEnds:
      return control_.OnEnds(event.subject);
    default:
      return control_.OnWakes(event.subject);
  }
}

void Simulation::TellOperators(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kStepBegins:
      return faults_.OnBegins(event.subject, event.detail);
    case Happening::kStepEnds:
      return faults_.OnEnds(event.subject);
    case Happening::kRouterOrdered:
      return orders_.OnOrdered(RouterId(event.subject), event.detail);
    case Happening::kDrainReaches:
      return orders_.OnDrain(WorkerId(event.subject), event.detail == 1);
    default:
      return orders_.OnRecorded(RouterId(event.subject), event.detail);
  }
}

void Simulation::TellClients(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kUserArrives:
      return clients_.OnArrives(event.subject, event.detail);
    case Happening::kUserRetries:
      return clients_.OnRetries(event.subject);
    case Happening::kUserGivesUp:
      return clients_.OnGivesUp(event.subject, event.detail);
    case Happening::kUserLeaves:
      return clients_.OnLeaves(event.subject, event.detail);
    default:
      return clients_.OnAnswer(event.subject, event.detail);
  }
}

void Simulation::Dispatch(const SimEvent& event) {
  switch (static_cast<Happening>(event.kind())) {
    case Happening::kUserArrives:
    case Happening::kUserRetries:
    case Happening::kUserGivesUp:
    case Happening::kUserLeaves:
    case Happening::kAnswerReaches:
      return TellClients(event);
    case Happening::kJobReaches:
      return routers_.OnJob(event.detail);
    case Happening::kMessageReaches:
      return routers_.OnMessage(event.detail);
    case Happening::kRouterHears:
      return routers_.OnNote(event.detail);
    case Happening::kRouterWakes:
      return routers_.OnWake(RouterId(event.subject), static_cast<Life>(event.detail));
    case Happening::kOfferReaches:
      return OnOffer(event);
    case Happening::kUploadReaches:
    case Happening::kWithdrawReaches:
    case Happening::kCancelReaches:
      return TellOffered(event);
    case Happening::kServiceEnds:
      return workers_.OnServiceEnds(WorkerId(event.subject), event.detail);
    case Happening::kWorkerWakes:
      return workers_.OnWake(WorkerId(event.subject));
    case Happening::kFenceReaches:
      return workers_.OnFence(WorkerId(event.subject), stage_.to_fence.Take(event.detail));
    case Happening::kWatchOpens:
    case Happening::kWatchEnds:
    case Happening::kWatchReopens:
    case Happening::kWatchFalls:
    case Happening::kPoolsChecked:
      return TellRegistries(event);
    case Happening::kLeaderHears:
      return leaders_.OnLeaderHears(event.subject, event.detail);
    case Happening::kClientHears:
      return leaders_.OnClientHears(event.subject, event.detail);
    case Happening::kLinkRetried:
    case Happening::kRegionLinkReaches:
    case Happening::kRegionLinkRetried:
    case Happening::kAnnouncedReach:
    case Happening::kAnnounceRound:
      return TellLeaders(event);
    case Happening::kAskReaches:
    case Happening::kReplyReaches:
    case Happening::kCallEnds:
      return TellReplicas(event);
    case Happening::kDirectoryReaches:
    case Happening::kReportReaches:
    case Happening::kStreamRetried:
    case Happening::kStreamSilent:
    case Happening::kStreamGreets:
    case Happening::kStreamEnded:
    case Happening::kControllerWakes:
    case Happening::kControllerEnds:
      return TellControl(event);
    case Happening::kMetricsAsked:
      return prometheus_.OnAsked();
    case Happening::kScalingRound:
    case Happening::kWorkerReady:
      return autoscaler_.On(event);
    case Happening::kSecondPasses:
      return;
    default:
      return TellOperators(event);
  }
}

}  // namespace ringway::sim
