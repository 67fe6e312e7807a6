// What messages between the processes of a simulation become on their way: they are written, and read again,
// by the codecs of the daemons, each process by the messages of its own release.
//
// A simulation without one (Stage::wire is null) hands values from one process to the other, which costs
// nothing and cannot find a fault of a codec, nor a process that takes for said what the release before does
// not say. With one, each population gives it what it is about to send, and sends what comes out. It decides
// nothing: what a reader refuses is for the population to treat as the daemon does, which ends the stream, or
// gives no answer.
//
// Messages are read with what the reader knows when they are sent, and with the clock of when they arrive.
// What is on a disk is read by whoever starts there next, of whatever release.
//
// The production codecs speak in messages, which pure code knows nothing of, so the one that is used is given
// to the simulation by whoever makes it (tests/sim/wire/). One owner.
#ifndef RINGWAY_SIM_FLEET_WIRE_H_
#define RINGWAY_SIM_FLEET_WIRE_H_

#include <cstdint>
#include <string>

#include "controller/durable_state.h"
#include "controller/fleet/directory.h"
#include "controller/node_event.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "core/time.h"
#include "router/dispatch/ledger/messages.h"
#include "router/once/messages.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/session/ledger_session.h"
#include "sim/stage.h"

namespace ringway::sim {

struct Listing;
class Routers;
class Workers;

// From one process to another.
struct Way {
  Time said_at;
  Time read_at;
  Release writer = Release::kPresent;
  Release reader = Release::kPresent;
};
inline Way WayOf(const Stage& stage, std::int64_t takes_ns, Release writer, Release reader) {
  return {.said_at = stage.Now(),
          .read_at = stage.Now() + Nanoseconds(takes_ns),
          .writer = writer,
          .reader = reader};
}
inline Way WayBetween(const Stage& stage, std::int64_t takes_ns, WorkerId writer, RouterId reader) {
  return WayOf(stage, takes_ns, stage.releases.workers[writer], stage.releases.routers[reader]);
}
inline Way WayBetween(const Stage& stage, std::int64_t takes_ns, RouterId writer, WorkerId reader) {
  return WayOf(stage, takes_ns, stage.releases.routers[writer], stage.releases.workers[reader]);
}
inline Way WayBetween(const Stage& stage, std::int64_t takes_ns, RouterId writer, RouterId reader) {
  return WayOf(stage, takes_ns, stage.releases.routers[writer], stage.releases.routers[reader]);
}

// What is given becomes what the reader makes of it. False: the reader refuses it.
class Wire {
 public:
  virtual ~Wire() = default;
  // Before anything is carried: who has the names. They outlive this.
  virtual void Serve(const Routers& routers, const Workers& workers) = 0;

  // ---- routers and the controller, whose fleet is `map` ----
  // A RouterConnected, RouterReported or RouterAcked, or else the MessageRefused that its node hears.
  // `report`: what the router's machine had reported.
  virtual controller::NodeEvent ToController(const Way& way, RouterId from, const Fleet& map,
                                             controller::ControllerEvent said,
                                             const router::SendReport* report) = 0;
  virtual bool Carry(const Way& way, router::ControllerWelcomed& welcomed) = 0;
  virtual bool Carry(const Way& way, RouterId to, router::FleetChanged& changed) = 0;
  // `refusal`: why, for the acknowledgement.
  virtual bool Carry(const Way& way, RouterId to, const Fleet& map, router::TableOffered& offered,
                     std::string& refusal) = 0;
  virtual bool Carry(const Way& way, RouterId to, const Fleet& map, const controller::Directory& directory,
                     Listing& listing) = 0;

  // ---- disks ----
  virtual bool Reread(const Way& way, controller::DurableState& state) = 0;
  virtual bool Reread(const Way& way, RouterId router, Listing& listing) = 0;

  // ---- sessions of a tier's ledger ----
  virtual bool Carry(const Way& way, RouterId from, RouterId to, TierId tier, ledger::LedgerEvent& said) = 0;
  virtual bool Carry(const Way& way, RouterId from, RouterId to, ledger::LedgerAction& said) = 0;
  virtual bool Carry(const Way& way, router::LeaderHeartbeat& heartbeat) = 0;
  // Of other regions. A leader that takes who listens for a client of its own refuses him.
  virtual bool Carry(const Way& way, RouterId from, router::DialRegion& dial) = 0;
  virtual bool Carry(const Way& way, router::AskRegion& ask) = 0;
  virtual bool Carry(const Way& way, router::SendHint& hint) = 0;

  // ---- workers, and jobs that routers send each other ----
  // A worker refuses a job's header as malformed, and a leader's fence as none.
  virtual bool Carry(const Way& way, WorkerId to, OfferNote& offer) = 0;
  virtual bool Carry(const Way& way, WorkerId to, FenceNote& fence) = 0;
  // The worker's state, and with it what leaders of ledgers take it for.
  virtual bool Carry(const Way& way, WorkerId from, RouterMessage& said) = 0;
  virtual bool Carry(const Way& way, RouterId from, RouterId to, const router::ForwardToRouter& forward,
                     router::JobFacts& facts) = 0;

  // ---- keys ----
  virtual bool Carry(const Way& way, router::once::Request& request) = 0;
  virtual bool Carry(const Way& way, router::once::Reply& reply) = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_WIRE_H_
