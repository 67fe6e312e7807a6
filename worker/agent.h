// Runs a worker: the node that decides (worker_node.h), the backend that works, and the streams that talk.
//
// The agent only carries. What comes over streams becomes events of the node; the node's actions become calls
// of the backend, messages to the streams, figures and lines of the log. It keeps what the node counts but
// does not hold: payloads until their job starts, names of requests, and the words in which the backend ended
// a job. The GPU is free for the next job while a result is still on its way out. What the node is told may
// be recorded (worker/journal/).
//
// Invariants: a stream is forgotten when it has closed, unless its job is still in the slot; the node is
// never stepped from within an action. Bound: jobs kept are at most the streams that the service lets in, and
// one. Threads: everything on the loop.
#ifndef RINGWAY_WORKER_AGENT_H_
#define RINGWAY_WORKER_AGENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/event_loop.h"
#include "runtime/log.h"
#include "worker/backends/backend.h"
#include "worker/journal/recorder.h"
#include "worker/messages.h"
#include "worker/service.h"
#include "worker/worker_metrics.h"
#include "worker/worker_node.h"

namespace ringway::worker {

struct AgentSettings {
  Identity identity;
  WorkerSettings node;
  std::string journal;              // folder of what the node is told
  std::uint64_t journal_bytes = 0;  // at most; 0: nothing is recorded
};

class Agent final : public WorkerListener, private WorkSink {
 public:
  // `serving` is called on the loop when the worker starts or ceases to admit jobs.
  Agent(runtime::EventLoop& loop, AgentSettings settings, std::unique_ptr<Backend> backend,
        WorkerMetrics& metrics, const runtime::Logger& log, std::function<void(bool)> serving);

  // Drains for good, then calls `quiet` once.
  void BeginStop(std::function<void()> quiet);

  // WorkerListener, for the streams.
  void OnMessage(JobStream& stream, v1::JobUp& message) override;
  void OnUploadEnd(JobStream& stream) override;
  void OnCancelled(JobStream& stream) override;
  void OnDrained(JobStream& stream) override;
  void OnClosed(JobStream& stream) override;
  void OnWatch(WatchStream& stream) override;
  void OnWatchClosed(WatchStream& stream) override;
  v1::WorkerState OnDrain(bool drain, Duration lasts) override;
  absl::StatusOr<v1::WorkerState> OnFence(const v1::FenceRequest& request) override;
  bool OnWithdraw(const std::string& attempt) override;

 private:
  struct Job {
    JobStream* stream = nullptr;  // null: closed
    WorkOrder order;              // until started
    std::string request_id;
    std::string attempt;  // its name, by which it is withdrawn
  };
  // What the node hands out (WorkerShell).
  struct Shell {
    Agent& agent;
    std::vector<SlotAction> slot_actions;
    template <class Action>
    void Perform(const Action& action) {
      if (agent.journal_ != nullptr) agent.noted_.emplace_back(action);
      agent.Do(action);
    }
    template <class Event>
    void SlotStepped(const Event&, const std::vector<SlotAction>&) {}
  };

  // WorkSink, for the backend.
  void OnProgress(std::uint32_t step, std::uint32_t steps) override;
  void OnResult(std::string bytes) override;
  void OnEnd(WorkEnd end) override;

  void Do(const AcceptAttempt& accept);
  void Do(const KeepPayload& keep);
  void Do(const EndAttempt& end);
  void Do(const BreakStream& broken);
  void Do(const StartWork& start);
  void Do(const CancelWork& cancel);
  void Do(const RelayProgress& relay);
  void Do(const RelayResult& relay);
  void Do(const TellWatchers& tell);
  void Do(const TellWatcher& tell);
  void Do(const TellCaller& tell);
  void Do(const ServingChanged& changed);
  void Do(const WentQuiet& quiet);

  template <class Event>
  void Apply(const Event& event);
  void Record(Time now, const WorkerEvent& event);
  Job& JobOf(JobStream& stream);
  void Note(const EndAttempt& end, const Job& job, const std::string& message);
  v1::WorkerState State(std::uint64_t sequence) const;

  const AgentSettings settings_;
  WorkerMetrics& metrics_;
  const runtime::Logger& log_;
  const std::function<void(bool)> serving_;
  std::function<void()> quiet_;

  WorkerNode node_;
  std::unique_ptr<Recorder> journal_;  // null: nothing is recorded
  std::vector<WorkerAction> noted_;    // for it, of the step under way
  Shell shell_{*this, {}};
  runtime::Alarm wake_;
  runtime::Alarm flush_;  // of the journal
  std::map<AttemptId, Job> jobs_;
  std::map<WatchId, WatchStream*> watchers_;  // bounded by the service
  std::unique_ptr<Backend> backend_;
  // Of the event that the node is told, or was told last.
  std::string piece_;      // of a payload, or of a result
  std::string malformed_;  // why a message is no offer
  WorkEnd said_;           // by the backend
  v1::WorkerState reply_;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_AGENT_H_
