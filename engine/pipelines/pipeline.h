// One way from a request to frames; the engine owns one and tells it apart by the model's class.
//
// What pipelines share: their context, the opening of components with the class that they expect, plans of
// components over shared weights, and the telling of progress. A component whose checkpoint holds tensors
// that the network did not take is refused: it is of another family. Progress never goes back, whatever a
// pipeline says.
#ifndef RINGWAY_ENGINE_PIPELINES_PIPELINE_H_
#define RINGWAY_ENGINE_PIPELINES_PIPELINE_H_

#include <filesystem>
#include <map>
#include <memory>

#include "engine/checkpoint/model_directory.h"
#include "engine/engine.h"
#include "engine/networks/weight_source.h"
#include "engine/pipelines/overlays.h"
#include "engine/plan/backend.h"
#include "engine/plan/plan_cache.h"

namespace ringway::engine {

// Components that are named by requests and lie beside the model.
inline constexpr char kControlName[] = "control", kTinyName[] = "tiny autoencoder",
                      kMotionName[] = "motion adapter";

// What is open of one model: the weights of its components, which all their plans share, and plans that rest.
class OpenModel {
 public:
  using Opener = std::function<absl::StatusOr<Weights>(const Component&)>;
  // `cache`, which may be null, keeps packed weights for the next opening. Without an opener, weights are
  // those in the components' directories.
  explicit OpenModel(const Backend& backend, std::shared_ptr<PackedCache> cache = nullptr, Opener opener = {})
      : plans_(backend, kRestingBytesMax), cache_(std::move(cache)), opener_(std::move(opener)) {}
  // Opened once; a component that cannot be opened is tried again the next time.
  absl::StatusOr<ComponentWeights> WeightsOf(const Component& component);
  // Weights that whoever calls made of others: WeightsOf a component of this directory gives them.
  void Add(const std::filesystem::path& directory, ComponentWeights weights) {
    weights_[directory] = std::move(weights);
  }
  // The weights of a component that is no part of the model, as far as no plan has them.
  void Forget(const std::filesystem::path& directory) { weights_.erase(directory); }
  // Of all components that are open.
  std::size_t packed_bytes() const;
  std::size_t derived_weights() const;
  PlanCache& plans() { return plans_; }
  Overlays& overlays() { return overlays_; }

 private:
  // A plan that has to be frozen anew costs milliseconds, so only small arenas are worth their memory.
  static constexpr std::size_t kRestingBytesMax = std::size_t{256} << 20;
  std::map<std::filesystem::path, ComponentWeights> weights_;  // by directory, as many as the model has
  PlanCache plans_;
  std::shared_ptr<PackedCache> cache_;
  Opener opener_;
  Overlays overlays_;
};

struct PipelineContext {
  const ModelDirectory& model;
  const Backend& backend;
  int threads = 1;
  Precision precision = Precision::kBF16;
  std::shared_ptr<OpenModel> open = std::make_shared<OpenModel>(backend);
  std::size_t coder_bytes_max = 0;  // of a plan of the autoencoder; 0: the default (latent_coder.h)

  PassOptions passes() const {
    PassOptions passes;
    if (precision != Precision::kF32 && backend.FastBf16()) passes.precision = DType::kBF16;
    if (precision == Precision::kInt8) passes.quantisation = Quantisation::kDynamic;
    if (precision == Precision::kInt8Weights) passes.quantisation = Quantisation::kWeights;
    return passes;
  }
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

// InvalidArgument that names a tensor which nobody took, but for those that are the `others`'.
absl::Status RefuseUntaken(const Component& component, const Weights& weights,
                           const std::function<bool(std::string_view)>& others = {});

// Builds the graph over the component's weights and takes a plan of it: the weights are packed once, whatever
// the number of sizes. `whole`: every tensor must be taken, but for those that are the `others`', of another
// network in the same files. With adapters the plan is bound to their overlay.
absl::StatusOr<std::unique_ptr<Plan>> FreezeComponent(
    const Component& component, const PipelineContext& context, const PassOptions& passes, bool whole,
    const std::function<Graph(WeightSource&)>& build,
    const std::function<bool(std::string_view)>& others = {}, const AdapterChoices& adapters = {});

inline absl::Status Stopped() { return absl::CancelledError("the animation was cancelled"); }

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_PIPELINE_H_
