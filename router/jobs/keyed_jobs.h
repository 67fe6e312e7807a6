// Jobs with an idempotency key: claimed before they are dispatched, recorded before they are answered.
//
// A decorator of the machine of jobs (job_machine.h), which holds a keyed job after its admission. What the
// replicas of a key agree on is decided in once/; this puts it around a job:
//
//   held -> claimed by the replicas -> resumed -> ... -> done -> recorded by the replicas -> EndJob
//                                                     -> ended otherwise: the claim is dropped, EndJob
//        -> answered from the record, refused, or waiting for the request that runs the job
//
// The machine's EndJob of a job that is done is kept back until its end is on record. The router where a job
// entered sees to its key; the one that it is forwarded to does as it is told.
//
// Invariants: a keyed job runs, and is answered, only with the consent of the key's replicas, and ends at or
// before its deadline. Bound: one entry for each keyed job. Complexity: that of the machines; nothing for
// jobs without a key. One owner thread.
#ifndef RINGWAY_ROUTER_JOBS_KEYED_JOBS_H_
#define RINGWAY_ROUTER_JOBS_KEYED_JOBS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "core/state.h"
#include "core/time.h"
#include "router/dispatch/wake_heap.h"
#include "router/jobs/job_machine.h"
#include "router/once/once_machine.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router {

class KeyedJobs {
 public:
  explicit KeyedJobs(const once::Settings& settings) : once_(settings) {}
  bool on() const { return once_.on(); }

  // ---- events ----
  // The job that `jobs` has just admitted, or refused.
  void On(Turn& turn, JobMachine& jobs, const JobArrived& event);
  // Before the machine of jobs hears of it.
  void On(Turn& turn, const AttemptEnded& event);
  // Of a job that is being recorded; the machine of jobs knows it no more.
  void On(Turn& turn, const ClientGone& event);
  void On(Turn& turn, const RouterListed& event);
  void On(Turn& turn, const RouterUnlisted& event);
  void On(Turn& turn, const RoutersComplete& event);
  void On(const ControllerWelcomed& event) { once_.SeeEpoch(event.epoch); }
  void On(Turn& turn, const OnceAsked& event);
  void On(Turn& turn, const OnceReplied& event);

  // What is due by now, and what has happened in this turn. Looks at the actions from `first` on, and takes
  // those back that must wait.
  void Finish(Turn& turn, JobMachine& jobs, std::size_t first);
  Time NextWake() const { return std::min(wakes_.earliest(), once_.NextWake()); }

  // Jobs whose end is being recorded.
  std::size_t settling() const { return settling_; }
  const once::OnceMachine& once() const { return once_; }

  RINGWAY_STATE(once_, keyed_, settling_, wakes_)

 private:
  enum class Stage : std::uint8_t {
    kClaiming,  // its key is being claimed, or another request with the key is waited for
    kRunning,   // the machine of jobs has it
    kSettling,  // it is done, and that is being recorded
  };
  struct Keyed {
    Stage stage = Stage::kClaiming;
    Time deadline;
    AttemptId withdrawn = 0;  // whose end has not been heard of
    once::Result result;      // of the last attempt
    EndJob end;               // settling: what the client will be told
    RINGWAY_STATE(stage, deadline, withdrawn, result, end)
  };

  // Takes back the ends of keyed jobs that are not on record yet.
  void ReadActions(Turn& turn, std::size_t first);
  // True: it is to be kept back.
  bool OnEnd(Turn& turn, EndJob& end);
  void OnWake(Turn& turn, JobMachine& jobs, JobId id);
  void Act(Turn& turn, JobMachine& jobs, const once::OnceAction& action);
  void OnAnswered(Turn& turn, JobMachine& jobs, const once::Answered& answered);
  // The end of a held job; or the kept end, as it is now, of one that is being recorded.
  void EndHeld(Turn& turn, JobMachine& jobs, JobId id, const Ending& ending);
  void EndSettling(Turn& turn, JobId id, const Ending* instead);
  Keyed* Find(JobId id, Stage stage);
  void Forget(JobId id);

  once::OnceMachine once_;
  std::map<JobId, Keyed> keyed_;
  std::size_t settling_ = 0;
  std::size_t read_ = 0;  // of the turn's actions
  dispatch::WakeHeap wakes_{0};
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_KEYED_JOBS_H_
