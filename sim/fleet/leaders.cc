#include "sim/fleet/leaders.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sim/fleet/wire.h"
#include "sim/observers/observer.h"

namespace ringway::sim {
namespace {

// How often workers whose heartbeat is due are let speak: before a ledger forgets them after five seconds.
constexpr std::int64_t kAnnounceEveryNs = 2'000'000'000;
// Between two tries of a way to a leader, as router/daemon/ledgers/ledger_link.cc does it.
constexpr double kRetryFirstNs = 30e6;
constexpr double kRetryMaxNs = 300e6;
constexpr std::uint64_t kRetryStream = 0x6c696e6b;

// Now, or with a topology that comes later.
bool MayBeLed(const Scenario& scenario, TierId tier) {
  const auto led = [tier](const Fleet& fleet) {
    return fleet.tiers.contains(tier) && fleet.tiers[tier].dispatch.mode == DispatchMode::kLedger;
  };
  return led(*scenario.fleet) ||
         std::any_of(scenario.steps.begin(), scenario.steps.end(), [&](const ScenarioStep& step) {
           const auto* load = std::get_if<LoadTopology>(&step.fault);
           return load != nullptr && led(*load->fleet);
         });
}

}  // namespace

Leaders::Leaders(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      workers_(workers),
      retries_(scenario.seed, kRetryStream),
      routers_of_(scenario.fleet->world.regions.size()),
      regions_(stage, scenario.seed,
               {.region = [this](std::uint32_t number) { return RegionOf(endpoints_[number]); },
                .router = [this](std::uint32_t number) { return endpoints_[number].router; },
                .alive = [this](std::uint32_t number) { return Lives(endpoints_[number]); },
                .step =
                    [this](std::uint32_t number, const router::SessionEvent& event) {
                      Step(endpoints_[number], event);
                      routers_.Rest(endpoints_[number].router);
                    }}) {
  const auto& tiers = scenario.fleet->tiers;
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    routers_of_[routers.places()[RouterId(i)]].push_back(RouterId(i));
  }
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    const RouterId router(i);
    endpoint_of_.push_back(IdVector<TierId, std::uint32_t>(tiers.size(), kNoEndpoint));
    for (TierId tier(0); tier != tiers.end_id(); tier = TierId(tier.index() + 1)) {
      if (!MayBeLed(scenario, tier)) continue;
      endpoint_of_[router][tier] = static_cast<std::uint32_t>(endpoints_.size());
      Endpoint& endpoint = endpoints_.emplace_back();
      endpoint.router = router;
      endpoint.tier = tier;
      endpoint.clients.resize(routers_of_[routers.places()[router]].size());
    }
  }
  if (endpoints_.empty()) return;
  regions_.Resize(endpoints_.size());
  routers_.on_session = [this](RouterId router, TierId tier, router::SessionAction& action) {
    Endpoint& endpoint = endpoints_[EndpointOf(router, tier)];
    std::visit([&](const auto& a) { Do(endpoint, a); }, action);
  };
}

void Leaders::Begin() {
  for (Endpoint& endpoint : endpoints_) Open(endpoint);
  if (!endpoints_.empty()) stage_.After(kAnnounceEveryNs, Happening::kAnnounceRound);
}

// The endpoint of a router that has just started.
void Leaders::Open(Endpoint& endpoint) {
  const RegionId region = RegionOf(endpoint);
  if (scenario_.controller || scenario_.fleet->tiers[endpoint.tier].regions[region].workers == 0) return;
  // By the operator's word: each life of the leader is an appointment, the others learn it from its
  // heartbeats.
  const RouterId leader = routers_of_[region].front();
  const bool self = leader == endpoint.router;
  const Life life = routers_.life(leader);
  Step(endpoint, router::LeaderNamed{.router = leader,
                                     .self = self,
                                     .incarnation = life,
                                     .address = {},
                                     .fence = {0, self ? life : 0},
                                     .fresh = false});
  router::LeadersElsewhere elsewhere;
  for (RegionId r(0); r != routers_of_.end_id(); r = RegionId(r.index() + 1)) {
    const bool there =
        scenario_.fleet->tiers[endpoint.tier].regions[r].workers > 0 && !routers_of_[r].empty();
    if (r != region && there) elsewhere.leaders.push_back({.region = r, .router = routers_of_[r].front()});
  }
  Step(endpoint, elsewhere);
  routers_.Rest(endpoint.router);
}

// ---- links ----

void Leaders::Do(Endpoint& endpoint, const router::DialLeader& dial) {
  endpoint.leader = dial.router;
  endpoint.tries = 0;
  Connect(endpoint);
}

void Leaders::Do(Endpoint& endpoint, const router::HangUpLeader&) { Disconnect(endpoint); }

void Leaders::Connect(Endpoint& endpoint) {
  endpoint.link = ++last_link_;
  SendToLeader(endpoint, ToLeader::What::kStands);
}

void Leaders::Disconnect(Endpoint& endpoint) {
  if (endpoint.link != 0) SendToLeader(endpoint, ToLeader::What::kFell);
  endpoint.link = 0;
}

void Leaders::LinkBroke(Endpoint& endpoint) {
  Step(endpoint, router::LeaderLost{});
  const double wait_ns =
      std::min(kRetryMaxNs, kRetryFirstNs * static_cast<double>(1 << std::min(endpoint.tries, 8)));
  ++endpoint.tries;
  stage_.After(static_cast<std::int64_t>(wait_ns * (0.5 + 0.5 * retries_.Uniform())), Happening::kLinkRetried,
               NumberOf(endpoint), endpoint.link);
}

void Leaders::OnLinkRetried(std::uint32_t number, std::uint32_t link) {
  Endpoint& endpoint = endpoints_[number];
  if (Lives(endpoint) && endpoint.link == link) Connect(endpoint);
}

void Leaders::SendToLeader(const Endpoint& from, ToLeader::What what, const ledger::LedgerEvent* said,
                           std::int64_t late_ns) {
  const std::uint32_t at = to_leader_.New();
  ToLeader& note = to_leader_[at];
  note.what = what;
  note.from = NumberOf(from);
  note.link = from.link;
  if (said != nullptr) note.said = *said;
  const std::int64_t hop_ns = HopNs(from);
  if (stage_.wire != nullptr && said != nullptr) {
    const Way way = WayBetween(stage_, hop_ns, from.router, from.leader);
    if (!stage_.wire->Carry(way, from.router, from.leader, from.tier, note.said)) {
      note.what = ToLeader::What::kMalformed;
    }
  }
  stage_.After(hop_ns + late_ns, Happening::kLeaderHears, EndpointOf(from.leader, from.tier), at);
}

void Leaders::SendToClient(const Endpoint& to, Link link, ToClient::What what) {
  stage_.After(HopNs(to), Happening::kClientHears, NumberOf(to),
               to_client_.Put({.what = what, .link = link}));
}

Leaders::Endpoint& Leaders::Neighbour(const Endpoint& endpoint, RouterId local) {
  return endpoints_[EndpointOf(routers_of_[RegionOf(endpoint)][local.index()], endpoint.tier)];
}

void Leaders::OnLeaderHears(std::uint32_t number, std::uint32_t detail) {
  ToLeader& note = to_leader_[detail];
  Endpoint& endpoint = endpoints_[number];
  const Endpoint& from = endpoints_[note.from];
  const RouterId local = LocalOf(from.router);
  ClientLink& client = endpoint.clients[local.index()];
  if (note.what == ToLeader::What::kStands) {
    if (Lives(endpoint) && client.Opens(note.link)) {
      Step(endpoint, router::ClientConnected{local});
    } else {
      SendToClient(from, note.link, ToClient::What::kBroke);
    }
  } else if (note.what == ToLeader::What::kFell) {
    if (client.Falls(note.link)) Step(endpoint, router::ClientDisconnected{local});
  } else if (Lives(endpoint) && client.stands == note.link) {
    if (note.what == ToLeader::What::kMalformed) {
      // The leader ends the stream (LedgerSessions::OnMessage).
      client.Falls(note.link);
      Step(endpoint, router::ClientDisconnected{local});
      SendToClient(from, note.link, ToClient::What::kBroke);
    } else if (note.what == ToLeader::What::kSays) {
      Step(endpoint, router::RouterHeard{local, note.said});
    } else {
      for (const ledger::Renew& renew : note.renewals) Step(endpoint, router::RouterSaid{local, renew});
    }
  }
  note.renewals.clear();
  to_leader_.Free(detail);
  if (Lives(endpoint)) routers_.Rest(endpoint.router);
}

void Leaders::OnClientHears(std::uint32_t number, std::uint32_t detail) {
  const ToClient& note = to_client_[detail];
  Endpoint& endpoint = endpoints_[number];
  if (Lives(endpoint) && endpoint.link == note.link) {
    if (note.what == ToClient::What::kBroke) {
      LinkBroke(endpoint);
    } else if (note.what == ToClient::What::kMalformed) {
      // The client breaks it (LedgerSessions::Hear).
      SendToLeader(endpoint, ToLeader::What::kFell);
      endpoint.link = ++last_link_;
      LinkBroke(endpoint);
    } else {
      endpoint.tries = 0;
      if (note.what == ToClient::What::kBeat) {
        Step(endpoint, router::LeaderHeartbeat{note.appointment, note.redirects});
      } else {
        Step(endpoint, router::LeaderSaid{note.said});
      }
    }
    routers_.Rest(endpoint.router);
  }
  to_client_.Free(detail);
}

// ---- what sessions say ----

void Leaders::Do(Endpoint& endpoint, const router::TellLeader& tell) {
  if (const auto* renew = std::get_if<ledger::Renew>(&tell.said)) return Renew(endpoint, *renew);
  SendToLeader(endpoint, ToLeader::What::kSays, &tell.said);
}

// All that a router renews in one moment goes in one message.
void Leaders::Renew(Endpoint& endpoint, const ledger::Renew& renew) {
  const std::int64_t now_ns = stage_.queue.now_ns();
  if (endpoint.renewals_at_ns != now_ns) {
    const std::uint32_t at = to_leader_.New();
    const std::int64_t hop_ns = HopNs(endpoint);
    to_leader_[at].what = ToLeader::What::kRenews;
    to_leader_[at].from = NumberOf(endpoint);
    to_leader_[at].link = endpoint.link;
    stage_.After(hop_ns, Happening::kLeaderHears, EndpointOf(endpoint.leader, endpoint.tier), at);
    endpoint.renewals = at;
    // A message that arrives at once may have been read when the next renewal is written.
    endpoint.renewals_at_ns = hop_ns > 0 ? now_ns : -1;
  }
  if (stage_.wire == nullptr) return to_leader_[endpoint.renewals].renewals.push_back(renew);
  ledger::LedgerEvent said = renew;
  const Way way = WayBetween(stage_, 0, endpoint.router, endpoint.leader);
  if (stage_.wire->Carry(way, endpoint.router, endpoint.leader, endpoint.tier, said)) {
    to_leader_[endpoint.renewals].renewals.push_back(std::get<ledger::Renew>(said));
  } else {
    to_leader_[endpoint.renewals].what = ToLeader::What::kMalformed;
  }
}

// ---- workers ----

void Leaders::OnAnnounceRound() {
  beats_.clear();
  workers_.Beat(beats_);
  for (const Endpoint& endpoint : endpoints_) {
    const router::LedgerSession* const session = SessionOf(endpoint);
    if (session != nullptr && session->leads()) LetAnnounce(endpoint);
  }
  stage_.After(kAnnounceEveryNs, Happening::kAnnounceRound);
}

void Leaders::LetAnnounce(const Endpoint& endpoint) {
  const auto [begin, end] = workers_.Range(RegionOf(endpoint), endpoint.tier);
  const auto before = [](const Workers::Heartbeat& beat, WorkerId worker) { return beat.worker < worker; };
  auto beat = std::lower_bound(beats_.begin(), beats_.end(), begin, before);
  std::vector<ledger::Announce> announcements;
  for (; beat != beats_.end() && beat->worker < end; ++beat) {
    const Watchers& watchers = workers_.shown(beat->worker).watchers;
    const bool watched = std::any_of(watchers.begin(), watchers.end(),
                                     [&](const Watcher& w) { return w.router == endpoint.router; });
    if (watched) announcements.push_back(beat->announce);
  }
  if (announcements.empty()) return;
  stage_.After(HopNs(endpoint), Happening::kAnnouncedReach, NumberOf(endpoint),
               announced_.Put(std::move(announcements)));
}

void Leaders::OnAnnounced(std::uint32_t number, std::uint32_t detail) {
  const std::vector<ledger::Announce> announcements = announced_.Take(detail);
  const Endpoint& endpoint = endpoints_[number];
  if (!Lives(endpoint)) return;
  for (const ledger::Announce& announcement : announcements) {
    Step(endpoint, router::WorkerAnnounced{announcement, std::nullopt});
  }
  routers_.Rest(endpoint.router);
}

// ---- leaders ----

void Leaders::Do(Endpoint& endpoint, const router::TellRouter& tell) {
  routers_.ShowGrant(endpoint.router, tell.what);
  const std::uint32_t at = to_client_.New();
  ToClient& note = to_client_[at];
  note.what = ToClient::What::kSays;
  note.link = endpoint.clients[tell.router.index()].stands;
  note.said = tell.what;
  const Endpoint& to = Neighbour(endpoint, tell.router);
  const std::int64_t hop_ns = HopNs(endpoint);
  if (stage_.wire != nullptr && !stage_.wire->Carry(WayBetween(stage_, hop_ns, endpoint.router, to.router),
                                                    endpoint.router, to.router, note.said)) {
    note.what = ToClient::What::kMalformed;
  }
  stage_.After(hop_ns, Happening::kClientHears, NumberOf(to), at);
}

void Leaders::Do(Endpoint& endpoint, const router::SendHeartbeat& heartbeat) {
  const Endpoint& to = Neighbour(endpoint, heartbeat.router);
  router::LeaderHeartbeat said{heartbeat.appointment, heartbeat.redirects};
  ToClient::What what = ToClient::What::kBeat;
  if (stage_.wire != nullptr &&
      !stage_.wire->Carry(WayBetween(stage_, 0, endpoint.router, to.router), said)) {
    what = ToClient::What::kMalformed;
  }
  stage_.After(HopNs(endpoint), Happening::kClientHears, NumberOf(to),
               to_client_.Put({.what = what,
                               .link = endpoint.clients[heartbeat.router.index()].stands,
                               .appointment = said.appointment,
                               .redirects = said.redirects}));
}

void Leaders::Do(Endpoint& endpoint, const router::FenceOff& fence) {
  using Said = ledger::LedgerAction;
  stage_.kinds.ledger_answers.Count(fence.revoke ? Said(ledger::Revoke{}) : Said(ledger::FenceWorker{}));
  const WorkerId worker = workers_.Global(RegionOf(endpoint), fence.worker);
  FenceNote note{
      fence.by,         fence.upto,   fence.revoke, endpoint.router, routers_.life(endpoint.router),
      fence.connection, endpoint.tier};
  // What the worker refuses is not answered; its next word shows that it does not know yet.
  if (stage_.wire != nullptr &&
      !stage_.wire->Carry(WayBetween(stage_, 0, endpoint.router, worker), worker, note)) {
    return;
  }
  if (stage_.network.Repeats()) {  // the first answer was lost
    note.answered = false;
    stage_.After(HopNs(endpoint), Happening::kFenceReaches, worker.value(), stage_.to_fence.Put(note));
    note.answered = true;
  }
  stage_.After(HopNs(endpoint) + stage_.network.LateNs(), Happening::kFenceReaches, worker.value(),
               stage_.to_fence.Put(note));
}

// ---- lives ----

void Leaders::RouterDied(RouterId router) {
  for (const std::uint32_t number : endpoint_of_[router]) {
    if (number == kNoEndpoint) continue;
    Endpoint& endpoint = endpoints_[number];
    Disconnect(endpoint);
    regions_.Died(number);
    for (std::size_t i = 0; i < endpoint.clients.size(); ++i) {
      const Link link = std::exchange(endpoint.clients[i].stands, 0);
      if (link != 0) SendToClient(Neighbour(endpoint, RouterId(i)), link, ToClient::What::kBroke);
    }
    Endpoint empty;
    empty.router = router;
    empty.tier = endpoint.tier;
    empty.clients = std::move(endpoint.clients);
    endpoint = std::move(empty);
  }
}

void Leaders::RouterRevived(RouterId router) {
  for (const std::uint32_t number : endpoint_of_[router]) {
    if (number != kNoEndpoint) Open(endpoints_[number]);
  }
}

void Leaders::BreakLinks(RegionId region, double share, std::int64_t late_ns) {
  for (Endpoint& endpoint : endpoints_) {
    if (RegionOf(endpoint) != region || !Lives(endpoint)) continue;
    regions_.Break(NumberOf(endpoint), share, late_ns);
    if (endpoint.link == 0 || !retries_.Chance(share)) continue;
    Endpoint& leader = endpoints_[EndpointOf(endpoint.leader, endpoint.tier)];
    ClientLink& client = leader.clients[LocalOf(endpoint.router).index()];
    if (late_ns > 0) {
      SendToLeader(endpoint, ToLeader::What::kFell, nullptr, late_ns);
    } else if (Lives(leader) && client.Falls(endpoint.link)) {
      Step(leader, router::ClientDisconnected{LocalOf(endpoint.router)});
      routers_.Rest(leader.router);
    }
    endpoint.link = ++last_link_;  // nothing more is heard over the one that broke
    LinkBroke(endpoint);
    routers_.Rest(endpoint.router);
  }
}

const ledger::SlotLedger* Leaders::ledger(RegionId region, TierId tier) const {
  const RouterId router = leader(region, tier);
  return router.valid() ? &routers_.session(router, tier)->leadership().ledger() : nullptr;
}

bool Leaders::Hears(RouterId router, TierId tier) const {
  const router::LedgerSession* const session = routers_.session(router, tier);
  return session != nullptr && session->heard();
}

bool Leaders::Holds(RouterId router, TierId tier) const {
  const router::LedgerSession* const session = routers_.session(router, tier);
  return session != nullptr && session->leadership().holding();
}

ledger::LedgerView Leaders::View(RouterId router, TierId tier) const {
  return routers_.session(router, tier)->leadership().ledger().View();
}

RouterId Leaders::leader(RegionId region, TierId tier) const {
  for (const RouterId router : routers_of_[region]) {
    const router::LedgerSession* const session = routers_.session(router, tier);
    if (session != nullptr && session->leads() && session->leadership().holding()) return router;
  }
  return RouterId();
}

}  // namespace ringway::sim
