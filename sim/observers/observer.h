// Somebody who sees everything that happens in a simulation and decides nothing: checkers, tallies,
// recorders.
//
// Calls come in the order of events, at the stage's current time. Observers must not post events, so that
// looking at a run does not change it.
#ifndef RINGWAY_SIM_OBSERVERS_OBSERVER_H_
#define RINGWAY_SIM_OBSERVERS_OBSERVER_H_

#include <string>

#include "core/ids.h"
#include "core/job.h"
#include "core/table.h"
#include "core/time.h"
#include "sim/stage.h"

namespace ringway::sim {

// One submission of a user.
struct Submission {
  JobSerial serial = 0;
  UserIndex user = 0;
  TierId tier;
  RegionId region;  // of the user
  Priority priority = 0;
  bool again = false;                           // not the user's first
  double service_s = 0;                         // that it will take a worker
  Duration patience = InfiniteDuration();       // until the user is gone
  std::uint32_t tenant = RecordedJob::kNobody;  // an index into the scenario's tenants
  std::uint64_t key = 0;                        // idempotency key; 0: none
  RouterId entry = {};                          // that the request is sent to; invalid: there is none
};

// How it ended for the user.
struct Ending {
  JobSerial serial = 0;
  TierId tier;
  RegionId region;
  Priority priority = 0;
  Outcome outcome = Outcome::kDone;
  JobSerial done_by = 0;       // of a job that is done: the submission that ran; 0: this one
  RegionId served_in;          // invalid: nowhere
  Duration latency;            // from the submission to the answer
  Duration wait;               // until a worker started
  std::uint32_t attempts = 0;  // offers to workers, as the router told
  bool spilled = false;        // went to another region than the table chose
};

// A submission that has no answer when the run is over.
struct Unfinished {
  JobSerial serial = 0;
  TierId tier;
  RegionId region;
  Time submitted;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnSubmitted(Time, const Submission&) {}
  virtual void OnEnded(Time, const Ending&) {}
  // A leader decided to grant; a repeated answer repeats it.
  virtual void OnGranted(Time, WorkerId, const Lease&) {}
  virtual void OnOffered(Time, WorkerId, const OfferNote&) {}
  virtual void OnRefused(Time, WorkerId, const OfferNote&) {}
  virtual void OnStarted(Time, WorkerId, const OfferNote&) {}
  // The worker is free again. `finished`: the job ran to its end.
  virtual void OnFreed(Time, WorkerId, const OfferNote&, bool /*finished*/) {}
  virtual void OnWorkerDied(Time, WorkerId) {}
  // Its process ended, or began anew.
  virtual void OnRouterDied(Time, RouterId) {}
  virtual void OnRouterStarted(Time, RouterId) {}
  // Each second in which it has not read yet what others recorded of keys before its view.
  virtual void OnRouterReading(Time, RouterId) {}
  // A router asks another one to record that a key is claimed.
  virtual void OnClaimAsked(Time, RouterId /*of*/, const router::once::ClaimId&) {}
  // A partition of the network begins, or heals.
  virtual void OnPartition(Time, bool /*begins*/) {}
  // The stream over which a router has the job carried out, while both its ends live: the other end may go on
  // with it for a while.
  virtual void OnStreamBroke(Time, JobSerial) {}
  virtual void OnForwarded(Time, RouterId /*from*/, RouterId /*to*/, JobSerial) {}
  // The controller sends it to routers, which may refuse it.
  virtual void OnTablePublished(Time, const RoutingTable&) {}
  virtual void OnTableActive(Time, RouterId, const RoutingTable&) {}
  // It starts from what was on its disk before writes were lost.
  virtual void OnOldDisk(Time, RouterId) {}
  // An operator had a router cancel the job. A router has carried out an order; the controller has it in its
  // audit log; the log that a controller begins with lacks entries that were made.
  virtual void OnJobCancelled(Time, JobSerial) {}
  virtual void OnOrderDone(Time, RouterId, const std::string& /*id*/) {}
  virtual void OnOrderRecorded(Time, const std::string& /*id*/) {}
  virtual void OnAuditLost(Time) {}
  virtual void OnSecond(Time) {}
  // After everything else, once for each job in flight.
  virtual void OnUnfinished(Time, const Unfinished&) {}
  // A hint to the memory: something happens to this job at this worker soon.
  virtual void Foresee(WorkerId, JobSerial) const {}
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_OBSERVERS_OBSERVER_H_
