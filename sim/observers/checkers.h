// Judges that do not trust the code under test: what must hold in every run, whatever goes wrong in it.
//
//  - slots: a worker never runs two jobs at once; a started worker was free; an end matches its start.
//  - leases: those granted of one worker rise; a worker starts only a granted one, each once, and none is
//  granted while the worker runs a leased job.
//  - jobs: each submission ends exactly once; none is served that was not submitted; nothing ends before it
//  began (causality);
//    at most one worker runs a job at a time, and a job without a key never runs to its end twice.
//  - keys: of all submissions with one idempotency key at most one completion is delivered, that of a run
//  which finished. Excused is a key in whose life two routers were without their records at a time: two of
//  its replicas may have forgotten it (docs/once.md). A router has them again when it says so, five seconds
//  after its start at the earliest.
//    A claim asks each replica a few times at most, however many fall silent meanwhile.
//    While one of them runs no other is started, unless its deadline has passed, the router that it was
//  forwarded to has died, the one that owns the key has started anew, or a stream broke over which it ran.
//  - conservation: submitted = ended + in flight, each second.
//  - recovery: what sim/observers/recovery.h finds.
//  - tables, as the controller publishes them and as routers use them: rows sum to 1, fractions in [0, 1],
//  versions rise at each router.
//
// A checker keeps its own tables from what the observers see. A violation is recorded with the time and what
// happened last; a run with one has failed, whatever its figures. They are part of every simulation; the cost
// is a table access an event.
#ifndef RINGWAY_SIM_OBSERVERS_CHECKERS_H_
#define RINGWAY_SIM_OBSERVERS_CHECKERS_H_

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/cache_line.h"
#include "router/once/messages.h"
#include "sim/kernel/prefetch.h"
#include "sim/kernel/serial_table.h"
#include "sim/observers/observer.h"

namespace ringway::sim {

class Checkers : public Observer {
 public:
  static constexpr std::size_t kViolationsMax = 20;
  static constexpr std::size_t kLastEvents = 32;
  // Of three replicas one is asked again for each that falls silent, and for each time that the router stands
  // still.
  static constexpr int kClaimAsksMax = 8;

  Checkers(std::size_t workers, std::size_t routers);

  void OnSubmitted(Time now, const Submission& submission) override;
  void OnEnded(Time now, const Ending& ending) override;
  void OnGranted(Time now, WorkerId worker, const Lease& lease) override;
  void OnStarted(Time now, WorkerId worker, const OfferNote& note) override;
  void OnFreed(Time now, WorkerId worker, const OfferNote& note, bool finished) override;
  void OnWorkerDied(Time now, WorkerId worker) override;
  void OnRouterDied(Time now, RouterId router) override;
  void OnRouterStarted(Time now, RouterId router) override;
  void OnRouterReading(Time now, RouterId router) override;
  void OnClaimAsked(Time now, RouterId of, const router::once::ClaimId& claim) override;
  void OnPartition(Time now, bool begins) override;
  void OnTablePublished(Time now, const RoutingTable& table) override;
  void OnTableActive(Time now, RouterId router, const RoutingTable& table) override;
  void OnOldDisk(Time now, RouterId router) override;
  void OnJobCancelled(Time now, JobSerial serial) override;
  void OnStreamBroke(Time now, JobSerial serial) override;
  void OnSecond(Time now) override;
  void Foresee(WorkerId worker, JobSerial serial) const override {
    Prefetch(&workers_[worker]);
    jobs_.Foresee(serial);
  }

  // Call when nothing is on its way any more: every submission must have ended.
  void CheckDrained(Time now);
  // What somebody else has found broken.
  void Violate(Time now, std::string what);
  // One text each, with the last events before it.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct JobEntry {
    Time submitted;
    std::uint32_t running = 0;   // workers that run it now
    std::uint32_t finished = 0;  // times it ran to its end
    bool ended = false;
    bool left = false;    // its client, though it has a key
    bool adrift = false;  // a stream of it broke: whoever ran it may not have noticed yet
    std::uint64_t key = 0;
    RouterId entry;  // which owns the key as long as the job runs
  };
  // Of a job with a key.
  struct KeyedRun {
    WorkerId worker;
    JobSerial serial = 0;
    RouterId entry;
    RouterId router;  // that asked the worker
    Time began;
    Time deadline;  // its key is free from then on; the worker notices at its next step
  };
  // What became of an idempotency key.
  struct KeyEntry {
    Time first;               // when it was heard of
    JobSerial delivered = 0;  // whose completion users were given
    std::vector<JobSerial> finished;
    std::vector<KeyedRun> runs;  // under way
  };

  // What leaders said about a worker, and what it made of that. One cache line.
  struct alignas(kCacheLine) WorkerEntry {
    Lease granted;  // the last
    Lease started;
    JobSerial running = 0;  // 0: none
    bool leased = false;    // the one that runs
  };

  void CheckLease(Time now, WorkerId worker, const Lease& lease);
  void Remember(Time now, const char* what, std::uint64_t a, std::uint64_t b) {
    if (now < last_) RanBackwards(now);
    last_ = now;
    recent_[remembered_++ % kLastEvents] = {now, what, a, b};
  }
  void RanBackwards(Time now);
  bool Forgiven(const KeyEntry& key) const;
  // Who ran it, or owned its key, may not know of it any more.
  bool Orphaned(const KeyedRun& run);
  void CheckAlone(Time now, WorkerId worker, const OfferNote& note, const JobEntry& entry);
  void EndKeyedRun(WorkerId worker, const JobEntry& entry);
  void CheckRows(Time now, const RoutingTable& table);
  void CheckDone(Time now, const Ending& ending, const JobEntry& entry);
  void ForgetIfOver(JobSerial serial, const JobEntry& entry);

  // Submissions that have not ended, or that a worker still runs.
  SerialTable<JobEntry> jobs_;
  absl::flat_hash_map<std::uint64_t, KeyEntry> keys_;  // looked up only
  // How often each replica was asked for each claim: owner, its life, serial, replica.
  absl::flat_hash_map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, RouterId>, int> claim_asks_;
  IdVector<WorkerId, WorkerEntry> workers_;
  IdVector<RouterId, TableVersion> versions_;
  std::uint64_t submitted_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t open_ = 0;
  // A router's records are gone from its death until it has started again and learnt them.
  struct Loss {
    RouterId router;
    Time died;
    Time learnt = InfiniteFuture();
  };
  std::vector<Loss> losses_;  // in the order of deaths
  Time last_ = InfinitePast();
  struct Event {
    Time at;
    const char* what;
    std::uint64_t a;
    std::uint64_t b;
  };
  std::array<Event, kLastEvents> recent_{};  // a ring; the oldest at remembered_ % kLastEvents
  std::uint64_t remembered_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_OBSERVERS_CHECKERS_H_
