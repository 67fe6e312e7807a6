// One way from a request to frames; the engine owns one and tells it apart by the model's class.
//
// What pipelines share: their context, the opening of components with the class that they expect, freezing a
// component into a plan, and the telling of progress. A component whose checkpoint holds tensors that the
// network did not take is refused: it is of another family. Progress never goes back, whatever a pipeline
// says.
#ifndef RINGWAY_ENGINE_PIPELINES_PIPELINE_H_
#define RINGWAY_ENGINE_PIPELINES_PIPELINE_H_

#include <memory>

#include "engine/checkpoint/model_directory.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/engine.h"
#include "engine/networks/weight_source.h"
#include "engine/plan/plan.h"

namespace ringway::engine {

struct PipelineContext {
  const ModelDirectory& model;
  const CpuBackend& backend;
  int threads = 1;
  bool full_precision = false;

  DType precision() const { return !full_precision && backend.FastBf16() ? DType::kBF16 : DType::kF32; }
};

class ProgressTeller {
 public:
  explicit ProgressTeller(const AnimateProgressFn& tell) : tell_(tell) {}
  void Tell(int step, int steps, double fraction) {
    if (fraction < last_.fraction) fraction = last_.fraction;
    last_ = {step, steps, fraction};
    if (tell_) tell_(last_);
  }
  void Finish() {
    if (last_.fraction < 1) Tell(last_.steps, last_.steps, 1);
  }

 private:
  const AnimateProgressFn& tell_;
  AnimateProgress last_;
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;
  // Frames and notes; the pace is the engine's business.
  virtual absl::StatusOr<Animation> Animate(const AnimateRequest& request, ProgressTeller& progress,
                                            const std::stop_token& stop) = 0;
  virtual std::string Describe() const = 0;
  // The pace that the weights were made for.
  virtual int FramesPerSecond() const = 0;
};

// The component of that name; InvalidArgument when there is none or it is of another class.
absl::StatusOr<Component> NeedComponent(const ModelDirectory& model, std::string_view name,
                                        std::string_view class_name);

// Builds the graph from the component's weights and freezes it. `whole`: every tensor must be taken, but for
// those that are the `others`', of another network in the same files.
absl::StatusOr<std::unique_ptr<Plan>> FreezeComponent(
    const Component& component, const PipelineContext& context, DType precision, bool whole,
    const std::function<Graph(WeightSource&)>& build,
    const std::function<bool(std::string_view)>& others = {});

inline absl::Status Stopped() { return absl::CancelledError("the animation was cancelled"); }

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_PIPELINE_H_
