// Which workers and routers a router knows: whom it tells its machine of, watches, and speaks for.
//
// A worker is known because the operator named it as local, because the directory lists it in this region, or
// because a pool's file has it. It is listed at the machine as long as one of these holds, its health check
// does not object and the fleet has its tier; what a heard worker says of its tier counts more than the
// directory. Watched are local workers, adopted ones, all of a tier whose ledger is led here (the leader must
// hear of every slot), kDrainingWatchedMax that the directory calls draining (while the controller is down
// nobody else tells that a drain has ended), and `watch_max` others, whose news are hints for probes.
//
// Adoption: a worker whose own router is gone is named to another one by the directory, which then watches it
// and reports it as its own. An adopted worker that fails or falls silent leaves the directory by that very
// report; since nobody else would see it come back, it is kept until it has been silent for
// kAdoptedSilentMax, or well and yet not listed for kHealedUnlistedMax. So is one that was down when it was
// adopted, and has never been heard here: its own router is forgotten before it may be back.
//
// A watch stream that breaks says nothing of the worker to others: its report calls it unhealthy only when
// the next one does not open either. Else a break of a tenth of a second would take the worker out of the
// directory, and from every router of the region, for as long as two reports take.
//
// Reports tell busy time since the last report: what the worker counted, extended to now while it is busy,
// but never by more than kNewsPeriodMax beyond its last word. A worker that restarts counts from zero again.
//
// Pure, for the daemon and the simulator, which carry what the actions say. Numbers of workers and routers
// are the shell's. Bounds: the shell's numbers; kWorkersReportedMax in a report. Complexity: O(workers known)
// for a directory, O(own workers) for a report, else O(log own workers). One owner thread.
#ifndef RINGWAY_ROUTER_WORKER_REGISTRY_H_
#define RINGWAY_ROUTER_WORKER_REGISTRY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/cache_line.h"
#include "core/ids.h"
#include "core/time.h"
#include "router/router_event.h"

namespace ringway::router {

// ---- events ----
// The operator named it: always known, watched and reported.
struct LocalWorkerNamed {
  WorkerId worker;
};
struct DirectoryWorker {
  WorkerId worker;
  TierId tier;              // invalid: one that the fleet does not have
  bool named_here = false;  // this router speaks for it
  bool draining = false;
};
struct DirectoryRouter {
  RouterId router;
  RegionId region;
  std::string name;
};
// The newest directory, as far as it concerns this region; this router itself is left out.
struct DirectoryGiven {
  std::vector<DirectoryRouter> routers;
  std::vector<DirectoryWorker> workers;
  bool partial = false;  // nobody is gone because this does not name him: the controller has just begun
  once::ViewPtr view =
      nullptr;  // of the routers, this one too, that keep the records of keys; null: not said
};
// The fleet has changed: what the tier that the worker, or the directory, named last is now.
struct TierResolved {
  WorkerId worker;
  TierId tier;
};
struct LeadershipSeen {
  TierId tier;
  bool leads = false;  // this router leads the tier's ledger
};
struct PoolGiven {
  TierId tier;
  std::vector<WorkerId> workers;
};
struct PoolWorkerChecked {
  WorkerId worker;
  bool healthy = true;
};
// Over its watch stream.
struct WorkerSaid {
  WorkerId worker;
  TierId tier;  // invalid: one that the fleet does not have
  bool healthy = true;
  bool draining = false;
  bool busy = false;
  Duration busy_total;  // over this life of the worker
};
// The shell opens the stream again by itself until told to stop.
struct WatchEnded {
  WorkerId worker;
  bool dead = false;  // nobody listens there; else nothing is known
};
using RegistryEvent = std::variant<LocalWorkerNamed, DirectoryGiven, TierResolved, LeadershipSeen, PoolGiven,
                                   PoolWorkerChecked, WorkerSaid, WatchEnded>;

// ---- actions; of the machine's events: WorkerListed, WorkerUnlisted, WorkerHeard, RouterListed,
// RouterUnlisted, RoutersComplete ----
struct WatchWorker {
  WorkerId worker;
};
struct UnwatchWorker {
  WorkerId worker;
};
// For the log: who speaks for the worker has changed.
struct AdoptionChanged {
  WorkerId worker;
  bool adopted = false;
};
// For the log: the worker gets no jobs, because the fleet does not have its tier.
struct TierNotServed {
  WorkerId worker;
};
using RegistryAction =
    std::variant<WorkerListed, WorkerUnlisted, WorkerHeard, RouterListed, RouterUnlisted, RoutersComplete,
                 WatchWorker, UnwatchWorker, AdoptionChanged, TierNotServed>;

// What a report says of one worker.
struct WorkerReported {
  WorkerId worker;
  // As it says; if the fleet does not have that one, as it was listed last: it is not healthy, but not
  // forgotten. Invalid: it never was.
  TierId tier = {};
  bool healthy = true;
  bool draining = false;
  bool busy = false;
  bool adopted = false;
  Duration busy_time;  // since the last report
};

class WorkerRegistry {
 public:
  // A controller takes no more workers from one router.
  static constexpr std::size_t kWorkersReportedMax = 1024;
  // As many are told that they drain, of one region and at a time, by an operator who drains it rack by rack.
  static constexpr std::size_t kDrainingWatchedMax = 256;
  // Workers speak at least once a second; beyond this a silent one's busy time is not guessed.
  static constexpr Duration kNewsPeriodMax = Seconds(2);
  static constexpr Duration kAdoptedSilentMax = Seconds(60);
  // As long as a report takes to come back in a directory, with delays and losses.
  static constexpr Duration kHealedUnlistedMax = Seconds(30);

  explicit WorkerRegistry(std::size_t watch_max) : watch_max_(watch_max) {}

  // Appends to `actions`.
  void Step(Time now, const RegistryEvent& event, std::vector<RegistryAction>& actions) {
    std::visit([&](const auto& e) { On(now, e, actions); }, event);
  }
  template <class Event>
  void Step(Time now, const Event& event, std::vector<RegistryAction>& actions) {
    On(now, event, actions);
  }
  // A watched worker says again what it said last, which nobody else has to hear.
  void HearRepeat(Time now, const WorkerSaid& said);
  // Appends what a report that is made now says of the workers that this router speaks for and has heard.
  void Report(Time now, std::vector<WorkerReported>& report);

  // Local or adopted: this router speaks for it.
  bool Own(WorkerId worker) const { return Has(worker, kLocal) || Has(worker, kAdopted); }
  // As it said last.
  bool busy(WorkerId worker) const { return workers_.contains(worker) && workers_[worker].busy; }
  bool local(WorkerId worker) const { return Has(worker, kLocal); }
  bool in_region(WorkerId worker) const { return Has(worker, kInRegion); }
  bool in_pool(WorkerId worker) const { return Has(worker, kInPool); }
  // Of a pool's worker: its health check does not object.
  bool well(WorkerId worker) const { return !Has(worker, kUnwell); }
  bool watched(WorkerId worker) const { return Has(worker, kWatched); }
  bool listed(WorkerId worker) const { return Has(worker, kListed); }
  // As it or the directory said last; invalid: nobody has, or the fleet does not have it.
  TierId tier(WorkerId worker) const { return workers_.contains(worker) ? workers_[worker].tier : TierId(); }
  const std::vector<WorkerId>& own() const { return own_; }

 private:
  using Actions = std::vector<RegistryAction>;
  enum Flag : std::uint16_t {
    kLocal = 1,
    kInRegion = 2,
    kAdopted = 4,
    kInPool = 8,
    kUnwell = 16,
    kWatched = 32,
    kListed = 64,
    kHint = 128,       // watched as one of watch_max
    kTierKnown = 256,  // somebody has said which, though the fleet may not have it
    kHeard = 512,
    kDraining = 1024,      // the directory says so
    kDrainWatched = 2048,  // as one of kDrainingWatchedMax
  };
  // One cache line: a leader hears of every job of thousands of workers.
  struct alignas(kCacheLine) Known {
    TierId tier;
    TierId listed_tier;
    std::uint16_t flags = 0;
    std::uint16_t mark = 0;  // scratch: named by the directory, or the pool, that is being read
    // As it said last.
    bool healthy = false;
    bool draining = false;
    bool busy = false;
    bool broke = false;  // its watch stream, and it has not been heard since
    Time heard = InfinitePast();
    Time healed = InfinitePast();  // when it last became healthy
    Duration busy_total;
    Duration busy_reported;
  };

  void On(Time now, const LocalWorkerNamed& event, Actions& actions);
  void On(Time now, const DirectoryGiven& event, Actions& actions);
  void On(Time now, const TierResolved& event, Actions& actions);
  void On(Time now, const LeadershipSeen& event, Actions& actions);
  void On(Time now, const PoolGiven& event, Actions& actions);
  void On(Time now, const PoolWorkerChecked& event, Actions& actions);
  void On(Time now, const WorkerSaid& event, Actions& actions);
  void On(Time now, const WatchEnded& event, Actions& actions);

  bool Has(WorkerId worker, Flag flag) const {
    return workers_.contains(worker) && (workers_[worker].flags & flag) != 0;
  }
  bool HasAll(const Known& known, unsigned flags) const { return (known.flags & flags) == flags; }
  Known& At(WorkerId worker) {
    if (!workers_.contains(worker)) MakeRoom(worker);
    return workers_[worker];
  }
  void MakeRoom(WorkerId worker);
  // It has said nothing yet, as far as is believed from now on.
  static void ForgetSaid(Known& known);
  static void Set(Known& known, Flag flag, bool on) {
    known.flags = static_cast<std::uint16_t>(on ? known.flags | flag : known.flags & ~flag);
  }
  // True: it had not been heard before.
  bool Hear(Time now, const WorkerSaid& said);
  // It says to serve another tier than is known.
  bool NamesTier(const WorkerSaid& said) const {
    const Known& known = workers_[said.worker];
    return !HasAll(known, kTierKnown) || known.tier != said.tier;
  }
  void TakeTier(Time now, const WorkerSaid& said, bool first, Actions& actions);
  void TakeRouters(const std::vector<DirectoryRouter>& routers, bool partial, Actions& actions);
  void TakeWorker(Time now, const DirectoryWorker& entry, Actions& actions);
  // Not named any more.
  void Leave(Time now, WorkerId worker, Actions& actions);
  void Adopt(Time now, WorkerId worker, bool adopted, Actions& actions);
  void SetOwn(WorkerId worker, bool own);
  // Lists the worker at the machine, or takes it off, as its flags say. `again`: says so even where nothing
  // has changed.
  void List(WorkerId worker, Actions& actions, bool again = false);
  void Watch(WorkerId worker, Actions& actions);
  bool Leads(TierId tier) const { return leads_.contains(tier) && leads_[tier]; }
  static Duration BusyTime(const Known& known, Time now) {
    if (!known.busy || !known.healthy) return known.busy_total;
    return known.busy_total + std::min(now - known.heard, kNewsPeriodMax);
  }
  // Of `total` so far, what no report has said yet; remembers that this one does.
  static Duration BusySinceReported(Known& known, Duration total);

  std::size_t watch_max_;
  std::size_t hints_ = 0;           // workers watched for hints only
  std::size_t drains_watched_ = 0;  // workers watched for the end of their drain only
  std::uint16_t mark_ = 0;
  IdVector<WorkerId, Known> workers_;
  std::vector<WorkerId> own_;      // in order
  std::vector<RouterId> routers_;  // of the newest directory, in order
  IdVector<TierId, char> leads_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WORKER_REGISTRY_H_
