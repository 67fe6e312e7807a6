// The workers of a simulation: the production node, and a virtual GPU that is busy for the time a job takes.
//
// A worker decides as the daemon does, with its node (worker/worker_node.h); here streams are carried in
// virtual time. What one router is to hear in one moment travels together, and what a heartbeat says to
// leaders of ledgers is handed over in rounds (Beat), because there are many; all other routers look it up
// when they report (shown). A payload comes in one piece, with the offer to a plain server and else when its
// router has heard that it was accepted; a result is fetched with the end. A job that is withdrawn or
// cancelled frees the worker at the next solver step. Faults: a dead worker refuses connections and
// loses its job; a slow one takes longer; a sinkhole fails every job at once; one that was started as a
// worker of another tier rejects all.
//
// Workers are ordered by region, then tier, so that a region's workers are a range: routers know them by
// their place in it.
//
// Complexity: a few steps a job. One owner.
#ifndef RINGWAY_SIM_FLEET_WORKERS_H_
#define RINGWAY_SIM_FLEET_WORKERS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/cache_line.h"
#include "core/ids.h"
#include "sim/fleet/tap.h"
#include "sim/kernel/prefetch.h"
#include "sim/scenario.h"
#include "sim/stage.h"
#include "worker/worker_node.h"

namespace ringway::sim {

struct WorkerPlace {
  TierId tier;
  RegionId region;
  RouterId local;
};

// Where it is reached.
std::string AddressOf(WorkerId worker);

// Mostly the router beside the worker, and the leader of its ledger.
using Watchers = absl::InlinedVector<Watcher, 2>;

class Workers {
 public:
  Workers(Stage& stage, const Scenario& scenario, IdVector<WorkerId, WorkerPlace> places);

  void OnOffer(WorkerId worker, const OfferNote& note);
  // UploadEnded (the whole payload has come), AttemptWithdrawn or AttemptCancelled. One that is not in the
  // slot has ended, or was refused, and its answer is on the way.
  template <class Event>
  void OnAttempt(WorkerId worker, const Caller& caller);
  void OnFence(WorkerId worker, const FenceNote& note);
  void OnServiceEnds(WorkerId worker, std::uint32_t run);
  void OnWake(WorkerId worker);

  // It is told to take nothing new, or to serve again.
  void Drain(WorkerId worker, bool drain);
  void Kill(WorkerId worker);
  // Its host's clock may be behind.
  void Revive(WorkerId worker, Duration clock_back = ZeroDuration());
  void SetSlowness(WorkerId worker, double factor) { sites_[worker].slowness = factor; }
  void SetSinkhole(WorkerId worker, bool sinkhole) { sites_[worker].sinkhole = sinkhole; }
  // It is told to end, and is dead when it is quiet.
  void Stop(WorkerId worker) {
    if (alive(worker)) StepAlone(worker, StopOrdered{});
  }
  // Its operator ends it so, and starts it anew; `wrong_tier`: as a worker of a tier that the fleet does not
  // have.
  void Restart(WorkerId worker, bool wrong_tier);
  // That it says to serve; invalid: one that the fleet does not have.
  TierId TierSaid(WorkerId worker) const {
    return shown_[worker].wrong_tier ? TierId() : places_[worker].tier;
  }
  void FailNext(WorkerId worker, int jobs) { sites_[worker].fail_next = jobs; }
  bool WillFail(WorkerId worker) const { return sites_[worker].fail_next > 0; }
  // Its process is stopped; what happens to it before then waits (Simulation::HeldUntil).
  void Stall(WorkerId worker, std::int64_t until_ns) { shown_[worker].stalled_until_ns = until_ns; }
  std::int64_t stalled_until_ns(WorkerId worker) const { return shown_[worker].stalled_until_ns; }
  // Runs, and does not fail of itself.
  bool Healthy(WorkerId worker) const {
    const Site& site = sites_[worker];
    return site.alive && !site.sinkhole && !shown_[worker].wrong_tier && site.fail_next == 0 &&
           !slot(worker).resting(stage_.Now()) && !slot(worker).draining() &&
           stalled_until_ns(worker) <= stage_.queue.now_ns();
  }
  // The router's streams broke.
  void LoseRouter(RouterId router);

  // What the workers say whose heartbeat is due, in the order of workers.
  struct Heartbeat {
    WorkerId worker;
    ledger::Announce announce;
  };
  void Beat(std::vector<Heartbeat>& beats);

  // A hint to the memory: the worker is about to be used.
  void Foresee(WorkerId worker) const {
    Prefetch(&sites_[worker]);
    Prefetch(&beats_ns_[worker]);
    Prefetch(&shown_[worker]);
    Prefetch(&places_[worker]);
  }
  const OfferNote& NoteOf(WorkerId worker) const { return sites_[worker].note; }

  // Between a worker and a router of its region.
  std::int64_t HopNs(WorkerId worker, RouterId router) const;

  // A watch stream has reached the worker, which answers with its state.
  void AddWatcher(WorkerId worker, const Watcher& watcher);
  void RemoveWatcher(WorkerId worker, WatchNumber watch);
  const Watchers& watchers(WorkerId worker) const { return shown_[worker].watchers; }

  // A worker died: this watcher's stream breaks. May be left unset.
  std::function<void(WorkerId, const Watcher&)> on_watch_broke;

  const IdVector<WorkerId, WorkerPlace>& places() const { return places_; }
  // The region's workers, and of these the tier's, from the first to before the second.
  std::pair<WorkerId, WorkerId> Range(RegionId region) const {
    const RegionId next(region.index() + 1);
    return {first_[region], next == first_.end_id() ? places_.end_id() : first_[next]};
  }
  std::pair<WorkerId, WorkerId> Range(RegionId region, TierId tier) const { return ranges_[region][tier]; }
  // The number by which routers of its region know a worker, and back.
  WorkerId InRegion(WorkerId worker) const {
    return WorkerId(worker.index() - first_[places_[worker].region].index());
  }
  WorkerId Global(RegionId region, WorkerId in_region) const {
    return WorkerId(first_[region].index() + in_region.index());
  }
  std::size_t count() const { return places_.size(); }
  bool alive(WorkerId worker) const { return sites_[worker].alive; }
  bool plain(WorkerId worker) const { return scenario_.service[places_[worker].tier].plain; }
  // A worker as it last showed itself, and to whom. All that a report needs, in one cache line, because all
  // workers are reported every second.
  struct alignas(kCacheLine) Shown {
    std::int64_t busy_before_ns = 0;  // until busy_since_ns
    std::int64_t busy_since_ns = kIdle;
    std::int64_t stalled_until_ns = 0;
    Watchers watchers;
    bool healthy = true;
    bool draining = false;
    bool wrong_tier = false;  // it was started as one of a tier that the fleet does not have

    static constexpr std::int64_t kIdle = -1;
    bool busy() const { return busy_since_ns != kIdle; }
    std::int64_t BusyNs(std::int64_t now_ns) const {
      return busy_before_ns + (busy() ? now_ns - busy_since_ns : 0);
    }
    bool WatchedBy(WatchNumber watch) const {
      return watch != 0 && std::any_of(watchers.begin(), watchers.end(),
                                       [watch](const Watcher& w) { return w.watch == watch; });
    }
    dispatch::WorkerNews News() const {
      using dispatch::WorkerState;
      return {.state = !healthy ? WorkerState::kFailed
                       : busy() ? WorkerState::kBusy
                                : WorkerState::kIdle,
              .draining = draining};
    }
  };
  const Shown& shown(WorkerId worker) const { return shown_[worker]; }
  const Slot& slot(WorkerId worker) const { return sites_[worker].node.slot(); }

 private:
  // Begins with a cache line, and ends with what the node seldom needs.
  struct alignas(kCacheLine) Site {
    explicit Site(const WorkerSettings& settings) : node(settings) {}
    bool alive = true;
    bool sinkhole = false;
    bool started = false;
    bool fails = false;              // the job that runs
    std::optional<bool> restarts{};  // with a wrong tier, or its own, when it is quiet
    int fail_next = 0;               // jobs
    std::uint32_t run = 0;           // counts starts and stops; a stale end is recognised by it
    double slowness = 1;
    AttemptId last_attempt = 0;  // this worker's own numbers, for its node
    std::int64_t started_ns = 0;
    std::int64_t ends_ns = 0;
    WakeCall wake;
    OfferNote note;  // of the attempt in the slot
    WorkerNode node;
  };

  // What a worker says in one moment, and what a node's steps in it hand out (WorkerShell).
  struct Turn {
    Workers& workers;
    WorkerId worker;
    Site& site;
    std::vector<SlotAction>& slot_actions;
    const OfferNote* offer = nullptr;  // that it is told of

    RouterMessage::OnAttempt on_attempt = RouterMessage::OnAttempt::kNothing;
    Caller caller = {};
    Outcome outcome = Outcome::kFailed;
    bool answered = false;
    bool may_have_started = true;
    Duration retry_after = {};
    std::uint64_t told = 0;    // the number of what watchers hear; 0: nothing
    bool announces = false;    // to leaders of ledgers, too
    std::uint64_t answer = 0;  // of what the caller hears who fenced
    AttemptId ended = 0;       // its stream closes
    bool finished = false;     // the job of the backend, for whoever looks on
    bool quiet = false;

    void Ended(const Caller& of, Outcome how, bool said, bool begun);
    template <class Event>
    void SlotStepped(const Event& event, const std::vector<SlotAction>& actions);
    template <class Action>
    void Perform(const Action& action) {
      workers.stage_.kinds.worker_actions.Count(action);
      if constexpr (requires { Do(action); }) Do(action);
    }
    // The rest is for streams, logs, figures and backends.
    void Do(const AcceptAttempt& accept);
    void Do(const EndAttempt& end);
    void Do(const StartWork&) { workers.Start(worker); }
    void Do(const CancelWork&) { workers.StopAtNextStep(worker); }
    void Do(const TellWatchers& tell) {
      told = tell.sequence;
      announces = tell.announces;
    }
    void Do(const TellWatcher& tell);
    void Do(const TellCaller& tell) { answer = tell.sequence; }
    void Do(const WentQuiet&) { quiet = true; }
  };

  Turn TurnOf(WorkerId worker) { return {*this, worker, sites_[worker], slot_actions_}; }
  template <class Event>
  void Step(Turn& turn, const Event& event) {
    stage_.kinds.worker_events.Count(event);
    if (stage_.tap != nullptr) [[unlikely]]
      return TellStep(*stage_.tap, turn.worker, turn.site.node, stage_.Now(), event, turn);
    turn.site.node.Step(stage_.Now(), event, turn);
  }
  // Carries what was said, and asks to be woken.
  void End(Turn& turn);
  template <class Event>
  void StepAlone(WorkerId worker, const Event& event) {
    Turn turn = TurnOf(worker);
    Step(turn, event);
    End(turn);
  }
  void Start(WorkerId worker);
  void StopAtNextStep(WorkerId worker);
  // At which step its job is: told when somebody asks how long that takes, which is all that it is for.
  WorkProgressed StepOf(WorkerId worker) const;
  void Say(const Turn& turn);
  void Tell(WorkerId worker, const Watcher& watcher, std::uint64_t sequence, RouterMessage& message) const;
  void Show(WorkerId worker);
  void NoteBeat(WorkerId worker) { beats_ns_[worker] = Stage::Ns(sites_[worker].node.NextHeartbeat()); }
  ledger::Announce Announcement(WorkerId worker, std::uint64_t sequence) const;
  WorkerSettings SettingsFor(TierId tier) const;

  Stage& stage_;
  const Scenario& scenario_;
  IdVector<WorkerId, WorkerPlace> places_;
  IdVector<RegionId, WorkerId> first_;  // worker of each region
  IdVector<RegionId, IdVector<TierId, std::pair<WorkerId, WorkerId>>> ranges_;
  IdVector<WorkerId, Site> sites_;
  // When the heartbeat of each is due. Apart, because all are looked through.
  IdVector<WorkerId, std::int64_t> beats_ns_;
  IdVector<WorkerId, Shown> shown_;
  std::vector<SlotAction> slot_actions_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_WORKERS_H_
