// Where a tier's jobs find a slot in this region: the ledger's leader if there is one to be reached, else
// probes.
//
// The one place that chooses between the two. A job requests a slot with Acquire and gets one answer: a
// worker to be offered the job, or a refusal. If the worker does not take it, Retry requests another; Leave
// takes the job out of the line, for it to stand in another region's. When the leader falls silent its
// waiting jobs are probed for, and when it is back, each job requests from it at its next wake-up.
//
// Answers are read one by one (Next) by the machine that owns this, because what it does with one may make
// more. They are about requests that are still open when they are read.
//
// A leader that knows which regions have idle workers decides itself who leaves the line for them
// (LeaderRedirects); a request that prefers another region goes there without asking where no leader does.
//
// Invariants: a job waits in the leader's line or with the prober, never in both. Every Acquire or Retry is
// answered once: SlotGranted, SlotRefused, SlotElsewhere or LineLeft, unless the job is forgotten.
// Complexity: that of the two sources. Pure; one owner thread.
#ifndef RINGWAY_ROUTER_JOBS_SLOT_SOURCE_H_
#define RINGWAY_ROUTER_JOBS_SLOT_SOURCE_H_

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

#include "core/state.h"
#include "core/tier.h"
#include "core/time.h"
#include "router/dispatch/ledger/ledger_client.h"
#include "router/dispatch/prober.h"
#include "router/dispatch/slot_request.h"

namespace ringway::router {

using dispatch::SlotTurn;

// Granted workers that may answer BUSY to one job: a grant says that the worker is free, so these serve
// others behind the ledger's back, or answer so whatever they are asked.
inline constexpr int kBusyAnswersMax = 16;

// An offer that a granted worker did not take.
struct FailedOffer {
  bool leased = false;   // the worker was granted by the ledger
  bool refused = false;  // it answered BUSY; else the way to it failed
  int busy_answers = 0;  // to this job so far
};

class SlotSource {
 public:
  using Answer = ledger::ClientAction;

  SlotSource(TierId tier, const DispatchSpec& spec, Time started)
      : spec_(spec), prober_(tier, spec), client_(RouterId(0), started, ledger::ClientSettings{}) {}
  void Reconfigure(const DispatchSpec& spec);

  // ---- from the router's jobs ----
  void OnArrival(Time now) { prober_.OnArrival(now); }
  // The job must not be waiting.
  void Acquire(const SlotTurn& turn, JobId job, const dispatch::SlotRequest& request);
  void Retry(const SlotTurn& turn, JobId job, const dispatch::SlotRequest& request,
             const FailedOffer& failed);
  // Waits for an answer, and may leave.
  bool Waits(JobId job) const { return client_.Waits(job) || prober_.Waits(job); }
  // Waits in the leader's line.
  bool InLine(JobId job) const { return client_.Waits(job); }
  // After RoundDue: from the ledger if it can be reached, else a round of probes.
  void Look(const SlotTurn& turn, JobId job) { Seek(turn, job, prober_.request(job)); }
  // Answered by LineLeft. The job must be waiting, or its round be due.
  void Leave(const SlotTurn& turn, JobId job);
  // The worker that was granted has started the job.
  void Started(JobId job) { prober_.Started(job); }
  // The offer to the granted worker is over, and how.
  void Ended(JobId job, Outcome outcome, Duration retry_after, ledger::Contact contact);
  // The job is over: its request is withdrawn, or its lease given back. The JobId may be used again at once.
  void Forget(JobId job, Outcome outcome, Duration retry_after);
  bool HoldsLease(JobId job) const { return client_.HoldsLease(job); }

  // ---- from the workers ----
  // A worker is free: the job that has waited longest gets it now, before its timer. `beside`: it told this
  // router itself, and may have told others too. False: no job is asleep, and nothing has changed.
  bool Freed(const SlotTurn& turn, WorkerId worker, bool beside) {
    if (!prober_.AnyAsleep()) return false;
    if (!beside || !prober_.PutOff(turn, worker)) WakeFor(turn, worker, beside);
    return true;
  }
  // Whether an idle worker is worth a look, for a job that is refused otherwise.
  bool MayBeIdle(Time now, const dispatch::WorkerView& workers, TierId tier) const;

  // ---- from the leader and the directory ----
  void Follow(Time now, const ledger::CurrentLeader& leader) { client_.Follow(now, leader, answers_); }
  void Hear(Time now, const ledger::LedgerAction& answer);
  // A sign of life. `again`: the way to the leader was broken and is whole again. `redirects`: it knows which
  // regions have idle workers.
  void HearAlive(Time now, bool again, bool redirects);
  bool LeaderRedirects(Time now) const { return redirects_ && LedgerReachable(now); }

  // ---- time and answers ----
  Time NextWake() const { return std::min(client_.NextWake(), prober_.NextWake()); }
  // Whether Next may have something.
  bool Ready(Time now) const { return !answers_.empty() || NextWake() <= now; }
  // The next answer that concerns the machine, of what has happened and of what is due by now; good until the
  // next call. Null: there is no more.
  Answer* Next(const SlotTurn& turn) {
    for (;;) {
      if (read_ == reading_.size() && !ReadOn(turn)) return nullptr;
      Answer& answer = reading_[read_++];
      if (std::holds_alternative<ledger::TellLeader>(answer) || Concerns(turn, answer)) return &answer;
    }
  }

  // ---- for people ----
  Duration delay(JobId job) const { return prober_.delay(job); }
  int broke(JobId job) const { return prober_.broke(job); }
  double retry_balance() const { return prober_.balance(); }
  const ledger::LedgerClient& client() const { return client_; }

  RINGWAY_STATE(spec_, prober_, client_, answers_, read_, redirects_, none_idle_until_)

 private:
  bool LedgerReachable(Time now) const {
    return spec_.mode == DispatchMode::kLedger && client_.Reachable(now);
  }
  // From the ledger if it can be reached; else a round of probes.
  void Seek(const SlotTurn& turn, JobId job, const dispatch::SlotRequest& request);
  void RetryGranted(const SlotTurn& turn, JobId job, const dispatch::SlotRequest& request,
                    const FailedOffer& failed);
  // Gives the worker, or the ledger that owns it, the job that has waited longest.
  void WakeFor(const SlotTurn& turn, WorkerId worker, bool beside);
  void WakeOne(const SlotTurn& turn);
  void Add(const dispatch::Prober::Found& found);
  // All of reading_ has been read. False: there is no more.
  bool ReadOn(const SlotTurn& turn);
  // Whether the machine is to see it. False: dealt with here.
  bool Concerns(const SlotTurn& turn, const Answer& answer);
  bool MayOffer(const SlotTurn& turn, const dispatch::SlotGranted& granted);

  DispatchSpec spec_;
  dispatch::Prober prober_;
  ledger::LedgerClient client_;  // its own number means nothing: the shell names the router
  std::vector<Answer> answers_;
  std::vector<Answer> reading_;            // those that were there when the last of them had been read
  std::size_t read_ = 0;                   // of reading_
  bool redirects_ = false;                 // the leader, as last heard
  Time none_idle_until_ = InfinitePast();  // the ledger has just said so
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_SLOT_SOURCE_H_
