// The slot ledgers of a simulation: the streams between the sessions of one tier.
//
// Who leads is the controller's to say (controller/fleet/leader_registry.h), what follows from that the
// session's (router/session/ledger_session.h), which the router's node owns; nothing is decided here. As the
// daemon does (router/daemon/ledgers/ledger_sessions.h), this carries in virtual time what sessions want
// said: to the leader over a link, to clients, to workers. A link breaks when either end dies, is tried again
// after 30 to 300 ms, and what was said on an earlier one is dropped.
//
// A scenario without a controller has leaders by their operators' word, as `--leader` gives them: the first
// router of each region. The leader watches the tier's workers. Those that have told it nothing for a while
// say again what they do, many in one message.
//
// Ids: a leader knows workers as the routers of the region do, and routers by their place in it. Complexity:
// O(1) a message beside the leader's own; a round of announcements is O(workers). One owner.
#ifndef RINGWAY_SIM_FLEET_LEADERS_H_
#define RINGWAY_SIM_FLEET_LEADERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "router/router_action.h"
#include "router/session/ledger_session.h"
#include "sim/fleet/region_links.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"
#include "sim/scenario.h"
#include "sim/stage.h"

namespace ringway::sim {

class Leaders {
 public:
  Leaders(Stage& stage, const Scenario& scenario, Routers& routers, Workers& workers);

  void Begin();
  void OnLeaderHears(std::uint32_t endpoint, std::uint32_t detail);
  void OnClientHears(std::uint32_t endpoint, std::uint32_t detail);
  void OnAnnounced(std::uint32_t endpoint, std::uint32_t detail);
  void OnLinkRetried(std::uint32_t endpoint, std::uint32_t link);
  void OnRegionLinkReaches(std::uint32_t endpoint, std::uint32_t detail) {
    regions_.OnReaches(endpoint, detail);
  }
  void OnRegionLinkRetried(std::uint32_t endpoint, std::uint32_t detail) {
    regions_.OnRetried(endpoint, detail);
  }
  void OnAnnounceRound();
  // The router's process ended, or begins.
  void RouterDied(RouterId router);
  void RouterRevived(RouterId router);
  // This share of the region's links to leaders breaks; the leaders' ends so much later.
  void BreakLinks(RegionId region, double share, std::int64_t late_ns);

  RouterId RouterOf(std::uint32_t endpoint) const { return endpoints_[endpoint].router; }
  // For the report and for tests. Null, invalid: nobody holds the ledger now.
  const ledger::SlotLedger* ledger(RegionId region, TierId tier) const;
  RouterId leader(RegionId region, TierId tier) const;
  // It holds the ledger, whether or not the directory names it.
  bool Holds(RouterId router, TierId tier) const;
  // Of the ledger that it holds.
  ledger::LedgerView View(RouterId router, TierId tier) const;
  // The router has a leader to ask, and hears it.
  bool Hears(RouterId router, TierId tier) const;

 private:
  static constexpr std::uint32_t kNoEndpoint = ~std::uint32_t{0};
  // Number of a way from an endpoint to a leader, unique in a run; 0: none.
  using Link = std::uint32_t;

  // A client's link, at its leader. Of two that it opened at once the older may arrive last, even after its
  // own end: nobody listens at its other end.
  struct ClientLink {
    Link stands = 0;
    Link newest = 0;  // heard of
    bool Opens(Link link) {
      if (link <= newest) return false;
      stands = newest = link;
      return true;
    }
    bool Falls(Link link) {
      newest = std::max(newest, link);
      if (stands != link) return false;
      stands = 0;
      return true;
    }
  };
  // One router and one tier in ledger mode.
  struct Endpoint {
    RouterId router;
    TierId tier;
    RouterId leader;  // that the link goes to
    Link link = 0;
    int tries = 0;                     // of the link, in vain
    std::uint32_t renewals = 0;        // message of renewals that is being written
    std::int64_t renewals_at_ns = -1;  // when
    // As one that may lead: the links of clients, by the router's place in the region.
    std::vector<ClientLink> clients;
  };

  // From a router to the leader of another.
  struct ToLeader {
    enum class What : std::uint8_t { kStands, kFell, kSays, kRenews, kMalformed };
    What what = What::kSays;
    std::uint32_t from = 0;  // endpoint
    Link link = 0;
    ledger::LedgerEvent said;
    std::vector<ledger::Renew> renewals;
  };
  // The other way.
  struct ToClient {
    enum class What : std::uint8_t { kSays, kBeat, kBroke, kMalformed };
    What what = What::kSays;
    Link link = 0;
    Fence appointment = {};  // of a heartbeat
    bool redirects = false;
    ledger::LedgerAction said = {};
  };

  std::uint32_t EndpointOf(RouterId router, TierId tier) const { return endpoint_of_[router][tier]; }
  std::uint32_t NumberOf(const Endpoint& endpoint) const {
    return static_cast<std::uint32_t>(&endpoint - endpoints_.data());
  }
  RegionId RegionOf(const Endpoint& endpoint) const { return routers_.places()[endpoint.router]; }
  RouterId LocalOf(RouterId router) const { return routers_.LocalOf(router); }
  const router::LedgerSession* SessionOf(const Endpoint& endpoint) const {
    return routers_.session(endpoint.router, endpoint.tier);
  }
  bool Lives(const Endpoint& endpoint) const { return routers_.alive(endpoint.router); }
  Endpoint& Neighbour(const Endpoint& endpoint, RouterId local);
  std::int64_t HopNs(const Endpoint& endpoint) { return stage_.network.HereNs(RegionOf(endpoint)); }

  void Open(Endpoint& endpoint);
  void Connect(Endpoint& endpoint);
  void Disconnect(Endpoint& endpoint);
  void LinkBroke(Endpoint& endpoint);

  void Renew(Endpoint& endpoint, const ledger::Renew& renew);
  void LetAnnounce(const Endpoint& endpoint);
  void SendToLeader(const Endpoint& from, ToLeader::What what, const ledger::LedgerEvent* said = nullptr,
                    std::int64_t late_ns = 0);
  void SendToClient(const Endpoint& to, Link link, ToClient::What what);
  template <class Event>
  void Step(const Endpoint& endpoint, const Event& event) {
    routers_.StepTier(endpoint.router, endpoint.tier, event);
  }
  // What the session wants done.
  void Do(Endpoint& endpoint, const router::TellRouter& tell);
  void Do(Endpoint& endpoint, const router::SendHeartbeat& heartbeat);
  void Do(Endpoint& endpoint, const router::SendHint& hint) { regions_.Send(NumberOf(endpoint), hint); }
  void Do(Endpoint& endpoint, const router::AskRegion& ask) { regions_.Ask(NumberOf(endpoint), ask); }
  void Do(Endpoint& endpoint, const router::DialRegion& dial) {
    regions_.Dial(NumberOf(endpoint), dial, EndpointOf(dial.router, endpoint.tier));
  }
  void Do(Endpoint& endpoint, const router::HangUpRegion& hang_up) {
    regions_.HangUp(NumberOf(endpoint), hang_up.region);
  }
  void Do(Endpoint& endpoint, const router::FenceOff& fence);
  void Do(Endpoint& endpoint, const router::DialLeader& dial);
  void Do(Endpoint& endpoint, const router::HangUpLeader& hang_up);
  void Do(Endpoint& endpoint, const router::TellLeader& tell);
  void Do(Endpoint&, const router::TellMachine&) {}  // the node's

  Stage& stage_;
  const Scenario& scenario_;
  Routers& routers_;
  Workers& workers_;
  Rng retries_;
  std::vector<Endpoint> endpoints_;
  IdVector<RouterId, IdVector<TierId, std::uint32_t>> endpoint_of_;
  IdVector<RegionId, std::vector<RouterId>> routers_of_;
  MessagePool<ToLeader> to_leader_;
  MessagePool<ToClient> to_client_;
  MessagePool<std::vector<ledger::Announce>> announced_;
  std::vector<Workers::Heartbeat> beats_;  // of a round
  RegionLinks regions_;
  Link last_link_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_LEADERS_H_
