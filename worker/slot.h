// The one unit of capacity of a worker: decides who gets it, and nothing else ever runs.
//
// A worker serves exactly one job: queued + in-flight <= 1. Whoever asks while the slot is taken is refused
// at once with a hint when to come back; the slot never queues (the routers hold the line). The slot is taken
// from the moment a job is admitted until the backend says that it ended, so a job whose cancellation has
// been asked for, but not yet obeyed, still holds it.
//
// Leases: a lease is a slot granted to one job by the leader of the region's ledger; which leases are still
// obeyed is the gate's to say (lease_gate.h), so no lease runs twice and none of a leader that was replaced
// runs at all. Offers without one come from routers that probe; they are served when the slot is free and
// move no fence. A lease that finds another one in the slot is a double grant, the one thing that the ledger
// promises never to do: it is refused as BUSY under a name of its own.
//
// Bounds: an upload that stalls, a job whose deadline passed and a drain that takes too long are stopped by
// NextWake(). After `failures_before_rest` failures in a row, a backend's own BUSY included, the slot rests
// for a while, because a broken worker that fails at once looks idle and would attract all traffic (the
// sinkhole of Prequal, NSDI'24).
//
// Invariants: at most one admitted attempt; every Offer is answered by exactly one Admit or Refuse; every
// Admit is followed by exactly one Ended; busy time and progress are monotone. Pure: time comes in, actions
// go out. O(1). One owner thread.
#ifndef RINGWAY_WORKER_SLOT_H_
#define RINGWAY_WORKER_SLOT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/job.h"
#include "core/lease.h"
#include "core/state.h"
#include "core/time.h"
#include "worker/lease_gate.h"
#include "worker/service_history.h"

namespace ringway {

// One try of one job at this worker; numbered by the shell, never reused.
using AttemptId = std::uint64_t;

struct SlotSettings {
  Duration service_prior = Seconds(1);  // expected service time before there is history
  Duration upload_max = Seconds(30);    // from admission until the payload is complete
  Duration drain_max = Minutes(10);     // a job still running then is stopped
  int failures_before_rest = 3;
  Duration rest = Seconds(5);
  Time started = UnixEpoch();  // rises from one life of the worker to the next
};

// ---- events ----
struct SlotOffer {
  AttemptId attempt = 0;
  std::string_view lease = {};  // as it came, for people; need not outlive the step
  Lease grant = {};             // what it says; none: the offer of a router that probes
  Time deadline = InfiniteFuture();
};
struct SlotPayloadComplete {
  AttemptId attempt = 0;
};
struct SlotProgress {
  AttemptId attempt = 0;
  std::uint32_t step = 0;
  std::uint32_t steps = 0;
};
// The backend is done with the job, one way or another: kDone, kCancelled, kRejected, kFailed, or kBusy when
// what it fronts serves somebody else. Sent exactly once for each StartJob.
struct SlotFinished {
  AttemptId attempt = 0;
  Outcome outcome = Outcome::kDone;
};
// The router withdrew the job, or its stream broke.
struct SlotWithdraw {
  AttemptId attempt = 0;
};
// The last one counts.
struct SlotDrain {
  bool drain = true;
  Duration lasts = InfiniteDuration();  // of a drain: after that it ends by itself
};
// A leader calls leases back. One that has been replaced is not obeyed.
struct SlotFenced {
  Fence by;             // its appointment
  Lease upto;           // this lease and all below are refused from now on
  bool revoke = false;  // and if the job of exactly this lease is in the slot, it is stopped
};
struct SlotWake {};
using SlotEvent = std::variant<SlotOffer, SlotPayloadComplete, SlotProgress, SlotFinished, SlotWithdraw,
                               SlotDrain, SlotFenced, SlotWake>;

// ---- actions ----
enum class Refusal : std::uint8_t { kBusy, kDraining, kResting, kStaleLease, kDoubleGrant, kExpired };
std::string_view RefusalReason(Refusal refusal);

struct AdmitAttempt {
  AttemptId attempt = 0;
};
struct RefuseAttempt {
  AttemptId attempt = 0;
  Refusal reason = Refusal::kBusy;
  Duration retry_after;  // a hint, zero: no reason to wait, ask elsewhere
};
struct StartJob {
  AttemptId attempt = 0;
};
// Ask the backend to give up; it answers with SlotFinished when it has.
struct StopJob {
  AttemptId attempt = 0;
};
struct AttemptEnded {
  AttemptId attempt = 0;
  Outcome outcome = Outcome::kDone;
  Duration held;  // from admission
};
// The slot's view changed in a way that others should hear of.
struct StateChanged {};
using SlotAction = std::variant<AdmitAttempt, RefuseAttempt, StartJob, StopJob, AttemptEnded, StateChanged>;

struct SlotView {
  bool busy = false;
  bool draining = false;
  bool resting = false;
  Duration drain_left = InfiniteDuration();  // until it ends by itself
  AttemptId attempt = 0;                     // 0: none
  std::string lease;                         // as it came
  Lease grant;                               // of the job in the slot
  Lease fence;                               // leases at or below are refused
  std::uint32_t step = 0;                    // of the job in the slot
  std::uint32_t steps = 0;
  Duration busy_total;
  Duration expected_free;  // zero: free now
};

class Slot {
 public:
  explicit Slot(const SlotSettings& settings)
      : history_(settings.service_prior), gate_(settings.started), settings_(settings) {}

  void Step(Time now, const SlotEvent& event, std::vector<SlotAction>& actions) {
    std::visit([&](const auto& e) { On(now, e, actions); }, event);
  }
  template <class Event>
  void Step(Time now, const Event& event, std::vector<SlotAction>& actions) {
    On(now, event, actions);
  }
  // When the slot wants a SlotWake, infinite future: not at all.
  Time NextWake() const;
  SlotView View(Time now) const;
  // For the next announcement of the view: higher than all before, across restarts too.
  std::uint64_t NextSequence() { return gate_.NextSequence(); }
  // Of the last one.
  std::uint64_t sequence() const { return gate_.sequence(); }
  // Parts of the view that cost nothing.
  const Lease& fence() const { return gate_.fence(); }
  bool busy() const { return phase_ != Phase::kFree; }
  bool draining() const { return draining_; }
  bool resting(Time now) const { return now < resting_until_; }
  Duration busy_total(Time now) const { return busy() ? busy_before_ + (now - admitted_) : busy_before_; }

  RINGWAY_STATE(phase_, draining_, stop_outcome_, failures_in_row_, step_, steps_, attempt_, grant_,
                admitted_, started_, deadline_, drain_until_, drain_ends_, resting_until_, busy_before_,
                history_, gate_, lease_)

 private:
  enum class Phase : std::uint8_t { kFree, kReceiving, kRunning, kStopping };

  void On(Time now, const SlotOffer& offer, std::vector<SlotAction>& actions);
  void On(Time now, const SlotPayloadComplete& complete, std::vector<SlotAction>& actions);
  void On(Time now, const SlotProgress& progress, std::vector<SlotAction>& actions);
  void On(Time now, const SlotFinished& finished, std::vector<SlotAction>& actions);
  void On(Time now, const SlotWithdraw& withdraw, std::vector<SlotAction>& actions);
  void On(Time now, const SlotDrain& drain, std::vector<SlotAction>& actions);
  void On(Time now, const SlotFenced& fenced, std::vector<SlotAction>& actions);
  void On(Time now, const SlotWake& wake, std::vector<SlotAction>& actions);

  bool Holds(AttemptId attempt) const { return phase_ != Phase::kFree && attempt == attempt_; }
  Duration ExpectedFree(Time now) const;
  // Gives the attempt up with `outcome`: at once while nothing runs, else through the backend.
  void Stop(Time now, Outcome outcome, std::vector<SlotAction>& actions);
  void Release(Time now, Outcome outcome, std::vector<SlotAction>& actions);
  void NoteHealth(Time now, Outcome outcome);

  // In the order of use: what every job touches comes first.
  Phase phase_ = Phase::kFree;
  bool draining_ = false;
  Outcome stop_outcome_ = Outcome::kCancelled;
  int failures_in_row_ = 0;
  // Of the attempt in the slot; meaningless while it is free.
  std::uint32_t step_ = 0;
  std::uint32_t steps_ = 0;
  AttemptId attempt_ = 0;
  Lease grant_;
  Time admitted_ = InfinitePast();
  Time started_ = InfinitePast();
  Time deadline_ = InfiniteFuture();

  Time drain_until_ = InfiniteFuture();  // a job that runs then is stopped
  Time drain_ends_ = InfiniteFuture();   // by itself
  Time resting_until_ = InfinitePast();  // infinite past: not resting
  Duration busy_before_;                 // of attempts that have ended
  ServiceHistory history_;
  LeaseGate gate_;
  std::string lease_;  // of the attempt
  SlotSettings settings_;
};

}  // namespace ringway

#endif  // RINGWAY_WORKER_SLOT_H_
