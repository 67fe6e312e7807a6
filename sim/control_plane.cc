#include "sim/control_plane.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/observer.h"

namespace ringway::sim {
namespace {

// Until what was lost on a stream is sent again.
constexpr std::int64_t kRetryNs = 1'000'000'000;
constexpr std::uint64_t kBreaks = 0x6374726c;

}  // namespace

ControlPlane::ControlPlane(Stage& stage, const Scenario& scenario, Routers& routers, const Workers& workers,
                           Registries& registries, Leaders& leaders)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      workers_(workers),
      registries_(registries),
      leaders_(leaders),
      home_(0),
      file_(scenario.fleet),
      links_(routers.places().size()),
      frozen_(scenario.fleet->world.regions.size(), false),
      breaks_(scenario.seed, kBreaks) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    router_named_[Routers::NameOf(RouterId(i))] = RouterId(i);
  }
  routers_.on_report = [this](RouterId router, const router::SendReport& report) {
    SendReport(router, report);
  };
  routers_.on_table_decided = [this](RouterId router, const router::TableDecided& decided) {
    if (decided.from_disk) return;
    SendUp(router, controller::RouterAcked{
                       .version = decided.version, .active = decided.active, .refusal = decided.refusal});
  };
}

void ControlPlane::Begin() {
  if (!scenario_.controller) return;
  // A run begins in the life of a fleet, not with its first start, when no router has reported any worker
  // yet.
  disk_ = LastLife();
  Revive();
}

controller::DurableState ControlPlane::LastLife() const {
  const std::size_t regions = scenario_.fleet->world.regions.size();
  auto directory = std::make_shared<controller::Directory>();
  directory->workers.resize(regions);
  directory->leaders.resize(regions);
  for (std::size_t i = 0; i < routers_.places().size(); ++i) {
    const std::string name = Routers::NameOf(RouterId(i));
    directory->routers.push_back({name, routers_.places()[RouterId(i)], absl::StrCat(name, ":7410")});
  }
  directory->view = Registries::kFirstView;
  controller::WorkerSeen seen;
  for (std::size_t i = 0; i < workers_.count(); ++i) {
    const WorkerPlace& place = workers_.places()[WorkerId(i)];
    if (workers_.plain(WorkerId(i))) continue;
    Name(seen, WorkerId(i));
    directory->workers[place.region].push_back(
        {seen.name, seen.address, place.tier, Routers::NameOf(place.local), /*draining=*/false});
  }
  return {
      .epoch = 0, .tiers = {}, .fleet = scenario_.fleet, .table = nullptr, .directory = std::move(directory)};
}

void ControlPlane::Revive() {
  if (machine_) return;
  controller::ControllerSettings settings;
  settings.epoch_period = Seconds(scenario_.epoch_period_s);
  settings.report_period = Seconds(scenario_.report_period_s);
  machine_.emplace(settings, file_, disk_.value_or(controller::DurableState{}), stage_.Now());
  disk_ = machine_->Durable();
  ++life_;
  wake_.Reset();
  ArmWake();
  for (std::size_t i = 0; i < links_.size(); ++i) Connect(RouterId(i));
  for (const controller::OperatorCommand& order : std::exchange(orders_, {})) Step(order);
}

void ControlPlane::Kill() {
  machine_.reset();
  ++life_;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const RouterId router(i);
    Link& link = links_[router];
    if (link.stream == 0) continue;
    if (SendDown(router, router::ControllerLost{})) {
      link.stream = 0;
      link.welcomed = false;
    } else {
      // Nobody says so: keepalive finds out.
      stage_.After(kSilenceNs, Happening::kStreamSilent, router.value(),
                   static_cast<std::uint32_t>(link.stream));
    }
  }
}

void ControlPlane::RouterDied(RouterId router) {
  Link& link = links_[router];
  link.map = nullptr;
  link.welcomed = false;
  const controller::StreamId stream = std::exchange(link.stream, 0);
  if (stream == 0 || !machine_) return;
  const auto delay = stage_.network.DelayNs(routers_.places()[router], home_);
  controller::ControllerEvent event = controller::RouterDisconnected{stream};
  stage_.After(delay.value_or(kSilenceNs), Happening::kReportReaches, life_, up_.Put(std::move(event)));
}

void ControlPlane::RouterRevived(RouterId router) {
  if (machine_) Connect(router);
}

void ControlPlane::Connect(RouterId router) {
  if (!routers_.alive(router)) return;
  EndStream(router);
  Link& link = links_[router];
  router_of_stream_.push_back(router);
  link.stream = router_of_stream_.size();
  routers_.UseControlStream(router, link.stream);
  controller::RouterHello hello;
  hello.incarnation = routers_.life(router);
  hello.router = Routers::NameOf(router);
  hello.region = routers_.places()[router];
  hello.address = absl::StrCat(hello.router, ":7410");
  hello.table = routers_.machine(router).table();
  link.greeted = SendUp(router, controller::RouterConnected{.hello = std::move(hello)});
  if (!link.greeted) RetryLater(router);
}

// A stream loses nothing while it stands, so what was lost on the way is sent again.
void ControlPlane::RetryLater(RouterId router) {
  stage_.After(kRetryNs, Happening::kStreamRetried, router.value(),
               static_cast<std::uint32_t>(links_[router].stream));
}

void ControlPlane::OnStreamRetried(RouterId router, std::uint32_t stream) {
  Link& link = links_[router];
  if (!machine_ || link.stream != stream) return;
  if (!link.greeted) return Connect(router);
  if (auto note = std::exchange(link.unsent, std::nullopt)) Deliver(router, *std::move(note));
}

bool ControlPlane::SendUp(RouterId router, controller::ControllerEvent event) {
  const Link& link = links_[router];
  if (link.stream == 0 || !machine_) return true;
  const auto delay = stage_.network.DelayNs(routers_.places()[router], home_);
  if (!delay) return false;
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.stream; }) e.stream = link.stream;
      },
      event);
  stage_.After(*delay, Happening::kReportReaches, life_, up_.Put(std::move(event)));
  return true;
}

// A worker's name is its own, whoever reports it; in the order of their numbers, as the controller sorts
// them.
void ControlPlane::Name(controller::WorkerSeen& seen, WorkerId worker) const {
  const WorkerPlace& place = workers_.places()[worker];
  seen.name = absl::StrFormat("r%d/%06d", place.local.value(), worker.index());
  seen.address = seen.name;
  seen.tier = place.tier;
}

// The list of the last report comes back when the controller has read it; names are written anew only where
// the list is about others.
std::vector<controller::WorkerSeen> ControlPlane::SeeWorkers(RouterId router) {
  Link& link = links_[router];
  reported_.clear();
  registries_.Report(router, reported_);
  // A tier that the fleet does not have is not read (controller/wire/report_codec.cc).
  std::erase_if(reported_, [&](const router::WorkerReported& said) {
    return !workers_.TierSaid(workers_.Global(routers_.places()[router], said.worker)).valid();
  });
  std::vector<controller::WorkerSeen> workers = std::exchange(link.workers, {});
  const bool same = workers.size() == link.reported.size();
  workers.resize(reported_.size());
  link.reported.resize(reported_.size());
  for (std::size_t i = 0; i < reported_.size(); ++i) {
    const router::WorkerReported& said = reported_[i];
    const WorkerId worker = workers_.Global(routers_.places()[router], said.worker);
    controller::WorkerSeen& seen = workers[i];
    if (!same || link.reported[i] != worker) Name(seen, worker);
    link.reported[i] = worker;
    seen.healthy = said.healthy;
    seen.draining = said.draining;
    seen.busy = said.busy;
    seen.adopted = said.adopted;
    seen.busy_s = ToDoubleSeconds(said.busy_time);
    seen.plain = false;
  }
  SeePools(router, workers);
  if (frozen_[routers_.places()[router]]) {
    FreezeBusy(link.frozen_busy_s, workers);
  } else {
    link.frozen_busy_s.clear();
  }
  return workers;
}

// How busy they are stays as it was in the first report of the freeze; whether they live is no metric.
void ControlPlane::FreezeBusy(std::vector<double>& busy_s, std::vector<controller::WorkerSeen>& workers) {
  const bool others = busy_s.size() != workers.size();
  busy_s.resize(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (others) busy_s[i] = workers[i].busy_s;
    workers[i].busy_s = busy_s[i];
  }
}

// The leader reports a pool, once for all of its routers; while it is not heard of, whoever knows it does
// (router/daemon/http_pool.cc). Plain servers do not say how busy they are: leases do.
void ControlPlane::SeePools(RouterId router, std::vector<controller::WorkerSeen>& workers) const {
  const RegionId region = routers_.places()[router];
  for (TierId tier(0); tier != scenario_.fleet->tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const bool holds = leaders_.Holds(router, tier);
    if (!scenario_.service[tier].plain || (leaders_.Hears(router, tier) && !holds)) continue;
    double share = routers_.machine(router).workers().BusyShare(tier);
    if (holds) {
      const ledger::LedgerView view = leaders_.View(router, tier);
      const auto leased = static_cast<double>(view.leased);
      share = leased / std::max(1.0, leased + static_cast<double>(view.idle));
    }
    const auto [begin, end] = workers_.Range(region, tier);
    for (WorkerId worker = begin; worker != end; worker = WorkerId(worker.index() + 1)) {
      controller::WorkerSeen& seen = workers.emplace_back();
      Name(seen, worker);
      seen.healthy = registries_.Well(router, workers_.InRegion(worker));
      seen.busy_s = share * scenario_.report_period_s;
      seen.plain = true;
    }
  }
}

void ControlPlane::SendReport(RouterId router, const router::SendReport& sent) {
  controller::RouterReport report;
  report.sequence = sent.sequence;
  report.period_s = ToDoubleSeconds(sent.period);
  report.table = sent.table;
  report.epoch_seen_max = sent.epoch_seen_max;
  for (TierId tier(0); tier != sent.tiers.end_id(); tier = TierId(tier.index() + 1)) {
    const dispatch::TrafficCounters& counts = sent.tiers[tier].counters;
    controller::TierCounts out;
    out.tier = tier;
    out.entered = counts.entered;
    for (RegionId region(0); region != counts.sent.end_id(); region = RegionId(region.index() + 1)) {
      if (counts.sent[region] > 0) out.sent.push_back({region, counts.sent[region]});
    }
    out.done = counts.done;
    out.offers = counts.attempts;
    out.busy = counts.busy;
    out.failed = counts.failed;
    out.timeouts = counts.timeouts;
    out.cancelled = counts.cancelled;
    out.shed = counts.shed;
    out.spilled = counts.spilled;
    out.waiting = sent.tiers[tier].waiting;
    out.wait_s_sum = ToDoubleSeconds(counts.wait);
    out.service_s_sum = ToDoubleSeconds(counts.service);
    out.ran = counts.ran;
    out.held_s_sum = ToDoubleSeconds(counts.held);
    out.own_done = counts.own_done;
    out.own_lost = counts.own_lost;
    report.tiers.push_back(std::move(out));
  }
  report.workers = SeeWorkers(router);
  trips_.clear();
  routers_.reporter(router).ReportRoundTrips(stage_.Now(), trips_);
  for (const router::RoundTrip& trip : trips_) {
    report.round_trips.push_back({trip.to, ToDoubleMilliseconds(trip.time)});
  }
  SendUp(router, controller::RouterReported{.report = std::move(report)});
}

void ControlPlane::OnReport(Life life, std::uint32_t detail) {
  controller::ControllerEvent event = up_.Take(detail);
  if (machine_ && life == life_) Step(event);
  auto* reported = std::get_if<controller::RouterReported>(&event);
  if (reported == nullptr || reported->stream == 0) return;
  const RouterId router = router_of_stream_[reported->stream - 1];
  Link& link = links_[router];
  if (machine_ && life == life_) GiveMap(router);
  if (link.workers.empty()) link.workers = std::move(reported->report.workers);
}

void ControlPlane::OnWakes(Life life) {
  if (machine_ && life == life_ && wake_.Due(stage_.Now())) Step(controller::Tick{});
}

void ControlPlane::ArmWake() {
  const Time wake = machine_->NextWake();
  if (wake_.Wants(wake)) stage_.At(wake, Happening::kControllerWakes, life_);
}

void ControlPlane::Command(controller::OperatorCommand command) {
  if (machine_) return Step(command);
  // One with a term would end later than its step.
  if (command.lasts == ZeroDuration()) orders_.push_back(std::move(command));
}

void ControlPlane::Sample(const controller::MetricSampled& sample) {
  if (machine_) Step(sample);
}

void ControlPlane::Load(std::shared_ptr<const Fleet> file) {
  file_ = std::move(file);
  if (machine_) Step(controller::TopologyLoaded{.fleet = file_, .text = ""});
}

void ControlPlane::Step(const controller::ControllerEvent& event) {
  std::vector<controller::ControllerAction> actions;
  stage_.kinds.controller_events.Count(event);
  machine_->Step(stage_.Now(), event, actions);
  for (const controller::ControllerAction& action : actions) {
    stage_.kinds.controller_actions.Count(action);
    Perform(action);
  }
  ArmWake();
}

void ControlPlane::Perform(const controller::ControllerAction& action) {
  if (const auto* welcome = std::get_if<controller::SendWelcome>(&action)) {
    const auto router = RouterOf(welcome->stream);
    if (!router) return;
    const bool sent =
        SendDown(*router, router::ControllerWelcomed{.epoch = welcome->epoch,
                                                     .report_period = Seconds(scenario_.report_period_s)});
    links_[*router].welcomed = sent;
    if (sent) return;
    // Without one the router would never report; a stream on which none comes is dialled again.
    links_[*router].greeted = false;
    RetryLater(*router);
  } else if (const auto* sent = std::get_if<controller::SendTable>(&action)) {
    for (Observer* observer : stage_.observers) observer->OnTablePublished(stage_.Now(), *sent->table);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[RouterId(i)].stream != 0 && sent->For(links_[RouterId(i)].stream))
        SendDown(RouterId(i), router::TableOffered{.table = sent->table});
    }
  } else if (std::holds_alternative<controller::SendMap>(action)) {
    for (std::size_t i = 0; i < links_.size(); ++i) GiveMap(RouterId(i));
  } else if (const auto* directory = std::get_if<controller::SendDirectory>(&action)) {
    SendDirectory(*directory);
  } else if (std::holds_alternative<controller::SaveState>(action)) {
    disk_ = machine_->Durable();
  } else if (const auto* made = std::get_if<controller::PlanMade>(&action)) {
    ++plans_;
    const planner::PlanFacts& facts = made->plan->facts;
    if (facts.rtt_cost_optimal > 0) {
      rtt_cost_ += facts.rtt_cost;
      rtt_cost_optimal_ += facts.rtt_cost_optimal;
    }
  } else if (const auto* closed = std::get_if<controller::CloseStream>(&action)) {
    if (const auto router = RouterOf(closed->stream)) Connect(*router);
  }
}

// What was lost is given with the next report, which shows that the stream stands.
void ControlPlane::GiveMap(RouterId router) {
  Link& link = links_[router];
  const std::shared_ptr<const Fleet>& map = machine_->fleet();
  if (link.stream == 0 || map == (link.map != nullptr ? link.map : scenario_.fleet)) return;
  if (SendDown(router, router::FleetChanged{map})) link.map = map;
}

void ControlPlane::SendDirectory(const controller::SendDirectory& sent) {
  const auto router = RouterOf(sent.stream);
  if (!router || !routers_.alive(*router)) return;
  DirectoryNote note{
      .life = routers_.life(*router),
      .stream = sent.stream,
      .listing = {.epoch = sent.directory->version.epoch, .given = GivenTo(*router, *sent.directory)}};
  if (sent.directory->leaders.contains(sent.region)) {
    for (const controller::LeaderEntry& entry : sent.directory->leaders[sent.region]) {
      const auto leader = router_named_.find(entry.router);
      const RouterId named = leader != router_named_.end() ? leader->second : RouterId();
      note.listing.leaders.here.push_back({entry.tier,
                                           {.router = named,
                                            .self = named == *router,
                                            .incarnation = entry.incarnation,
                                            .address = {},
                                            .fence = entry.fence,
                                            .fresh = entry.fresh}});
    }
  }
  for (RegionId r(0); r != sent.directory->leaders.end_id(); r = RegionId(r.index() + 1)) {
    if (r == sent.region) continue;
    for (const controller::LeaderEntry& entry : sent.directory->leaders[r]) {
      const auto leader = router_named_.find(entry.router);
      if (leader != router_named_.end())
        note.listing.leaders.elsewhere.push_back({entry.tier, {.region = r, .router = leader->second}});
    }
  }
  Deliver(*router, std::move(note));
}

void ControlPlane::Deliver(RouterId router, DirectoryNote note) {
  Link& link = links_[router];
  link.unsent.reset();
  const auto delay = stage_.network.DelayNs(home_, routers_.places()[router]);
  if (!delay) {
    link.unsent = std::move(note);
    return RetryLater(router);
  }
  link.directory_ns = std::max(link.directory_ns + 1, stage_.queue.now_ns() + *delay);
  stage_.AtNs(link.directory_ns, Happening::kDirectoryReaches, router.value(),
              directories_.Put(std::move(note)));
}

void ControlPlane::OnDirectory(RouterId router, std::uint32_t detail) {
  const DirectoryNote note = directories_.Take(detail);
  const bool stands = note.stream == routers_.control_stream(router);
  if (stands && routers_.alive(router) && routers_.life(router) == note.life) {
    registries_.Direct(router, note.listing);
  }
}

// Each directory goes to many routers, and most leave the view as it was.
const router::once::ViewPtr& ControlPlane::ViewOf(const controller::Directory& directory) {
  const TableVersion known = view_ ? TableVersion{view_->id.epoch, view_->id.version} : TableVersion();
  if (directory.view.version == 0) {
    view_ = nullptr;
  } else if (!view_ || known != directory.view) {
    std::vector<std::string> names;
    for (const controller::RouterEntry& entry : directory.routers) names.push_back(entry.name);
    std::vector<router::once::KnownView> before;
    for (const controller::PastView& past : directory.before) {
      before.push_back({.view = router::once::MakeView(past.number, past.routers), .left = past.left});
    }
    view_ = router::once::MakeView(directory.view, std::move(names), std::move(before));
  }
  return view_;
}

// Names become numbers, as the daemon makes them (router/daemon/agent_workers.cc).
std::shared_ptr<const router::DirectoryGiven> ControlPlane::GivenTo(RouterId router,
                                                                    const controller::Directory& directory) {
  auto given = std::make_shared<router::DirectoryGiven>();
  given->partial = directory.partial;
  given->view = ViewOf(directory);
  for (const controller::RouterEntry& entry : directory.routers) {
    const auto found = router_named_.find(entry.name);
    if (found != router_named_.end()) given->routers.push_back({found->second, entry.region, entry.name});
  }
  const RegionId region = routers_.places()[router];
  if (!directory.workers.contains(region)) return given;
  const std::string name = Routers::NameOf(router);
  for (const controller::WorkerEntry& entry : directory.workers[region]) {
    std::size_t number = 0;
    RINGWAY_CHECK(absl::SimpleAtoi(entry.name.substr(entry.name.find('/') + 1), &number));
    given->workers.push_back(
        {workers_.InRegion(WorkerId(number)), entry.tier, entry.router == name, entry.draining});
  }
  return given;
}

bool ControlPlane::SendDown(RouterId router, router::RouterEvent event) {
  if (!routers_.alive(router)) return true;
  const auto delay = stage_.network.DelayNs(home_, routers_.places()[router]);
  if (!delay) return false;
  RouterNote note;
  note.router = router;
  note.life = routers_.life(router);
  note.event = std::move(event);
  note.stream = links_[router].stream;
  stage_.TellRouter(*delay, std::move(note));
  return true;
}

std::optional<RouterId> ControlPlane::RouterOf(controller::StreamId stream) const {
  if (stream == 0 || stream > router_of_stream_.size()) return std::nullopt;
  const RouterId router = router_of_stream_[stream - 1];
  if (links_[router].stream != stream) return std::nullopt;
  return router;
}

}  // namespace ringway::sim
