#include "router/daemon/ledgers/ledger_sessions.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/wire/directory_codec.h"
#include "runtime/clock.h"

namespace ringway::router {

LedgerSessions::LedgerSessions(runtime::EventLoop& loop, StreamCount& client_streams,
                               SessionsSettings settings, const KnownFleet& fleet, AddressTable& addresses,
                               const runtime::Logger& log, const RouterNode& node, Tell tell)
    : loop_(loop),
      client_streams_(client_streams),
      settings_(std::move(settings)),
      fleet_(fleet),
      addresses_(addresses),
      log_(log),
      node_(node),
      tell_(std::move(tell)) {
  const RouterId self = NumberOf(settings_.router);
  RINGWAY_CHECK(self == kSelf);  // the first name
  numbers_.Came(self);
}

LedgerSessions::~LedgerSessions() = default;

RouterId LedgerSessions::NumberOf(const std::string& router) {
  return numbers_.NumberOf(router, [this](RouterId number) { return node_.CountsOn(number); });
}

// ---- leaders ----

void LedgerSessions::UseFixedLeader() {
  if (!settings_.plain || !settings_.plain->fixed) return;
  const FixedLeader& leader = *settings_.plain->fixed;
  const bool own = leader.router == settings_.router;
  v1::LeaderEntry entry;
  entry.set_router(leader.router);
  // Each life of the leader is an appointment of its own; the others learn it from its heartbeats.
  entry.set_appointment(own ? settings_.incarnation : 0);
  entry.set_incarnation(own ? settings_.incarnation : 0);
  entry.set_fresh(leader.fresh);
  const std::string address = own ? "own" : leader.address;
  RouterId router;
  if (!leader.router.empty() && !address.empty()) {
    router = addresses_.RouterNamed(leader.router);
    addresses_.Move(router, address);
  }
  tell_(
      {*fleet_.fleet->FindTier(settings_.plain->tier), ReadLeader(entry, router, address, settings_.router)});
  LogLed();
}

void LedgerSessions::LogLed() {
  for (TierId tier(0); tier != node_.tiers_end(); tier = TierId(tier.index() + 1)) {
    const LedgerSession* const session = node_.session(tier);
    if (session == nullptr || !session->leads()) continue;
    const Fence appointment = session->leadership().ledger().appointment();
    Fence& logged = endpoints_[tier].logged;
    if (logged == appointment) continue;
    logged = appointment;
    log_.Info(absl::StrCat("holds the ledger of tier ", fleet_.fleet->tiers[tier].name, ", appointment ",
                           appointment.leader_epoch, "/", appointment.appointment));
  }
}

std::string LedgerSessions::LeaderOf(const LedgerSession& session) const {
  return session.leader().valid() ? addresses_.router(session.leader()).name : "";
}

// ---- what sessions say and hear ----

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
        tell_({tier, LeaderLost{}});
      });
}

void LedgerSessions::Do(TierId tier, const HangUpLeader&) { endpoints_[tier].link.reset(); }

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
        tell_({tier, RegionHinted{region, DecodeHint(message.hint()), message.hint().answers()}});
      },
      [this, tier, region] {
        tell_({tier, RegionLinkBroke{region}});
      });
}

void LedgerSessions::Do(TierId tier, const AskRegion& action) {
  const auto link = endpoints_[tier].regions.find(action.region);
  if (link != endpoints_[tier].regions.end()) link->second->Send(EncodeHintWanted(action.number));
}

void LedgerSessions::Do(TierId tier, const HangUpRegion& action) {
  endpoints_[tier].regions.erase(action.region);
}

void LedgerSessions::Hear(TierId tier, const v1::LedgerDown& message) {
  const Endpoint& endpoint = endpoints_[tier];
  if (message.has_heartbeat()) return tell_({tier, DecodeHeartbeat(message.heartbeat())});
  const auto answer = DecodeDown(message, LedgerSession::kMachine, fleet_.fleet->world, *this);
  if (answer.ok()) return tell_({tier, LeaderSaid{*answer}});
  if (!absl::IsNotFound(answer.status())) {
    log_.Warning(absl::StrCat("the ledger's leader ", LeaderOf(*node_.session(tier)), ": ",
                              answer.status().message()));
    endpoint.link->Break();
    return;
  }
  if (message.has_redirect()) {
    // To a region that this router has not been told of: asked anew.
    const ledger::RequestKey key{LedgerSession::kMachine, message.redirect().slot(),
                                 message.redirect().generation()};
    return tell_({tier, LeaderSaid{ledger::Refuse{key, ledger::RefuseReason::kStale}}});
  }
  if (!message.has_grant()) return;
  // A worker that this router has not been told of: given back as busy, and asked for anew.
  v1::LedgerUp back;
  back.mutable_release()->set_worker(message.grant().worker());
  back.mutable_release()->set_lease(message.grant().lease());
  back.mutable_release()->set_outcome(std::string(OutcomeName(Outcome::kBusy)));
  endpoint.link->Send(std::move(back));
  const ledger::RequestKey key{LedgerSession::kMachine, message.grant().slot(), message.grant().generation()};
  tell_({tier, LeaderSaid{ledger::Refuse{key, ledger::RefuseReason::kStale}}});
}

WorkerId LedgerSessions::FindWorker(std::string_view address) const {
  return addresses_.FindWorker(std::string(address));
}

std::string_view LedgerSessions::AddressOf(WorkerId worker) const {
  return addresses_.worker(worker).address;
}

std::vector<LedgerStatus> LedgerSessions::Statuses() const {
  std::vector<LedgerStatus> statuses;
  for (TierId tier(0); tier != node_.tiers_end(); tier = TierId(tier.index() + 1)) {
    const LedgerSession* const session = node_.session(tier);
    if (session == nullptr) continue;
    statuses.push_back({.tier = tier,
                        .leader = LeaderOf(*session),
                        .reached = session->heard(),
                        .holding = session->leads() && session->leadership().holding(),
                        .routers = session->leadership().clients(),
                        .view = session->leadership().ledger().View()});
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
