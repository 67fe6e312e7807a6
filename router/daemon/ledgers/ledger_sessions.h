// The slot ledgers of this router's region on the wire: what LedgerSession decides is carried here.
//
// For each tier in ledger mode the router's node has a session (router/session/ledger_session.h); here are
// the link to its leader while that is another router, and the streams of its clients while it is this one.
// This class turns messages into the session's events and its actions into messages, knows which number a
// client's name has (router_numbers.h, at most kRoutersMax), and decides nothing else.
//
// Threads: the loop's. `tell` gives the node an event of a session.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_SESSIONS_H_
#define RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_SESSIONS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ringway/v1/control.pb.h"
#include "ringway/v1/fleet.pb.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "router/daemon/control/address_table.h"
#include "router/daemon/control/router_numbers.h"
#include "router/daemon/ledgers/ledger_link.h"
#include "router/daemon/ledgers/ledger_stream.h"
#include "router/node_event.h"
#include "router/router_node.h"
#include "router/session/ledger_session.h"
#include "router/wire/job_header.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::router {

// The router that holds a tier's ledger because its operator says so, whatever a directory says.
struct FixedLeader {
  std::string router;
  std::string address;  // of another router
  bool fresh = false;   // nobody can have a lease of before
};

// A tier whose workers announce nothing (a pool of plain HTTP servers).
struct PlainTier {
  std::string tier;
  LeaderSettings settings;
  std::optional<FixedLeader> fixed;  // none: as the directory says
};

struct SessionsSettings {
  std::string router;             // own name
  std::uint64_t incarnation = 0;  // of this life
  std::uint64_t seed = 1;
  std::optional<PlainTier> plain = {};
  bool emulate_rtt =
      false;  // hints of other regions come as late as if these were as far away as the map says
};

// What screens and metrics show of one tier.
struct LedgerStatus {
  TierId tier;
  std::string leader;       // as the directory says; empty: nobody
  bool reached = false;     // it answers
  bool holding = false;     // it is this router
  std::size_t routers = 0;  // that stand here
  ledger::LedgerView view;
};

class LedgerSessions final : public LedgerStreamListener, private WorkerNames {
 public:
  static constexpr std::size_t kRoutersMax = 4096;
  // This router's own number among the clients of its ledgers.
  static constexpr RouterId kSelf{0};
  using Tell = std::function<void(const TierHeard&)>;

  LedgerSessions(runtime::EventLoop& loop, StreamCount& client_streams, SessionsSettings settings,
                 const KnownFleet& fleet, AddressTable& addresses, const runtime::Logger& log,
                 const RouterNode& node, Tell tell);
  ~LedgerSessions() override;

  // On the loop, before anything else: takes or appoints the leader that is fixed, if one is.
  void UseFixedLeader();
  // After the node has heard of leaders: tells people of the ledgers that are held here since then.
  void LogLed();

  // What a session wants carried.
  void Perform(TierId tier, SessionAction& action) {
    std::visit([this, tier](const auto& a) { Do(tier, a); }, action);
  }

  std::vector<LedgerStatus> Statuses() const;
  // Closes all streams, of both directions.
  void Close();

  // LedgerStreamListener, for the service.
  void OnMessage(LedgerStream& stream, const v1::LedgerUp& message) override;
  void OnClosed(LedgerStream& stream) override;
  // Streams that exist; the service adds, OnClosed subtracts.
  std::atomic<int> streams{0};

 private:
  struct Endpoint {
    std::map<RouterId, LedgerStream*> streams;  // of clients, and of other regions' leaders that listen
    std::unique_ptr<LedgerLink> link;           // to the leader, while it is another router
    std::map<RegionId, std::unique_ptr<LedgerLink>> regions;  // to the leaders of others, to listen
    Fence logged;  // the appointment of this router that people were told of
  };

  // As the directory says; empty: nobody.
  std::string LeaderOf(const LedgerSession& session) const;
  RouterId NumberOf(const std::string& router);
  void Greet(LedgerStream& stream, const v1::LedgerUp& message);

  // What the leader says over the link.
  void Hear(TierId tier, const v1::LedgerDown& message);

  // The actions of a session.
  void Do(TierId tier, const TellRouter& action);
  void Do(TierId tier, const SendHeartbeat& action);
  void Do(TierId tier, const SendHint& action);
  void Do(TierId tier, const FenceOff& action);
  void Do(TierId tier, const DialLeader& action);
  void Do(TierId tier, const HangUpLeader& action);
  void Do(TierId tier, const DialRegion& action);
  void Do(TierId tier, const HangUpRegion& action);
  void Do(TierId tier, const AskRegion& action);
  void Do(TierId tier, const TellLeader& action);
  void Do(TierId, const TellMachine&) {}  // the node's

  WorkerId FindWorker(std::string_view address) const override;
  std::string_view AddressOf(WorkerId worker) const override;

  runtime::EventLoop& loop_;
  StreamCount& client_streams_;
  const SessionsSettings settings_;
  const KnownFleet& fleet_;
  AddressTable& addresses_;
  const runtime::Logger& log_;
  const RouterNode& node_;
  const Tell tell_;
  std::map<TierId, Endpoint> endpoints_;
  RouterNumbers numbers_{kRoutersMax};
  bool closed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for calls that outlive the sessions
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_SESSIONS_H_
