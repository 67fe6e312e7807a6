// Runs a worker: brings together the slot that decides, the backend that works, and the streams that talk.
//
// The coordinator only sequences. Messages from streams become events of the slot; the slot's actions become
// calls of the backend and messages to the streams; every change is told to all watchers, and twice a second
// anyway. What it adds of its own are bounds: payload_bytes_max per job, result_bytes_max per job,
// unsent_bytes_max over all results that routers have not fetched yet, and delivery_max for each of them. The
// GPU is free for the next job while a result is still on its way out.
//
// Invariants: a stream gets exactly one End, or is broken off; an attempt is forgotten when it has ended and
// its stream has closed. Stopping: BeginStop drains; `quiet` is called once, when nothing runs and nothing is
// unsent. Threads: everything on the loop.
#ifndef RINGWAY_WORKER_AGENT_H_
#define RINGWAY_WORKER_AGENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "runtime/event_loop.h"
#include "runtime/log.h"
#include "runtime/machine_driver.h"
#include "worker/backends/backend.h"
#include "worker/messages.h"
#include "worker/service.h"
#include "worker/slot.h"
#include "worker/worker_metrics.h"

namespace ringway::worker {

struct AgentSettings {
  Identity identity;
  SlotSettings slot;
  std::size_t payload_bytes_max = std::size_t{64} << 20;
  std::size_t result_bytes_max = std::size_t{256} << 20;
  std::size_t unsent_bytes_max = std::size_t{512} << 20;
  Duration delivery_max = Seconds(30);  // for a result after its job has ended
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
  void OnClosed(JobStream& stream) override;
  void OnWatch(WatchStream& stream) override;
  void OnWatchClosed(WatchStream& stream) override;
  v1::WorkerState OnDrain(bool drain, Duration lasts) override;
  absl::StatusOr<v1::WorkerState> OnFence(const v1::FenceRequest& request) override;

 private:
  struct Attempt {
    JobStream* stream = nullptr;  // null: closed
    WorkOrder order;              // until started
    std::string request_id;
    std::uint64_t payload_bytes_stated = 0;  // 0: not stated
    std::uint64_t payload_bytes = 0;
    std::uint64_t result_bytes = 0;
    Time started = InfinitePast();
    Time ended = InfiniteFuture();
    WorkEnd work;                    // what the backend said last
    std::optional<WorkEnd> verdict;  // what we said ourselves; it counts more
    bool has_ended() const { return ended != InfiniteFuture(); }
  };
  using Attempts = std::map<AttemptId, Attempt>;  // bounded by the number of streams

  // WorkSink, for the backend.
  void OnProgress(std::uint32_t step, std::uint32_t steps) override;
  void OnResult(std::string bytes) override;
  void OnEnd(WorkEnd end) override;

  // The slot's actions.
  void Do(const AdmitAttempt& admit);
  void Do(const RefuseAttempt& refuse);
  void Do(const StartJob& start);
  void Do(const StopJob& stop);
  void Do(const AttemptEnded& ended);
  void Do(const StateChanged& changed);

  void OnHeader(JobStream& stream, const v1::JobHeader& header);
  void Reject(JobStream& stream, const std::string& why);
  // Ends the attempt with our own verdict, through the slot.
  void GiveUp(AttemptId id, Outcome outcome, std::string why);
  void BoundUnsent();
  void Beat();
  void ShowState();
  void CheckQuiet();
  v1::WorkerState State();
  v1::WorkerState Announcement(const SlotView& view);

  runtime::EventLoop& loop_;
  const AgentSettings settings_;
  WorkerMetrics& metrics_;
  const runtime::Logger& log_;
  const std::function<void(bool)> serving_;
  bool shown_serving_ = true;
  std::function<void()> quiet_;  // set: stopping
  bool stopping_ = false;

  Totals totals_;
  Attempts attempts_;
  AttemptId running_ = 0;                           // at the backend; 0: none
  std::map<std::uint64_t, WatchStream*> watchers_;  // bounded by the service
  runtime::MachineDriver<Slot, SlotEvent, SlotAction> slot_;
  runtime::Alarm beat_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_AGENT_H_
