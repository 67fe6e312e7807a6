#include "sim/fleet/control_plane.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/fleet/wire.h"
#include "sim/observers/observer.h"

namespace ringway::sim {
namespace {

// Until what was lost on a stream is sent again.
constexpr std::int64_t kRetryNs = 1'000'000'000;
constexpr std::uint64_t kBreaks = 0x6374726c;

}  // namespace

ControlPlane::ControlPlane(Stage& stage, const Scenario& scenario, Routers& routers, const Workers& workers,
                           Registries& registries, Leaders& leaders, RouterOrders& orders)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      workers_(workers),
      registries_(registries),
      reports_(stage, scenario, routers, workers, registries, leaders),
      told_(orders),
      messages_(stage, routers, workers),
      home_(0),
      file_(scenario.fleet),
      links_(routers.places().size()),
      breaks_(scenario.seed, kBreaks) {
  routers_.on_report = [this](RouterId router, const router::SendReport& report) {
    SendUp(router, controller::RouterReported{.report = reports_.Of(router, report)}, &report,
           told_.Told(router));
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
    reports_.Name(seen, WorkerId(i));
    directory->workers[place.region].push_back(
        {seen.name, seen.address, place.tier, Routers::NameOf(place.local), /*draining=*/false});
  }
  return {
      .epoch = 0, .tiers = {}, .fleet = scenario_.fleet, .table = nullptr, .directory = std::move(directory)};
}

void ControlPlane::Revive() {
  if (going_down_) Kill();
  if (node_) return;
  if (stage_.wire != nullptr && disk_) {
    // What cannot be read is as good as no state, once its operator has removed it.
    const Way way = WayOf(stage_, 0, disk_by_, stage_.releases.controller);
    if (!stage_.wire->Reread(way, *disk_)) disk_.reset();
  }
  controller::ControllerSettings settings;
  settings.epoch_period = Seconds(scenario_.epoch_period_s);
  settings.report_period = Seconds(scenario_.report_period_s);
  node_.emplace(controller::ControllerMachine(settings, file_, disk_.value_or(controller::DurableState{}),
                                              stage_.Now()),
                told_.ReadAudit());
  if (stage_.tap != nullptr) stage_.tap->ControllerBorn(file_);
  Persist();
  ++life_;
  wake_.Reset();
  ArmWake();
  for (std::size_t i = 0; i < links_.size(); ++i) Connect(RouterId(i));
  for (const controller::OperatorCommand& order : std::exchange(orders_, {})) Command(order);
}

void ControlPlane::Persist() {
  if (writes_lost_) return;
  disk_ = machine().Durable();
  disk_by_ = stage_.releases.controller;
}

void ControlPlane::LoseWrites(bool lost, bool wiped) {
  writes_lost_ = lost;
  if (!lost || !wiped) return;
  disk_.reset();
  told_.WipeAudit();
}

void ControlPlane::Kill() {
  if (node_ && stage_.tap != nullptr) stage_.tap->ControllerDied();
  node_.reset();
  going_down_ = false;
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
  if (stream == 0 || !node_) return;
  // Where nobody says so, its silence does.
  const auto delay = stage_.network.DelayNs(routers_.places()[router], home_);
  if (delay) {
    Reach(stage_.queue.now_ns() + *delay, controller::StreamClosed{stream});
  }
}

void ControlPlane::RouterRevived(RouterId router) {
  if (listens()) Connect(router);
}

void ControlPlane::Connect(RouterId router) {
  if (!routers_.alive(router)) return;
  EndStream(router);
  Link& link = links_[router];
  router_of_stream_.push_back(router);
  link.stream = router_of_stream_.size();
  routers_.UseControlStream(router, link.stream);
  const auto delay = stage_.network.DelayNs(routers_.places()[router], home_);
  if (!delay) return RetryLater(router);
  link.opened_ns = stage_.queue.now_ns() + *delay;
  Reach(link.opened_ns, controller::StreamOpened{link.stream});
  const auto stream = static_cast<std::uint32_t>(link.stream);
  if (routers_.paused_until_ns(router) > stage_.queue.now_ns()) {
    link.greeted = true;
    stage_.After(0, Happening::kStreamGreets, router.value(), stream);
  } else {
    OnStreamGreets(router, stream);
  }
}

void ControlPlane::OnStreamGreets(RouterId router, std::uint32_t stream) {
  Link& link = links_[router];
  if (!listens() || link.stream != stream) return;
  // With the stream's beginning, or on its own.
  std::int64_t at_ns = link.opened_ns;
  if (at_ns <= stage_.queue.now_ns()) {
    const auto delay = stage_.network.DelayNs(routers_.places()[router], home_);
    link.greeted = delay.has_value();
    if (!delay) return RetryLater(router);
    at_ns = stage_.queue.now_ns() + *delay;
  }
  controller::RouterHello hello;
  hello.incarnation = routers_.life(router);
  hello.router = Routers::NameOf(router);
  hello.region = routers_.places()[router];
  hello.address = absl::StrCat(hello.router, ":7410");
  hello.table = routers_.machine(router).table();
  link.greeted = true;
  Reach(at_ns, messages_.Up(router, at_ns - stage_.queue.now_ns(), *machine().fleet(),
                            controller::RouterConnected{stream, std::move(hello)}, nullptr));
}

// A stream loses nothing while it stands, so what was lost on the way is sent again.
void ControlPlane::RetryLater(RouterId router) {
  stage_.After(kRetryNs, Happening::kStreamRetried, router.value(),
               static_cast<std::uint32_t>(links_[router].stream));
}

void ControlPlane::OnStreamRetried(RouterId router, std::uint32_t stream) {
  Link& link = links_[router];
  if (!listens() || link.stream != stream) return;
  if (!link.greeted) return Connect(router);
  if (auto note = std::exchange(link.unsent, std::nullopt)) Deliver(router, *std::move(note));
}

bool ControlPlane::SendUp(RouterId router, controller::ControllerEvent event,
                          const router::SendReport* report, std::vector<controller::OrderTold> orders) {
  const Link& link = links_[router];
  if (link.stream == 0 || !node_) return true;
  const auto delay = stage_.network.DelayNs(routers_.places()[router], home_);
  if (!delay) return false;
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.stream; }) e.stream = link.stream;
      },
      event);
  const std::int64_t at_ns = stage_.queue.now_ns() + *delay;
  if (!orders.empty()) Reach(at_ns, controller::OrdersTold{link.stream, std::move(orders)});
  Reach(at_ns, messages_.Up(router, *delay, *machine().fleet(), std::move(event), report));
  return true;
}

void ControlPlane::Reach(std::int64_t at_ns, controller::NodeEvent event) {
  stage_.AtNs(at_ns, Happening::kReportReaches, life_, up_.Put(std::move(event)));
}

void ControlPlane::OnReport(Life life, std::uint32_t detail) {
  controller::NodeEvent event = up_.Take(detail);
  const auto* of_stream = std::get_if<controller::StreamEvent>(&event);
  if (going_down_ && of_stream != nullptr && std::holds_alternative<controller::StreamOpened>(*of_stream)) {
    return Refuse(std::get<controller::StreamOpened>(*of_stream).stream);
  }
  const bool heard = node_ && life == life_;
  if (heard) std::visit([this](const auto& e) { Step(e); }, event);
  auto* heard_event = std::get_if<controller::ControllerEvent>(&event);
  auto* reported = heard_event != nullptr ? std::get_if<controller::RouterReported>(heard_event) : nullptr;
  if (reported == nullptr || reported->stream == 0) return;
  const RouterId router = router_of_stream_[reported->stream - 1];
  if (heard) GiveMap(router);
  reports_.Return(router, std::move(reported->report.workers));
}

void ControlPlane::OnWakes(Life life) {
  if (node_ && life == life_ && wake_.Due(stage_.Now())) {
    Step(controller::Tick{});
  }
}

void ControlPlane::ArmWake() {
  const Time wake = node_->NextWake();
  if (wake_.Wants(wake)) stage_.At(wake, Happening::kControllerWakes, life_);
}

void ControlPlane::Command(controller::OperatorCommand command) {
  if (listens()) return Step(std::move(command));
  // One with a term would end later than its step.
  if (command.lasts == ZeroDuration()) orders_.push_back(std::move(command));
}

void ControlPlane::Sample(const controller::MetricSampled& sample) {
  if (node_) Step(sample);
}

void ControlPlane::Load(std::shared_ptr<const Fleet> file) {
  file_ = std::move(file);
  if (node_) Step(controller::TopologyLoaded{.fleet = file_, .text = ""});
}

void ControlPlane::Step(const controller::ControllerEvent& event) {
  node_->Step(stage_.Now(), event, *this);
  ArmWake();
}

void ControlPlane::Step(const controller::StreamEvent& event) {
  stage_.kinds.stream_events.Count(event);
  node_->Step(stage_.Now(), event, *this);
  ArmWake();
}

void ControlPlane::MachineStepped(Time now, const controller::ControllerEvent& event,
                                  const std::vector<controller::ControllerAction>& actions) {
  stage_.kinds.controller_events.Count(event);
  if (stage_.tap != nullptr) stage_.tap->ControllerStepped(now, actions, machine());
  for (const controller::ControllerAction& action : actions) {
    stage_.kinds.controller_actions.Count(action);
    const auto* sent = std::get_if<controller::SendTable>(&action);
    if (sent == nullptr) continue;
    for (Observer* observer : stage_.observers) observer->OnTablePublished(now, *sent->table);
  }
}

void ControlPlane::Perform(const controller::NodeAction& action) {
  stage_.kinds.controller_node_actions.Count(action);
  if (const auto* welcome = std::get_if<controller::SendWelcome>(&action)) {
    Welcome(*welcome);
  } else if (const auto* map = std::get_if<controller::SendMapTo>(&action)) {
    if (const auto router = RouterOf(map->stream)) GiveMap(*router);
  } else if (const auto* table = std::get_if<controller::SendTableTo>(&action)) {
    const auto router = RouterOf(table->stream);
    if (router) SendDown(*router, router::TableOffered{.table = table->table});
  } else if (const auto* directory = std::get_if<controller::SendDirectory>(&action)) {
    SendDirectory(*directory);
  } else if (const auto* end = std::get_if<controller::EndStream>(&action)) {
    End(*end);
  } else if (std::holds_alternative<controller::Persist>(action)) {
    Persist();
  } else if (const auto* recorded = std::get_if<controller::SendRecorded>(&action)) {
    if (const auto router = RouterOf(recorded->stream)) told_.Acknowledge(*router, *recorded, home_);
  } else if (const auto* entry = std::get_if<controller::AuditEntry>(&action)) {
    told_.Audit(*entry, !writes_lost_);
  } else if (const auto* made = std::get_if<controller::PlanMade>(&action)) {
    const planner::PlanFacts& facts = made->plan->facts;
    if (facts.rtt_cost_optimal <= 0) return;
    plan_cost_.rtt += facts.rtt_cost;
    plan_cost_.rtt_least += facts.rtt_cost_optimal;
  }
}

void ControlPlane::Welcome(const controller::SendWelcome& action) {
  const auto router = RouterOf(action.stream);
  if (!router) return;
  const bool sent = SendDown(
      *router,
      router::ControllerWelcomed{.epoch = action.epoch, .report_period = Seconds(scenario_.report_period_s)});
  links_[*router].welcomed = sent;
  if (sent) return;
  // Without one the router would never report; a stream on which none comes is dialled again.
  links_[*router].greeted = false;
  RetryLater(*router);
}

// What was lost is given with the next report, which shows that the stream stands.
void ControlPlane::GiveMap(RouterId router) {
  Link& link = links_[router];
  const std::shared_ptr<const Fleet>& map = machine().fleet();
  if (link.stream == 0 || map == (link.map != nullptr ? link.map : scenario_.fleet)) return;
  if (SendDown(router, router::FleetChanged{map})) link.map = map;
}

void ControlPlane::SendDirectory(const controller::SendDirectory& sent) {
  const auto router = RouterOf(sent.stream);
  if (!router || !routers_.alive(*router)) return;
  auto listing = messages_.Directory(*router, *machine().fleet(), *sent.directory);
  if (!listing) return;
  Deliver(*router, {.life = routers_.life(*router), .stream = sent.stream, .listing = *std::move(listing)});
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
bool ControlPlane::SendDown(RouterId router, router::RouterEvent event) {
  if (!routers_.alive(router)) return true;
  const auto delay = stage_.network.DelayNs(home_, routers_.places()[router]);
  if (!delay) return false;
  RouterNote note;
  note.router = router;
  note.life = routers_.life(router);
  note.event = std::move(event);
  note.stream = links_[router].stream;
  // That there is no controller any more is no message.
  if (!node_ || Read(router, *delay, note.event)) stage_.TellRouter(*delay, std::move(note));
  return true;
}

bool ControlPlane::Read(RouterId router, std::int64_t takes_ns, router::RouterEvent& event) {
  const auto* offered = std::get_if<router::TableOffered>(&event);
  const TableVersion version = offered != nullptr ? offered->table->version : TableVersion();
  std::string refusal;
  if (messages_.Down(router, takes_ns, *machine().fleet(), event, refusal)) return true;
  if (offered != nullptr) SendUp(router, controller::RouterAcked{.version = version, .refusal = refusal});
  return false;
}

std::optional<RouterId> ControlPlane::RouterOf(controller::StreamId stream) const {
  if (stream == 0 || stream > router_of_stream_.size()) return std::nullopt;
  const RouterId router = router_of_stream_[stream - 1];
  if (links_[router].stream != stream) return std::nullopt;
  return router;
}

}  // namespace ringway::sim
