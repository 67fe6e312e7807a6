// One job inside a router, and lines of jobs that wait.
//
// Records live in an arena indexed by JobId and are reused; a job's round of probes keeps its capacity, so a
// router in steady state allocates nothing. The waiting lines of a tier thread through the records
// (intrusive, one list for each priority, oldest first): joining, leaving and taking the front are O(1).
//
// Invariants: a record is in one line at most: in that of the sleeping ones exactly while its phase is
// kAsleep, in that of those that may spill exactly while `may_spill`, and then it is kAsking. One owner
// thread.
#ifndef RINGWAY_ROUTER_JOB_RECORD_H_
#define RINGWAY_ROUTER_JOB_RECORD_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/prefetch.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router {

enum class JobPhase : std::uint8_t {
  kFree,       // no job
  kDelayed,    // made executable a little later, under pressure
  kAsking,     // stands in the ledger's waiting line
  kLeaving,    // has asked to leave it, to go to another region
  kAsleep,     // between two rounds of probes
  kOffered,    // a worker has been asked
  kForwarded,  // another router has been asked
  kRunning,    // a worker, here or there, has started
  kRecording,  // its key is being claimed, or another request with the key is waited for
  kSettling,   // it is done, and that is being recorded
};

// Routers of the target region that one job may be sent to, one after the other.
inline constexpr std::size_t kForwardsMax = 4;
// Workers that may fail with one job; it is sent to no more of them, and only the first is blamed. A request
// that kills its worker must not go round the fleet.
inline constexpr int kWorkersFailedMax = 2;
// Granted workers that may answer BUSY to one job: a grant says that the worker is free, so these serve
// others behind the ledger's back, or answer so whatever they are asked.
inline constexpr int kBusyAnswersMax = 16;
// Routers of a region that may refuse a spilled job because of their part of the import cap, before it goes
// home: each costs it a round trip.
inline constexpr int kImportRefusalsMax = 2;

// Begins with a cache line, and ends with what a job needs that probes, is forwarded or has a key.
struct alignas(kCacheLine) JobRecord {
  JobFacts facts;
  JobPhase phase = JobPhase::kFree;
  bool may_spill = false;  // stands in the tier's line of those
  bool spilled = false;
  bool imported = false;     // from another region, and counted as such
  bool import_full = false;  // refused there, or here, because of the region's import cap
  bool invited = false;      // the attempt is at a worker that said it is free
  bool restarted = false;
  bool done_elsewhere = false;  // settling: another router did it
  AttemptId attempt = 0;        // in flight; 0: none
  WorkerId worker;              // of the attempt
  RouterId router;
  RouteChoice route;
  absl::Time started = absl::InfiniteFuture();
  absl::Time finished = absl::InfiniteFuture();  // set while settling
  absl::Duration delay = absl::ZeroDuration();
  absl::Time home_since = absl::InfinitePast();  // in the home line
  RegionId away;                                 // counted as under way there
  JobId line_before;
  JobId line_after;
  int attempts = 0;         // offers to workers
  int busy = 0;             // of those, refused as busy
  int reserved = 0;         // tokens of the retry budget
  AttemptId withdrawn = 0;  // whose end has not been heard of

  std::string_view no_repeat;                      // why it cannot be offered again; empty: it can
  absl::Time forwarded_at = absl::InfinitePast();  // the last time
  int import_refusals = 0;                         // of the regions' routers
  int workers_failed = 0;                          // that had it and failed
  int rounds = 0;                                  // rounds of probes that found nobody
  int broke = 0;                                   // times it went to sleep because the budget had none
  bool round_offered = false;                      // somebody has been asked in this round
  std::vector<WorkerId> round;                     // to be asked, in this order
  std::size_t round_next = 0;
  std::array<RouterId, kForwardsMax> forwards;
  std::size_t forwards_made = 0;
  once::Result result;  // of a job that was done before

  std::span<const RouterId> routers_tried() const { return {forwards.data(), forwards_made}; }
  // A hint that something about the job comes soon; changes nothing.
  void Foresee() const { PrefetchRange(this, &no_repeat); }
  // A fresh record for `facts`; keeps the round's memory.
  void Begin(const JobFacts& new_facts);
};

using JobArena = IdVector<JobId, JobRecord>;

class WaitingLine {
 public:
  void Join(JobArena& jobs, JobId job);
  void Leave(JobArena& jobs, JobId job);
  // Most important priority first, oldest within it; invalid when nobody waits.
  JobId front() const;
  JobId front(Priority priority) const { return ends_[priority].first; }
  std::size_t size() const { return size_; }

 private:
  struct Ends {
    JobId first;
    JobId last;
  };
  PerPriority<Ends> ends_;
  std::size_t size_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOB_RECORD_H_
