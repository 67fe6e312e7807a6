// The engine as a backend: animates the photo that a job carries, or draws the picture of its prompt
// (engine_work.h).
//
// The payload is the photo, or the picture to start from; a worker without a model of its own does both, and
// the hint `frames` of 1 means a picture. The prompt is the job's, settings are its
// parameters by the names of engine/animate_order.h and engine/picture_order.h; the cost hints `steps` and
// `frames` count where no parameter says otherwise. What cannot be read is rejected; progress is told once a
// solver step, and a last time for the frames or the picture, so `steps` is one more than the solver's.
// Cancel is obeyed within one step. The model is loaded once, before the worker serves.
//
// Threads: Start and Cancel on the loop; the engine runs on one thread of this object, which posts what it
// has to say to the loop. Destroy on any thread after the loop has stopped, or on the loop while nothing
// runs. Bounds: one order at a time; a result in pieces of kPieceBytes.
#ifndef RINGWAY_WORKER_BACKENDS_ENGINE_H_
#define RINGWAY_WORKER_BACKENDS_ENGINE_H_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "runtime/event_loop.h"
#include "worker/backends/backend.h"
#include "worker/backends/engine_work.h"

namespace ringway::worker {

class EngineBackend final : public Backend {
 public:
  static constexpr std::size_t kPieceBytes = 256 << 10;

  // Loads the model. Errors: what is wrong with it, or that there is none.
  static absl::StatusOr<std::unique_ptr<Backend>> Open(runtime::EventLoop& loop,
                                                       const EngineSettings& settings);
  ~EngineBackend() override;
  void Start(WorkOrder order, WorkSink& sink) override;
  void Cancel() override;
  PictureTerms pictures() const override { return work_->pictures(); }

 private:
  struct Answer {
    std::string bytes;
    WorkEnd end;
  };
  EngineBackend(runtime::EventLoop& loop, std::unique_ptr<EngineWork> work);
  void Serve(const std::stop_token& quit);
  Answer Work(const WorkOrder& order, const std::stop_token& stop);
  void PostProgress(std::uint32_t step, std::uint32_t steps);
  void PostAnswer(Answer answer);

  runtime::EventLoop& loop_;
  std::unique_ptr<EngineWork> work_;  // the thread's
  WorkSink* sink_ = nullptr;          // the loop's; none: nothing runs
  std::stop_source stop_;             // of the order that runs

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::pair<WorkOrder, std::stop_token>> next_;
  // What was posted to the loop may come when this object is gone.
  std::shared_ptr<EngineBackend*> self_ = std::make_shared<EngineBackend*>(this);
  std::jthread thread_;  // the last member: it uses all others
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_ENGINE_H_
