// What can happen to a router, as values: the only input of its machine.
//
// The daemon makes these from gRPC callbacks, the simulator from its virtual network; the machine cannot tell
// which. Ids are dense and chosen by whoever makes the events: a JobId is free again after the machine's
// EndJob for it, a WorkerId or RouterId belongs to one name for the life of the process. An attempt is named
// by (job, attempt): what arrives late for an attempt that the job has given up is recognised and only frees
// the worker.
//
// Threads: values.
#ifndef RINGWAY_ROUTER_ROUTER_EVENT_H_
#define RINGWAY_ROUTER_ROUTER_EVENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/fleet.h"
#include "core/ids.h"
#include "core/job.h"
#include "core/table.h"
#include "core/time.h"
#include "router/dispatch/ledger/ledger_client.h"
#include "router/dispatch/worker_view.h"
#include "router/once/keyed_request.h"
#include "router/once/messages.h"

namespace ringway::router {

using dispatch::AttemptId;

// Of a job with an idempotency key.
struct OnceOptions {
  std::string key;                // with its tenant: keys of two tenants never meet
  std::uint64_t fingerprint = 0;  // of the whole request
};

// What decisions need of a job.
struct JobFacts {
  TierId tier;
  Priority priority = 0;
  RegionId source = {};    // where it first entered; invalid: not known here
  bool forwarded = false;  // by another router: it is served here or refused, never sent on
  bool spilled = false;    // forwarded beneath the table: refused when the region has taken in its cap
  bool landing = false;    // forwarded because a worker here was believed idle: refused if none is
  bool keyed = false;      // has an idempotency key: may be started again if its worker died
  bool safe = false;       // changes nothing (GET): may be started again whatever happened
  CostHint cost = {};
  Time arrived = InfinitePast();  // at the entry router
  Time deadline = InfiniteFuture();
  std::shared_ptr<const OnceOptions> once = nullptr;  // null: no key
};

struct JobArrived {
  JobId job;
  JobFacts facts;
};

// A worker, here or behind another router, has started the job.
struct AttemptAccepted {
  JobId job;
  AttemptId attempt = 0;
};

// Exactly one for each offer or forward, also for one that was withdrawn.
struct AttemptEnded {
  JobId job = {};
  AttemptId attempt = 0;
  WorkerId worker = {};  // of an offer
  RouterId router = {};  // of a forward
  Outcome outcome = Outcome::kFailed;
  bool answered = false;         // the peer said so; false: the way to it broke
  bool may_have_started = true;  // false: it is certain that no worker has seen the job
  Duration retry_after = ZeroDuration();
  bool import_full = false;  // busy, because the region has taken in its cap of other regions' jobs
  std::string message = {};  // for a person, when not done
  once::Result result = {};  // of a keyed job that is done: what its record will say
};

// How far an offer that failed got.
inline ledger::Contact ContactOf(const AttemptEnded& ended) {
  if (ended.answered) return ledger::Contact::kAnswered;
  return ended.may_have_started ? ledger::Contact::kBroke : ledger::Contact::kUnreached;
}

// Nobody waits for the job any more.
struct ClientGone {
  JobId job;
};
// Whoever forwarded it here wants it no more, and waits to hear how it ended.
struct JobWithdrawn {
  JobId job;
};

// The job cannot be offered a second time: its payload is not kept, or its result has begun to be delivered.
struct RepeatRuledOut {
  JobId job;
  std::string_view why;  // a literal, for example "the payload is too large to be kept"
};

struct WorkerListed {
  WorkerId worker;
  TierId tier;
  bool local = false;
};
struct WorkerUnlisted {
  WorkerId worker;
};
struct WorkerHeard {
  WorkerId worker;
  dispatch::WorkerNews news;
};

// Another router than this one.
struct RouterListed {
  RouterId router;
  RegionId region;
  std::string name = {};  // empty: it keeps no records of keys
};
struct RouterUnlisted {
  RouterId router;
};

// Every router of a directory has been listed. `view`: which keep the records of keys; null: it does not say.
struct RoutersComplete {
  once::ViewPtr view = nullptr;
};

// Ids of regions and tiers keep their meaning: a fleet only grows (router/fleet_merge.h).
struct FleetChanged {
  std::shared_ptr<const Fleet> fleet;
};

// Ids refer to the last FleetChanged.
struct TableOffered {
  std::shared_ptr<const RoutingTable> table;
  bool from_disk = false;
};

struct ControllerWelcomed {
  std::uint64_t epoch = 0;
  Duration report_period = Seconds(1);
};
struct ControllerLost {};

// Finish what is here, admit nothing new. False takes it back.
struct DrainChanged {
  bool draining = true;
};

// Who holds the slot ledger of the tier in this region. No router: nobody.
struct LeaderAppointed {
  TierId tier;
  ledger::CurrentLeader leader;
};
// What the leader said. Ids of workers are this process's own.
struct LeaderAnswered {
  TierId tier;
  ledger::LedgerAction answer;
};
// A sign of life. `again`: the way to the leader was broken and is whole again.
struct LeaderHeard {
  TierId tier;
  bool again = false;
  bool redirects = false;  // it knows which regions have idle workers, and decides who leaves for them
};

// Another router asks about a key; answered by AnswerOnce.
struct OnceAsked {
  once::CallId call = 0;
  once::Request request;
};
// What became of AskReplica. No reply: it may have been performed or not.
struct OnceReplied {
  RouterId from;
  once::Request request;
  std::optional<once::Reply> reply = std::nullopt;
};

struct TimePassed {};

using RouterEvent =
    std::variant<TimePassed, JobArrived, AttemptAccepted, AttemptEnded, ClientGone, RepeatRuledOut,
                 WorkerListed, WorkerUnlisted, WorkerHeard, RouterListed, RouterUnlisted, FleetChanged,
                 TableOffered, ControllerWelcomed, ControllerLost, DrainChanged, LeaderAppointed,
                 LeaderAnswered, LeaderHeard, RoutersComplete, OnceAsked, OnceReplied, JobWithdrawn>;

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ROUTER_EVENT_H_
