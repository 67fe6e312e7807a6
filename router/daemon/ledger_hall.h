// The slot ledgers of this router's region on the wire: what LedgerSession decides is carried here.
//
// For each tier in ledger mode there is a session (router/ledger_session.h), the link to the leader while
// that is another router, and the streams of the clients while it is this one. This class turns messages into
// the session's events and its actions into messages, knows which number a client's name has
// (router_numbers.h, at most kRoutersMax) and which tier a worker belongs to, and decides nothing else.
//
// Threads: the loop's. `tell` steps the router's machine and is never called from within Perform.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGER_HALL_H_
#define RINGWAY_ROUTER_DAEMON_LEDGER_HALL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ringway/v1/fleet.pb.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "router/daemon/address_book.h"
#include "router/daemon/job_header.h"
#include "router/daemon/ledger_link.h"
#include "router/daemon/router_numbers.h"
#include "router/daemon/stand_stream.h"
#include "router/ledger_session.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"
#include "runtime/machine_driver.h"

namespace ringway::router {

// The router that holds a tier's ledger because its operator says so, whatever a directory says.
struct FixedHolder {
  std::string router;
  std::string address;  // of another router
  bool fresh = false;   // nobody can have a lease of before
};

// A tier whose workers announce nothing (a pool of plain HTTP servers).
struct PlainTier {
  std::string tier;
  SeatSettings seat;
  std::optional<FixedHolder> holder;  // none: as the directory says
};

struct HallSettings {
  std::string router;             // own name
  std::uint64_t incarnation = 0;  // of this life
  std::uint64_t seed = 1;
  std::optional<PlainTier> plain = {};
};

// What screens and metrics show of one tier.
struct LedgerStanding {
  TierId tier;
  std::string holder;       // as the directory says; empty: nobody
  bool reached = false;     // it answers
  bool holding = false;     // it is this router
  std::size_t routers = 0;  // that stand here
  ledger::LedgerView view;
};

// What a worker's state says to the leader of its tier's ledger.
ledger::Announce AnnouncementOf(WorkerId worker, const v1::WorkerState& state);

class LedgerHall final : public StandDesk, private WorkerNames {
 public:
  static constexpr std::size_t kRoutersMax = 4096;
  using Tell = std::function<void(const RouterEvent&)>;

  LedgerHall(runtime::EventLoop& loop, StreamCount& client_streams, HallSettings settings,
             const FleetBook& fleet, AddressBook& book, const runtime::Logger& log, Tell tell);
  ~LedgerHall() override;

  // The directory, newest; before its workers are listed.
  void UseDirectory(const v1::Directory& directory);
  // On the loop, before anything else: takes or finds the seat that is fixed, if one is.
  void UseFixedHolder();
  void SeeController(bool connected);
  // Whether all workers of the tier must be watched here.
  bool Holds(TierId tier) const;
  // What the shell knows of the workers of this region.
  void ListWorker(WorkerId worker, TierId tier);
  void UnlistWorker(WorkerId worker);
  // From its watch stream. Null: the stream broke.
  void HearWorker(WorkerId worker, const v1::WorkerState* state);

  // From the router's machine.
  void Perform(const TellLedger& tell);

  std::vector<LedgerStanding> Standings() const;
  // Closes all streams, of both directions.
  void Close();

  // StandDesk, for the service.
  void OnMessage(StandStream& stream, const v1::LedgerUp& message) override;
  void OnClosed(StandStream& stream) override;
  // Streams that exist; the service adds, OnClosed subtracts.
  std::atomic<int> streams{0};

 private:
  using SessionDriver = runtime::MachineDriver<LedgerSession, SessionEvent, SessionAction>;
  struct Desk {
    std::unique_ptr<SessionDriver> session;
    std::map<RouterId, StandStream*> streams;  // of clients that stand here
    std::string leader;                        // as last named; empty: nobody
    std::unique_ptr<LedgerLink> link;          // to it, while it is another router
  };
  // Of which tier the shell has told the session that the worker is.
  struct Listed {
    TierId tier;
    bool listed = false;
  };

  Desk& DeskOf(TierId tier);
  bool IsFixed(std::string_view tier) const {
    return settings_.plain && settings_.plain->holder && settings_.plain->tier == tier;
  }
  void Name(TierId tier, const v1::HolderEntry& entry, const std::string& address);
  LedgerSession& SessionOf(TierId tier) { return DeskOf(tier).session->machine(); }
  RouterId NumberOf(const std::string& router);
  bool Greet(StandStream& stream, const v1::LedgerUp& message);

  // What the leader says over the link.
  void Hear(TierId tier, const v1::LedgerDown& message);
  // Tells the machine what has queued up for it.
  void TellQueued();

  // The actions of a session.
  void Do(TierId tier, const TellRouter& action);
  void Do(TierId tier, const BeatRouter& action);
  void Do(TierId tier, const FenceOff& action);
  void Do(TierId tier, const DialLeader& action);
  void Do(TierId tier, const HangUpLeader& action);
  void Do(TierId tier, const TellLeader& action);
  void Do(TierId tier, TellMachine& action);

  WorkerId FindWorker(std::string_view address) const override;
  std::string_view AddressOf(WorkerId worker) const override;

  runtime::EventLoop& loop_;
  StreamCount& client_streams_;
  const HallSettings settings_;
  const FleetBook& fleet_;
  AddressBook& book_;
  const runtime::Logger& log_;
  const Tell tell_;
  std::map<TierId, Desk> desks_;  // of tiers in ledger mode, now or before
  IdVector<WorkerId, Listed> workers_;
  RouterNumbers numbers_{kRoutersMax};
  RouterId self_;                   // own number at the own seats
  std::vector<LedgerNews> queued_;  // for the machine
  bool queue_posted_ = false;
  bool closed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for calls that outlive the hall
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGER_HALL_H_
