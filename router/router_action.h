// What a router's machine wants done, as values: its only output.
//
// The daemon performs them with gRPC, the simulator by scheduling events. Every JobArrived is answered by
// exactly one EndJob, the last action about that job; an attempt that still runs then has been withdrawn
// before it. Names and text are made where they are shown; here are ids.
//
// Threads: values.
#ifndef RINGWAY_ROUTER_ROUTER_ACTION_H_
#define RINGWAY_ROUTER_ROUTER_ACTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ids.h"
#include "core/job.h"
#include "core/lease.h"
#include "core/table.h"
#include "core/time.h"
#include "router/dispatch/ledger/messages.h"
#include "router/dispatch/traffic_counters.h"
#include "router/dispatch/worker_view.h"
#include "router/once/keyed_request.h"
#include "router/once/messages.h"

namespace ringway::router {

using dispatch::AttemptId;

// The reason of a job that left a long line for another region, beneath the table.
inline constexpr std::string_view kSpillReason = "spill";
// Of one that came home again, because the other region had taken in its cap.
inline constexpr std::string_view kImportCapReason = "import-cap";

// Of one that the table sheds and an idle worker at home took.
inline constexpr std::string_view kIdleAtHomeReason = "idle-at-home";

// Why a job goes where it goes. `reason` is a literal: the table's reason, or this router's own.
struct RouteChoice {
  RegionId target;
  std::string_view reason = "home";
  std::int8_t ring = kHomeRing;
  bool shed = false;
  bool if_idle = false;  // the table balances means: a job goes there when a worker there is believed idle
};

struct OfferToWorker {
  JobId job;
  AttemptId attempt = 0;
  WorkerId worker;
  Lease lease = {};  // none: the router probes
};

struct ForwardToRouter {
  JobId job;
  AttemptId attempt = 0;
  RouterId router;
  RouteChoice route;
  TableVersion table;
  bool landing = false;  // started there at once, or refused
};

// The attempt is not wanted any more. AttemptEnded still follows.
struct WithdrawAttempt {
  JobId job;
  AttemptId attempt = 0;
  WorkerId worker;
  RouterId router;
  Outcome why = Outcome::kCancelled;  // kTimeout: it has not answered in time
};

// Where the job went and what it cost. Durations are zero for what did not happen.
struct JobTrace {
  RouteChoice route;
  WorkerId worker = {};  // that ran it, in this region
  RouterId router = {};  // that answered it, in another region
  std::uint32_t attempts = 0;
  std::uint32_t busy = 0;
  Duration delay = ZeroDuration();
  Duration wait = ZeroDuration();
  Duration service = ZeroDuration();
  TableVersion table = {};
};

struct EndJob {
  JobId job;
  Outcome outcome = Outcome::kDone;
  Duration retry_after = ZeroDuration();
  bool import_full = false;  // refused: the region has taken in its cap of other regions' jobs
  std::string message = {};
  JobTrace trace = {};
  once::Result result = {};  // of a job that was done before: it is answered with this
};

struct TierCounts {
  dispatch::TrafficCounters counters;
  std::uint64_t waiting = 0;
  Fence appointment = {};  // of a leader in this region, the latest that is known; the node fills it in
};

struct SendReport {
  std::uint64_t sequence = 0;
  Duration period = ZeroDuration();
  IdVector<TierId, TierCounts> tiers = {};
  TableVersion table = {};
  std::uint64_t epoch_seen_max = 0;
  TableVersion view = {};  // of the routers that keep records of keys; version 0: none
};

// A table became active, or was refused and why. From disk: nobody waits for an acknowledgement.
struct TableDecided {
  TableVersion version;
  bool active = false;
  bool from_disk = false;
  std::string refusal = {};
};

// Where the tier's jobs may go from here, nearest first: for the ledger, should this router lead it.
struct AimLedger {
  TierId tier;
  std::vector<ledger::AwayTarget> targets;
};

// For the leader of the tier's ledger, wherever it sits.
struct TellLedger {
  TierId tier;
  RouterId leader;
  ledger::LedgerEvent event;
};

// About keys, to another router; OnceReplied follows, exactly once.
struct AskReplica {
  RouterId to;
  once::Request request;
};
struct AnswerOnce {
  once::CallId call = 0;
  once::Reply reply;
};

using RouterAction = std::variant<OfferToWorker, ForwardToRouter, WithdrawAttempt, EndJob, SendReport,
                                  TableDecided, TellLedger, AskReplica, AnswerOnce, AimLedger>;

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTER_ACTION_H_
