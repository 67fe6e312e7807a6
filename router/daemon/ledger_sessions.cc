#include "router/daemon/ledger_sessions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/address.h"
#include "core/check.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

LeaderSettings SettingsOfLeader(std::size_t routers_max) {
  LeaderSettings settings;
  settings.ledger.routers_max = routers_max;
  return settings;
}

}  // namespace

LedgerSessions::LedgerSessions(runtime::EventLoop& loop, StreamCount& client_streams,
                               SessionsSettings settings, const KnownFleet& fleet, AddressTable& addresses,
                               const runtime::Logger& log, Tell tell)
    : loop_(loop),
      client_streams_(client_streams),
      settings_(std::move(settings)),
      fleet_(fleet),
      addresses_(addresses),
      log_(log),
      tell_(std::move(tell)),
      self_(NumberOf(settings_.router)) {
  numbers_.Came(self_);
}

LedgerSessions::~LedgerSessions() = default;

LedgerSessions::Endpoint& LedgerSessions::EndpointOf(TierId tier) {
  Endpoint& endpoint = endpoints_[tier];
  if (endpoint.session != nullptr) return endpoint;
  const Tier& spec = fleet_.fleet->tiers[tier];
  LeaderSettings leader = SettingsOfLeader(kRoutersMax);
  if (spec.dispatch.waiting_max == 0) leader.ledger.waiting_max = 0;
  if (settings_.plain && settings_.plain->tier == spec.name) {
    leader = settings_.plain->settings;
    leader.ledger.routers_max = kRoutersMax;
  }
  endpoint.session = std::make_unique<SessionDriver>(
      loop_,
      LedgerSession(
          {.tier = tier, .self = self_, .incarnation = settings_.incarnation, .leader = std::move(leader)}),
      LeaderWake{},
      [this, tier](SessionAction& action) { std::visit([this, tier](auto& a) { Do(tier, a); }, action); });
  return endpoint;
}

RouterId LedgerSessions::NumberOf(const std::string& router) {
  return numbers_.NumberOf(router, [this](RouterId number) {
    return std::any_of(endpoints_.begin(), endpoints_.end(), [number](const auto& endpoint) {
      return endpoint.second.session != nullptr &&
             endpoint.second.session->machine().leadership().CountsOn(number);
    });
  });
}

// ---- the directory ----

void LedgerSessions::UseDirectory(const v1::Directory& directory) {
  std::map<std::string, std::string> addresses;
  for (const v1::RouterEntry& router : directory.routers()) {
    if (IsCallable(router.address())) addresses[router.name()] = router.address();
  }
  std::set<TierId> named;
  for (const v1::LeaderEntry& entry : directory.leaders()) {
    const auto tier = fleet_.fleet->FindTier(entry.tier());
    // A map that has it will come; and a directory does not move what is fixed.
    if (!tier || IsFixed(entry.tier()) || !named.insert(*tier).second) continue;
    Name(*tier, entry, addresses[entry.router()]);
  }
  for (auto& [tier, endpoint] : endpoints_) {
    if (directory.partial()) break;  // the controller has appointed nobody yet
    if (named.contains(tier) || IsFixed(fleet_.fleet->tiers[tier].name)) continue;
    endpoint.leader.clear();
    endpoint.session->Apply(NoLeaderNamed{});
  }
  NameElsewhere(directory, addresses);
  TellQueued();
}

void LedgerSessions::NameElsewhere(const v1::Directory& directory,
                                   const std::map<std::string, std::string>& addresses) {
  std::map<TierId, LeadersElsewhere> elsewhere;
  for (const v1::LeaderEntry& entry : directory.leaders_elsewhere()) {
    const auto tier = fleet_.fleet->FindTier(entry.tier());
    const auto region = fleet_.fleet->world.FindRegion(entry.region());
    const auto address = addresses.find(entry.router());
    if (!tier || !region || *region == fleet_.home || address == addresses.end()) continue;
    const RouterId router = addresses_.RouterNamed(entry.router(), address->second);
    elsewhere[*tier].leaders.push_back({*region, router, address->second});
  }
  for (auto& [tier, endpoint] : endpoints_) endpoint.session->Apply(elsewhere[tier]);
}

void LedgerSessions::UseFixedLeader() {
  if (!settings_.plain || !IsFixed(settings_.plain->tier)) return;
  const FixedLeader& leader = *settings_.plain->fixed;
  const bool own = leader.router == settings_.router;
  v1::LeaderEntry entry;
  entry.set_tier(settings_.plain->tier);
  entry.set_router(leader.router);
  // Each life of the leader is an appointment of its own; the others learn it from its heartbeats.
  entry.set_appointment(own ? settings_.incarnation : 0);
  entry.set_incarnation(own ? settings_.incarnation : 0);
  entry.set_fresh(leader.fresh);
  Name(*fleet_.fleet->FindTier(entry.tier()), entry, own ? "own" : leader.address);
}

void LedgerSessions::Name(TierId tier, const v1::LeaderEntry& entry, const std::string& address) {
  Endpoint& endpoint = EndpointOf(tier);
  LeaderNamed named{.router = RouterId(),
                    .self = entry.router() == settings_.router,
                    .incarnation = entry.incarnation(),
                    .address = address,
                    .fence = {entry.leader_epoch(), entry.appointment()},
                    .fresh = entry.fresh()};
  const bool callable = !entry.router().empty() && !address.empty();
  if (callable) named.router = addresses_.RouterNamed(entry.router(), address);
  const LedgerSession& session = endpoint.session->machine();
  const Fence before = session.leadership().ledger().appointment();
  endpoint.session->Apply(named);
  endpoint.leader = session.leader().valid() ? addresses_.router(session.leader()).name : "";
  if (session.leads() && session.leadership().ledger().appointment() != before) {
    log_.Info(absl::StrCat("holds the ledger of tier ", entry.tier(), ", appointment ",
                           named.fence.leader_epoch, "/", named.fence.appointment));
  }
}

void LedgerSessions::SeeController(bool connected) {
  for (auto& [tier, endpoint] : endpoints_) endpoint.session->Apply(ControllerSeen{connected});
}

bool LedgerSessions::Holds(TierId tier) const {
  const auto endpoint = endpoints_.find(tier);
  return endpoint != endpoints_.end() && endpoint->second.session->machine().leads();
}

// ---- workers ----

void LedgerSessions::ListWorker(WorkerId worker, TierId tier) {
  if (fleet_.fleet->tiers[tier].dispatch.mode != DispatchMode::kLedger) return UnlistWorker(worker);
  if (!workers_.contains(worker)) workers_.resize(worker.index() + 1);
  Listed& entry = workers_[worker];
  if (entry.listed && entry.tier == tier) return;
  UnlistWorker(worker);
  entry = {.tier = tier, .listed = true};
  EndpointOf(tier).session->Apply(ledger::WorkerListed{worker});
  const v1::WorkerState& state = addresses_.worker(worker).state;
  if (state.wire_version() != 0) HearWorker(worker, &state);
}

void LedgerSessions::UnlistWorker(WorkerId worker) {
  if (!workers_.contains(worker) || !std::exchange(workers_[worker].listed, false)) return;
  EndpointOf(workers_[worker].tier).session->Apply(ledger::WorkerGone{worker});
}

void LedgerSessions::HearWorker(WorkerId worker, const v1::WorkerState* state) {
  if (!workers_.contains(worker) || !workers_[worker].tier.valid()) return;
  SessionDriver& session = *EndpointOf(workers_[worker].tier).session;
  if (state == nullptr) {
    session.Apply(WatchBroke{worker});
  } else {
    session.Apply(WorkerAnnounced{.announce = AnnouncementOf(worker, *state), .connection = std::nullopt});
  }
}

// ---- what the router's machine says and hears ----

void LedgerSessions::Perform(const TellLedger& tell) {
  const auto found = endpoints_.find(tell.tier);
  if (found != endpoints_.end()) found->second.session->Apply(MachineSaid{tell.leader, tell.event});
}

void LedgerSessions::Do(TierId tier, const TellLeader& action) {
  endpoints_[tier].link->Send(EncodeUp(runtime::MonotonicNow(), action.said, *fleet_.fleet, tier, *this));
}

void LedgerSessions::Do(TierId tier, const DialLeader& action) {
  Endpoint& endpoint = endpoints_[tier];
  endpoint.link = std::make_unique<LedgerLink>(
      loop_, client_streams_,
      LedgerWay{.channel = addresses_.Dial(action.address),
                .frames_to = action.address,
                .token = addresses_.token(),
                .not_understood =
                    [this, address = action.address] {
                      log_.Info(absl::StrCat("the ledger's leader at ", address,
                                             " does not answer frames; it is spoken to by gRPC"));
                    }},
      LedgerGreeting{settings_.router, fleet_.fleet->tiers[tier].name}, settings_.seed + tier.value(),
      ZeroDuration(), [this, tier](const v1::LedgerDown& message) { Hear(tier, message); },
      [this, tier] {
        endpoints_[tier].session->Apply(LeaderLost{});
        TellQueued();
      });
}

void LedgerSessions::Do(TierId tier, const HangUpLeader&) { endpoints_[tier].link.reset(); }

void LedgerSessions::Perform(const AimLedger& aim) {
  EndpointOf(aim.tier).session->Apply(ledger::AwayAimed{aim.targets});
}

void LedgerSessions::Do(TierId tier, const DialRegion& action) {
  const LedgerGreeting greeting{.router = settings_.router,
                                .tier = fleet_.fleet->tiers[tier].name,
                                .region = fleet_.fleet->world.regions[fleet_.home].name,
                                .hint_period = action.period};
  const RegionId region = action.region;
  const Duration rtt = Milliseconds(fleet_.fleet->world.rtt.ms(fleet_.home, region));
  endpoints_[tier].regions[region] = std::make_unique<LedgerLink>(
      loop_, client_streams_, LedgerWay{.channel = addresses_.Dial(action.address)}, greeting,
      settings_.seed + tier.value() + (region.value() << 8), settings_.emulate_rtt ? rtt / 2 : ZeroDuration(),
      [this, tier, region](const v1::LedgerDown& message) {
        if (!message.has_hint()) return;
        endpoints_[tier].session->Apply(
            RegionHinted{region, DecodeHint(message.hint()), message.hint().answers()});
      },
      [this, tier, region] { endpoints_[tier].session->Apply(RegionLinkBroke{region}); });
}

void LedgerSessions::Do(TierId tier, const AskRegion& action) {
  const auto link = endpoints_[tier].regions.find(action.region);
  if (link != endpoints_[tier].regions.end()) link->second->Send(EncodeHintWanted(action.number));
}

void LedgerSessions::Do(TierId tier, const HangUpRegion& action) {
  endpoints_[tier].regions.erase(action.region);
}

void LedgerSessions::Hear(TierId tier, const v1::LedgerDown& message) {
  Endpoint& endpoint = endpoints_[tier];
  if (message.has_heartbeat()) {
    endpoint.session->Apply(
        LeaderHeartbeat{{message.heartbeat().leader_epoch(), message.heartbeat().appointment()},
                        message.heartbeat().redirects()});
    return TellQueued();
  }
  const auto answer = DecodeDown(message, LedgerSession::kMachine, fleet_.fleet->world, *this);
  if (answer.ok()) {
    endpoint.session->Apply(LeaderSaid{*answer});
    return TellQueued();
  }
  if (!absl::IsNotFound(answer.status())) {
    log_.Warning(absl::StrCat("the ledger's leader ", endpoint.leader, ": ", answer.status().message()));
    endpoint.link->Break();
    return;
  }
  if (message.has_redirect()) {
    // To a region that this router has not been told of: asked anew.
    const ledger::RequestKey key{LedgerSession::kMachine, message.redirect().slot(),
                                 message.redirect().generation()};
    endpoint.session->Apply(LeaderSaid{ledger::Refuse{key, ledger::RefuseReason::kStale}});
    return TellQueued();
  }
  if (!message.has_grant()) return;
  // A worker that this router has not been told of: given back as busy, and asked for anew.
  v1::LedgerUp back;
  back.mutable_release()->set_worker(message.grant().worker());
  back.mutable_release()->set_lease(message.grant().lease());
  back.mutable_release()->set_outcome(std::string(OutcomeName(Outcome::kBusy)));
  endpoint.link->Send(std::move(back));
  const ledger::RequestKey key{LedgerSession::kMachine, message.grant().slot(), message.grant().generation()};
  endpoint.session->Apply(LeaderSaid{ledger::Refuse{key, ledger::RefuseReason::kStale}});
  TellQueued();
}

// It must not reach the machine while that is still acting: the loop brings it, unless somebody tells it
// before, who knows that the machine rests.
void LedgerSessions::Do(TierId, TellMachine& action) {
  queued_.push_back(std::move(action.news));
  if (queue_posted_) return;
  queue_posted_ = loop_.Post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    queue_posted_ = false;
    TellQueued();
  });
}

void LedgerSessions::TellQueued() {
  std::vector<LedgerNews> news;
  news.swap(queued_);
  for (const LedgerNews& one : news) std::visit([this](const auto& n) { tell_(n); }, one);
}

WorkerId LedgerSessions::FindWorker(std::string_view address) const {
  return addresses_.FindWorker(std::string(address));
}

std::string_view LedgerSessions::AddressOf(WorkerId worker) const {
  return addresses_.worker(worker).address;
}

void LedgerSessions::ReportRoundTrips(v1::Report& report) {
  std::vector<RoundTrip> trips;
  for (auto& [tier, endpoint] : endpoints_) {
    endpoint.session->machine().TakeRoundTrips(runtime::MonotonicNow(), trips);
  }
  for (const RoundTrip& trip : trips) {
    v1::RoundTrip& out = *report.add_round_trips();
    out.set_region(fleet_.fleet->world.regions[trip.to].name);
    out.set_ms(ToDoubleMilliseconds(trip.time));
  }
}

std::vector<LedgerStatus> LedgerSessions::Statuses() const {
  std::vector<LedgerStatus> statuses;
  for (const auto& [tier, endpoint] : endpoints_) {
    const LedgerSession& session = endpoint.session->machine();
    statuses.push_back({.tier = tier,
                        .leader = endpoint.leader,
                        .reached = session.heard(),
                        .holding = session.leads() && session.leadership().holding(),
                        .routers = session.leadership().clients(),
                        .view = session.leadership().ledger().View()});
  }
  return statuses;
}

void LedgerSessions::Close() {
  closed_ = true;
  for (auto& [tier, endpoint] : endpoints_) {
    endpoint.link.reset();
    endpoint.regions.clear();
    for (auto& [router, stream] : endpoint.streams) {
      stream->Close({grpc::StatusCode::UNAVAILABLE, "this router is going down"});
    }
  }
}

}  // namespace ringway::router
