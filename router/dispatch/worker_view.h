// What this router knows about the workers of its region: who may be offered a job, and who better not.
//
// Knowledge comes from three places: the directory (who exists), the workers' watch streams (idle, busy,
// draining, unhealthy), and this router's own offers. Own offers are certain: a worker that holds one is
// never offered a second. The rest is advice: a worker said to be busy is tried last, not never, because the
// news may be old.
//
// Failures isolate: after `failures_min` in a row, or as many as failure_blame.h asks for, a worker is left
// alone for a time that doubles with every relapse; then it gets one trial job, and the first success clears
// it. One that could not be reached, or did not answer, returns as soon as its watch stream speaks. BUSY is
// not a failure and changes no count: a fleet at its capacity is healthy. Offers under a lease are counted by
// the ledger that granted them, which alone rests its workers: a lease is good for an isolated worker too.
//
// Invariants: `open` of a tier holds exactly the listed, healthy, not draining, not isolated workers without
// an own offer. Bounds: kWorkersMax. Complexity: O(1) per call, but OpenReturned over the isolated ones. One
// owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_WORKER_VIEW_H_
#define RINGWAY_ROUTER_DISPATCH_WORKER_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/job.h"
#include "core/state.h"
#include "core/time.h"
#include "router/dispatch/failure_blame.h"
#include "router/dispatch/idle_hints.h"

namespace ringway::dispatch {

// Number of one offer, unique within a router's life; 0: none.
using AttemptId = std::uint64_t;

enum class WorkerState : std::uint8_t { kUnknown, kIdle, kBusy, kFailed };

// What a worker's watch stream said. kUnknown: the stream broke.
struct WorkerNews {
  WorkerState state = WorkerState::kUnknown;
  bool draining = false;
};

struct IsolationSpec {
  int failures_min = 3;
  Duration hold_first = Seconds(1);
  Duration hold_max = Seconds(10);  // after its trouble, a worker serves again within seconds
};

class WorkerView {
 public:
  static constexpr std::size_t kWorkersMax = 65536;

  explicit WorkerView(const IsolationSpec& isolation = {}) : isolation_(isolation) {}

  // Adds a worker, or changes what the directory says of it.
  void List(WorkerId worker, TierId tier, bool local);
  // It takes no new job; one that it holds is still tracked.
  void Unlist(WorkerId worker);
  // Returns true if the worker became idle and may be offered a job.
  bool Hear(WorkerId worker, const WorkerNews& news, Time now);

  // An own offer begins. The worker must be open, or with a lease listed and without an own offer.
  void Claim(WorkerId worker, AttemptId attempt, bool leased = false);
  // The own offer `attempt` is over; ignored if the worker holds another. `busy_for` is the worker's hint of
  // how long it will be busy, with kBusy. `unreached`: it failed because the worker could not be reached.
  // Returns true if the worker is open again and probably idle.
  bool Release(WorkerId worker, AttemptId attempt, Outcome outcome, Duration busy_for, Time now,
               bool unreached = false);

  // It has not answered an offer in time: isolated at once, for a process that hangs takes every job that it
  // is asked for down with it (under a lease the ledger waits for its word). The own offer stays its until
  // Release.
  void Hung(WorkerId worker, Time now);

  // Brings back the workers whose isolation has passed. The router's machine calls it in every step, so that
  // a rest ends by time whether jobs are probed for or not.
  void OpenReturned(Time now) {
    if (now >= next_return_) EndRests(now);
  }

  bool listed(WorkerId worker) const { return entries_.contains(worker) && entries_[worker].listed; }
  bool open(WorkerId worker) const {
    return entries_.contains(worker) && entries_[worker].open_at != kNowhere;
  }
  // May be offered a job when its own offer, if it has one, is over.
  bool Usable(WorkerId worker, Time now) const {
    if (!listed(worker)) return false;
    const Entry& e = entries_[worker];
    return !e.draining && e.state != WorkerState::kFailed &&
           (e.rest == Rest::kNone || now >= e.isolated_until);
  }
  // Open, and said to be idle.
  bool Idle(WorkerId worker) const { return open(worker) && entries_[worker].state == WorkerState::kIdle; }
  bool isolated(WorkerId worker) const { return entries_[worker].rest != Rest::kNone; }
  bool local(WorkerId worker) const { return entries_[worker].local; }
  TierId tier(WorkerId worker) const { return entries_[worker].tier; }
  AttemptId held(WorkerId worker) const { return entries_[worker].held; }
  // Said to be busy, recently enough to be believed.
  bool LikelyBusy(WorkerId worker, Time now) const;

  // The workers of a tier that may be offered a job; the order is arbitrary and may be shuffled by the
  // caller through SwapOpen.
  const std::vector<WorkerId>& open_workers(TierId tier) const;
  void SwapOpen(TierId tier, std::size_t i, std::size_t j);
  const std::vector<WorkerId>& local_workers(TierId tier) const;
  IdleHints& hints(TierId tier) { return Pool(tier).hints; }
  // Of the tier's listed workers, the share known to be busy; 0 without workers.
  double BusyShare(TierId tier) const;
  std::size_t listed_workers(TierId tier) const;

  RINGWAY_STATE(isolation_, entries_, pools_, isolated_, next_return_)

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  enum class Rest : std::uint8_t { kNone, kSuspected, kUnreached };
  // One cache line.
  struct alignas(64) Entry {
    TierId tier;
    bool listed = false;
    bool local = false;
    bool draining = false;
    Rest rest = Rest::kNone;
    bool leased = false;        // the own offer
    bool counted = false;       // in its pool's `listed`
    bool counted_busy = false;  // in its pool's `busy`
    WorkerState state = WorkerState::kUnknown;
    std::int16_t failures = 0;  // in a row; isolation stops the count
    std::int16_t relapses = 0;  // isolations in a row, up to what the hold still grows with
    float fail_share = 0;       // of its answers
    std::uint32_t open_at = kNowhere;
    AttemptId held = 0;
    Time busy_until = InfinitePast();
    Time isolated_until = InfinitePast();
    bool counts() const {
      return listed && !draining && state != WorkerState::kFailed && rest == Rest::kNone;
    }
    bool is_busy() const { return held != 0 || state == WorkerState::kBusy; }
    RINGWAY_STATE(tier, listed, local, draining, rest, leased, counted, counted_busy, state, failures,
                  relapses, fail_share, open_at, held, busy_until, isolated_until)
  };
  struct TierPool {
    std::vector<WorkerId> open;
    std::vector<WorkerId> local;
    IdleHints hints;
    std::size_t listed = 0;
    std::size_t busy = 0;
    std::size_t suspected = 0;  // that rest
    FailureBaseline baseline;
    RINGWAY_STATE(open, local, hints, listed, busy, suspected, baseline)
  };
  TierPool& Pool(TierId tier) {
    if (!pools_.contains(tier)) MakePool(tier);
    return pools_[tier];
  }
  void MakePool(TierId tier);
  // Makes the pool's sets and counts agree with the entry, as they mostly do: who holds a worker knows that
  // it is busy.
  void Reindex(WorkerId worker) {
    const Entry& e = entries_[worker];
    const bool counted = e.counts();
    const bool same = counted == e.counted && (counted && e.is_busy()) == e.counted_busy &&
                      (counted && e.held == 0) == (e.open_at != kNowhere);
    if (!same) Move(worker);
  }
  void Move(WorkerId worker);
  void CountFailure(WorkerId worker, bool unreached, Time now);
  void EndRests(Time now);
  // Begins a rest, or ends it.
  void SetRest(Entry& entry, Rest rest);
  void EndRest(WorkerId worker);

  IsolationSpec isolation_;
  IdVector<WorkerId, Entry> entries_;
  IdVector<TierId, TierPool> pools_;
  std::vector<WorkerId> isolated_;
  Time next_return_ = InfiniteFuture();
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_WORKER_VIEW_H_
