// What the leader of a slot ledger hears and says, as values.
//
// Events come from workers (announcements), from routers (requests, renewals, releases) and from the
// controller (appointments); actions go back to routers and workers. Either side may see a message twice,
// late or out of order, and messages may be lost: every one carries enough to be recognised (a worker's
// sequence, an ask's generation, a lease's id), so that repeating it is always safe.
//
// An ask is named by the router's own slot number for the job and a generation that rises with every new ask
// from that slot, across restarts of the router too (repeating a message that may be lost is not a new ask).
// Leaders of a tier's ledgers in different regions tell each other how many of their workers are idle
// (IdleHint), so that a job that finds none at home leaves for a region that has one.
// A worker's announcement carries its fence: the highest lease it has accepted or was told to refuse. A
// leader trusts "idle" only from a worker whose fence it has raised to its own appointment.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_MESSAGES_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_MESSAGES_H_

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/job.h"
#include "core/lease.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway::ledger {

struct RequestKey {
  RouterId router;
  std::uint32_t slot = 0;        // of the router's job arena
  std::uint64_t generation = 0;  // rises with each ask from the slot; 0 is never used
  friend bool operator==(const RequestKey&, const RequestKey&) = default;
};

// ---- events ----
// This router holds the ledger from now on. `fresh`: nobody has held it before, so every slot of a pool that
// announces nothing is free.
struct Appointed {
  Fence appointment;
  bool fresh = false;
};
// A higher appointment than the own one has been seen.
struct Deposed {
  Fence by;
};
struct Acquire {
  RequestKey key;
  Priority priority = 0;
  Time arrived;              // at the entry router, in the leader's time
  Time deadline;             // of the result
  Duration expected;         // service time, at the quantile that "cannot finish in time" is judged by
  bool idle_only = false;    // granted a slot that is idle now, or refused
  bool may_leave = false;    // for another region that has an idle worker, where the line is long here
  bool foreign = false;      // of a job that left another region's line
  RegionId prefers = {};     // the table's choice, taken if a worker there is believed to be idle
  RegionId refused_by = {};  // where the job had been sent since, and was not taken
};
struct Withdraw {
  RequestKey key;
};
enum class WorkerStatus : std::uint8_t { kIdle, kBusy, kLeaving };
struct Announce {
  WorkerId worker;
  std::uint64_t sequence = 0;  // rises with each announcement, across restarts of the worker too
  WorkerStatus status = WorkerStatus::kIdle;
  Lease fence;    // the worker refuses everything at or below it
  Lease running;  // of the job in the slot; none: idle, or a job that no ledger granted
};
// The router still holds the lease. To a new leader it also presents leases of the one before.
struct Renew {
  RouterId router;
  WorkerId worker;
  Lease lease;
};
// How far a lease that failed got: the worker said so, it broke off with the job, or it had never been
// reached.
enum class Contact : std::uint8_t { kAnswered, kBroke, kUnreached };
// How the router's use of a lease ended. kBusy: the worker served somebody else; kShed: never used;
// kCancelled: also a failure that is the job's own.
struct Release {
  WorkerId worker;
  Lease lease;
  Outcome outcome = Outcome::kDone;
  Duration retry_after;  // the worker's hint; zero: none
  Contact contact = Contact::kAnswered;
};
// Its connection broke, so that a grant would reach nobody: its requests end unanswered. Its jobs may run on.
struct RouterAway {
  RouterId router;
};
// It stayed away, or lost its life: its requests end, its leases are called back, and it is forgotten.
struct RouterGone {
  RouterId router;
};
// The directory names the worker.
struct WorkerListed {
  WorkerId worker;
};
// The directory names it no more: no new grants, a lease that runs is let run.
struct WorkerGone {
  WorkerId worker;
};
// What the leader of another region says of its workers. A later one of the same appointment has a higher
// sequence.
struct IdleHint {
  Fence appointment = {};
  std::uint64_t sequence = 0;
  std::uint32_t idle = 0;      // workers, none of them spoken for
  std::uint64_t landings = 0;  // jobs of other regions that have asked there so far, taken or refused
  friend bool operator==(const IdleHint&, const IdleHint&) = default;
};
// A region where jobs of this one may go.
struct AwayTarget {
  RegionId region;
  Duration rtt;
  friend bool operator==(const AwayTarget&, const AwayTarget&) = default;
};
// All of them, nearest first.
struct AwayAimed {
  std::vector<AwayTarget> targets;
};
struct HintHeard {
  RegionId region;
  IdleHint hint;
};
// Its leader cannot be heard.
struct RegionSilent {
  RegionId region;
};
struct Wake {};
// The fleet has changed how many jobs may wait; 0: none.
struct LineBounded {
  std::size_t waiting_max = 0;
};
using LedgerEvent =
    std::variant<Appointed, Deposed, Acquire, Withdraw, Announce, Renew, Release, RouterAway, RouterGone,
                 WorkerListed, WorkerGone, AwayAimed, HintHeard, RegionSilent, Wake, LineBounded>;

// ---- actions ----
struct Grant {
  RequestKey key;
  WorkerId worker;
  Lease lease;
  Duration waited;  // since the ask joined the line
};
enum class RefuseReason : std::uint8_t {
  kInfeasible,  // cannot finish before its deadline any more
  kLineFull,
  kNotLeader,   // ask the leader that the directory names
  kStale,       // this ask has ended before; repeated
  kOutOfRange,  // the router or its slot number is beyond the ledger's bounds
};
std::string_view RefuseReasonName(RefuseReason reason);
struct Refuse {
  RequestKey key;
  RefuseReason reason = RefuseReason::kInfeasible;
};
// The ask is out of the line and will not be granted: the job may stand in another line now.
struct Withdrawn {
  RequestKey key;
};
// The ask is out of the line: the job is to start in that region, where a worker is believed to be idle, or
// to ask again.
struct Redirect {
  RequestKey key;
  RegionId region;
};
// The worker refuses every lease at or below `upto` from now on, and says so in its next announcement.
struct FenceWorker {
  WorkerId worker;
  Lease upto;
};
// As FenceWorker; and if the job of exactly this lease runs, it is stopped.
struct Revoke {
  WorkerId worker;
  Lease lease;
};
// The router's lease is void; it must not start the job, and stops it if it runs.
struct LeaseLost {
  RouterId router;
  WorkerId worker;
  Lease lease;
};
using LedgerAction = std::variant<Grant, Refuse, Withdrawn, FenceWorker, Revoke, LeaseLost, Redirect>;

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_MESSAGES_H_
