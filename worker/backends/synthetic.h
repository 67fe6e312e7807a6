// Does no work: waits a drawn service time in steps and answers with bytes that depend only on the order.
//
// For load tests and demonstrations; every page and log line that names the backend says "synthetic". The
// result of an order is a function of its payload, prompt, model and parameters, so whoever sends a job twice
// can tell that both workers did the same. Steps are scheduled from the start, not from each other, so that
// late timers do not add up. A cancelled job ends at once.
//
// Threads: the loop's. Bound: result_bytes is generated in pieces of kPieceBytes.
#ifndef RINGWAY_WORKER_BACKENDS_SYNTHETIC_H_
#define RINGWAY_WORKER_BACKENDS_SYNTHETIC_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/event_loop.h"
#include "worker/backends/backend.h"
#include "worker/backends/service_draw.h"

namespace ringway::worker {

struct SyntheticSettings {
  ServiceDrawSettings draw;
  std::uint32_t steps = 10;  // of a job that does not say
  std::size_t result_bytes = 4096;
};

class SyntheticBackend final : public Backend {
 public:
  static constexpr std::size_t kPieceBytes = 256 << 10;
  static constexpr std::uint32_t kStepsMax = 10'000;

  SyntheticBackend(runtime::EventLoop& loop, const SyntheticSettings& settings, std::string_view name);
  void Start(WorkOrder order, WorkSink& sink) override;
  void Cancel() override;

 private:
  void AwaitStep();
  void FinishStep();
  void SendResult();
  void End(WorkEnd end);

  SyntheticSettings settings_;
  ServiceDraw draw_;
  runtime::Alarm alarm_;
  // Of the order that runs; no sink: none does.
  WorkSink* sink_ = nullptr;
  std::uint64_t fingerprint_ = 0;
  ServiceDraw::Job job_;
  Time started_;
  std::uint32_t steps_ = 0;
  std::uint32_t step_ = 0;
  bool cancelled_ = false;
};

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_SYNTHETIC_H_
