#include "router/daemon/router_agent.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/wire/control_codec.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

constexpr Duration kBeat = Milliseconds(250);
constexpr Duration kPagePeriod = Seconds(1);

RegionId HomeIn(const Fleet& fleet, const std::string& region) {
  const auto home = fleet.world.FindRegion(region);
  RINGWAY_CHECK(home.has_value());
  return *home;
}

KnownFleet KnownFleetOf(const Fleet& fleet, const std::string& region) {
  KnownFleet known;
  known.fleet = std::make_shared<const Fleet>(fleet);
  known.retired.assign(fleet.tiers.size(), false);
  known.home = HomeIn(fleet, region);
  return known;
}

once::Settings OnceSettingsOf(const Settings& settings, std::uint64_t incarnation) {
  return {.router = settings.name,
          .life = incarnation,
          .alone = settings.controller.empty(),
          .bounds = settings.once};
}

CallSettings CallSettingsOf(const Settings& settings, std::uint64_t incarnation) {
  CallSettings calls = settings.calls;
  calls.incarnation = incarnation;
  return calls;
}

std::size_t PoolRequestsMax(const Settings& settings) {
  return settings.pool ? settings.pool->requests_max : 0;
}

// A name may have slashes ("eu-west-1/router0"); a file may not.
std::string StatePath(const Settings& settings) {
  std::string file = settings.name;
  std::replace(file.begin(), file.end(), '/', '_');
  return settings.state_dir.empty() ? "" : absl::StrCat(settings.state_dir, "/router-", file, ".state");
}

std::uint64_t IncarnationAfter(const LastLife& last) {
  return NextIncarnation(static_cast<std::uint64_t>(ToUnixMicros(runtime::WallNow())), last.incarnation);
}

RouterSettings MachineSettingsOf(const Settings& settings, RegionId home, std::size_t jobs_max,
                                 std::uint64_t incarnation) {
  return {.home = home,
          .name = settings.name,
          .jobs_max = jobs_max,
          .seed = settings.seed,
          .started = FromUnixMicros(static_cast<std::int64_t>(incarnation)),
          .offer_limit = settings.offer_limit,
          .once = OnceSettingsOf(settings, incarnation)};
}

// `fleet`: with the pool's tier, if there is a pool.
NodeSettings NodeSettingsOf(const Settings& settings, const KnownFleet& fleet, std::size_t jobs_max,
                            const LastLife& last, std::uint64_t incarnation) {
  NodeSettings node{.router = MachineSettingsOf(settings, fleet.home, jobs_max, incarnation),
                    .watch_max = settings.watch_max,
                    .self = LedgerSessions::kSelf,
                    .incarnation = incarnation,
                    .epoch_seen_max = last.epoch_seen_max};
  node.leader.ledger.routers_max = LedgerSessions::kRoutersMax;
  if (const auto plain = PoolTier(settings)) {
    TierLedger& pool = node.tiers.emplace_back();
    pool.tier = *fleet.fleet->FindTier(plain->tier);
    pool.leader = plain->settings;
    pool.leader.ledger.routers_max = LedgerSessions::kRoutersMax;
    pool.fixed = plain->fixed.has_value();
  }
  return node;
}

}  // namespace

RouterAgent::RouterAgent(runtime::EventLoop& loop, const Settings& settings, const Fleet& fleet,
                         bool learns_tiers, const runtime::Logger& log)
    : loop_(loop),
      settings_(settings),
      log_(log),
      learns_tiers_(learns_tiers),
      fleet_(KnownFleetOf(WithPoolTier(fleet, settings), settings.region)),
      addresses_(settings.fleet_token),
      metrics_(fleet_),
      last_life_(ReadLastLife(StatePath(settings), settings.region)),
      incarnation_(IncarnationAfter(last_life_)),
      jobs_(settings.calls.jobs_max + PoolRequestsMax(settings)),
      driver_(loop, NodeSettingsOf(settings_, fleet_, jobs_.jobs_max(), last_life_, incarnation_),
              fleet_.fleet, static_cast<NodePerformer&>(*this)),
      registry_(driver_.node().registry()),
      calls_(loop, streams_, CallSettingsOf(settings, incarnation_), jobs_, fleet_, addresses_, metrics_, log,
             [this](const RouterEvent& event) { driver_.Apply(event); }),
      sessions_(loop, streams_,
                {.router = settings.name,
                 .incarnation = incarnation_,
                 .seed = settings.seed,
                 .plain = PoolTier(settings),
                 .emulate_rtt = settings.calls.emulate_rtt},
                fleet_, addresses_, log, driver_.node(),
                [this](const TierHeard& heard) { driver_.Apply(heard); }),
      once_(loop, streams_, addresses_, [this](const RouterEvent& event) { driver_.Apply(event); }),
      orders_(settings.name, incarnation_, !settings.controller.empty()),
      operations_({.settings = settings_,
                   .fleet = fleet_,
                   .addresses = addresses_,
                   .registry = registry_,
                   .machine = driver_.machine(),
                   .calls = calls_,
                   .orders = orders_,
                   .log = log_}),
      disk_(StatePath(settings), log),
      beat_(loop, [this] { Beat(); }) {
  state_.set_region(settings.region);
  state_.set_incarnation(incarnation_);
  if (settings_.journal_bytes == 0) return;
  journal_ = std::make_unique<Recorder>(
      settings_.state_dir + "/journal", settings_.journal_bytes,
      MachineSettingsOf(settings_, fleet_.home, jobs_.jobs_max(), incarnation_), driver_.machine(), log_);
  journal_->Begin(runtime::MonotonicNow());
  driver_.Observe([this](Time now, const RouterEvent& event, const std::vector<RouterAction>& actions) {
    journal_->Note(now, event, actions);
  });
}

RouterAgent::~RouterAgent() = default;

void RouterAgent::Start(const std::string& address) {
  address_ = address;
  if (settings_.calls.emulate_rtt) {
    log_.Warning("forwarded messages are held back by the RTT of the regions (--emulate-rtt): a demo");
  }
  LoadLastGood();
  for (const std::string& worker : settings_.workers) {
    const WorkerId id = addresses_.WorkerAt(worker, runtime::MonotonicNow(), /*local=*/true);
    driver_.Apply(LocalWorkerNamed{id});
  }
  if (!settings_.controller.empty()) {
    link_ = std::make_unique<ControlLink>(loop_, streams_, settings_.controller, settings_.token,
                                          settings_.seed, log_, static_cast<ControlSink&>(*this), orders_);
  }
  Beat();
}

absl::StatusOr<std::string> RouterAgent::ListenForClients() {
  if (!settings_.pool) return std::string();
  pool_ = std::make_unique<HttpPool>(
      PoolSurroundings{.loop = loop_,
                       .streams = streams_,
                       .settings = settings_,
                       .incarnation = incarnation_,
                       .fleet = fleet_,
                       .addresses = addresses_,
                       .metrics = metrics_,
                       .sessions = sessions_,
                       .jobs = jobs_,
                       .registry = registry_,
                       .machine = driver_.machine(),
                       .log = log_,
                       .tell = [this](const RouterEvent& event) { driver_.Apply(event); },
                       .know = [this](const NodeEvent& event) { driver_.Apply(event); }});
  calls_.UseHttpWorkers(pool_->proxy());
  return pool_->Listen();
}

void RouterAgent::Perform(RouterAction& action) {
  if (auto* offer = std::get_if<OfferToWorker>(&action)) {
    jobs_.door(offer->job).Perform(*offer);
  } else if (auto* forward = std::get_if<ForwardToRouter>(&action)) {
    jobs_.door(forward->job).Perform(*forward);
  } else if (auto* withdraw = std::get_if<WithdrawAttempt>(&action)) {
    jobs_.door(withdraw->job).Perform(*withdraw);
  } else if (auto* end = std::get_if<EndJob>(&action)) {
    jobs_.door(end->job).Perform(*end);
  } else if (auto* report = std::get_if<SendReport>(&action)) {
    Do(*report);
  } else if (auto* decided = std::get_if<TableDecided>(&action)) {
    Do(*decided);
  } else if (auto* ask = std::get_if<AskReplica>(&action)) {
    once_.Perform(*ask);
  } else if (auto* answer = std::get_if<AnswerOnce>(&action)) {
    once_.Perform(*answer);
  }
}

void RouterAgent::Perform(const RegistryAction& action) {
  std::visit([this](const auto& a) { Do(a); }, action);
}

void RouterAgent::Perform(const NodeAction& action) {
  std::visit([this](const auto& a) { Do(a); }, action);
}

void RouterAgent::Do(const SendReport& report) {
  if (link_ == nullptr) return;
  v1::RouterMessage message;
  v1::Report& out = *message.mutable_report();
  out = EncodeReport(report, *fleet_.fleet, fleet_.retired);
  ReportWorkers(out);
  std::vector<RoundTrip> trips;
  driver_.node().ReportRoundTrips(runtime::MonotonicNow(), trips);
  for (const RoundTrip& trip : trips) *out.add_round_trips() = EncodeRoundTrip(trip, fleet_.fleet->world);
  if (pool_ != nullptr) pool_->Report(out);
  Operations::FillOrders(orders_, out);
  metrics_.CountReport();
  link_->Send(std::move(message));
}

void RouterAgent::Do(const TableDecided& decided) {
  metrics_.CountTable(decided.active);
  if (decided.active) {
    *state_.mutable_table() = offered_;
    table_since_ = runtime::MonotonicNow();
    unsaved_ = !decided.from_disk;
    log_.Debug(
        absl::StrCat("table active epoch=", decided.version.epoch, " version=", decided.version.version));
  } else {
    log_.Warning(absl::StrCat("table refused: ", decided.refusal));
  }
  if (!decided.from_disk) Acknowledge(decided);
}

void RouterAgent::BeginStop(std::function<void()> quiet) {
  quiet_ = std::move(quiet);
  stop_at_ = runtime::MonotonicNow() + settings_.drain_grace;
  driver_.Apply(DrainChanged{true});
  if (pool_ != nullptr) pool_->proxy().listener().Drain();
  CheckQuiet();
}

void RouterAgent::CheckQuiet() {
  if (!quiet_) return;
  const bool late = runtime::MonotonicNow() >= stop_at_;
  const std::size_t requests = pool_ == nullptr ? 0 : pool_->proxy().live();
  if (calls_.size() + requests > 0 && late) {
    log_.Warning(absl::StrCat(calls_.size() + requests, " jobs have not ended in time and are broken off"));
    calls_.BreakAll();
    if (pool_ != nullptr) pool_->proxy().BreakAll();
    stop_at_ = InfiniteFuture();
    return;
  }
  if (calls_.size() == 0 && calls_.streams.load() == 0 && requests == 0) std::exchange(quiet_, nullptr)();
}

void RouterAgent::Disconnect() {
  sessions_.Close();
  watches_.clear();
  link_.reset();
  once_.CancelAsks();
  calls_.CloseAttempts();
  if (pool_ != nullptr) pool_->CloseForwards();
}

void RouterAgent::Beat() {
  const Time now = runtime::MonotonicNow();
  const Duration age = table_since_ == InfinitePast() ? InfiniteDuration() : now - table_since_;
  metrics_.Show(driver_.machine(), link_ != nullptr && link_->connected(), calls_.size(), age);
  metrics_.Show(sessions_.Statuses());
  state_.set_epoch_seen_max(driver_.machine().epoch_seen_max());
  // A map is needed to read the rest.
  if (unsaved_ && state_.has_fleet_map() && disk_.Save(state_)) unsaved_ = false;
  SayLonely(now);
  fleet_.models = ModelsHeard(fleet_, addresses_, registry_);
  fleet_.pictures = PicturesHeard(fleet_, addresses_, registry_);
  show_.Tell(fleet_, addresses_, driver_.machine().workers());
  if (link_ != nullptr && now >= pages_at_) {
    pages_at_ = now + kPagePeriod;
    ReadPages();
  }
  CheckQuiet();
  beat_.Arm(now + kBeat);
}

}  // namespace ringway::router
