// The engine: a photo and a prompt in, the frames of an animation out.
//
// Open loads a model directory (checkpoint/model_directory.h) and freezes what does not depend on a request.
// Two kinds are understood, told apart by the class in model_index.json: MotionFieldPipeline, the bundled
// model, which diffuses how the photo moves (pipelines/motion_pipeline.h), and StableVideoDiffusionPipeline,
// which diffuses pixels (pipelines/video_pipeline.h). Animate tells its progress after every solver step and
// after every stretch of frames: the fraction rises and ends at 1. A stop that is asked for is obeyed before
// the next pass of the network or the next frame: Cancelled. The same request gives the same frames on one
// class of machine with one number of threads.
//
// Threads: one Animate at a time; the stop may be asked for from anywhere; progress is told on the calling
// thread. Memory: the frozen weights, and the frames, at most kAnimationPixelsMax pixels.
#ifndef RINGWAY_ENGINE_ENGINE_H_
#define RINGWAY_ENGINE_ENGINE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/media/picture.h"
#include "engine/motion/region.h"

namespace ringway::engine {

struct AnimateRequest {
  Picture picture;
  std::string prompt = {};
  std::uint64_t seed = 0;
  // Zero: what the model likes best.
  int steps = 0;     // of the solver
  int frames = 0;    // of the film
  int side_max = 0;  // pixels of its longer side; never more than the photo has
  int frames_per_second = 0;
  std::optional<Region> region = {};  // what may move; nothing: everything
};

struct AnimateProgress {
  int step = 0;  // solver steps that are done
  int steps = 0;
  double fraction = 0;  // of the whole work
};
using AnimateProgressFn = std::function<void(const AnimateProgress&)>;

// What networks are computed in. kBF16: where the processor multiplies it natively, else f32. kInt8: products
// of linear layers in whole numbers of 8 bits, weights and activations alike; kInt8Weights: only their
// weights are kept in 8 bits. Everything else of the last two is as in kBF16.
enum class Precision : std::uint8_t { kBF16, kF32, kInt8, kInt8Weights };
inline constexpr std::string_view kPrecisionNames[] = {"bf16", "f32", "int8", "int8-weights"};

struct EngineOptions {
  int threads = 0;  // 0: as many as there are processors
  Precision precision = Precision::kBF16;
  // For a model in a single file: the directory with its configurations and tokenizer (single_file.h).
  std::string configuration = {};
  // Where packed weights are kept between openings (packed_weights.h), and how many bytes of them.
  std::string packed_weights = {};
  std::size_t packed_weights_bytes_max = 0;  // 0: the default
  // Pictures: what the autoencoder may take at a time; larger ones are drawn in tiles (latent_coder.h).
  std::size_t coder_bytes_max = 0;                   // 0: the default
  std::function<void(const std::string&)> log = {};  // of what was refused or not kept; from any thread
};

class Pipeline;
class Backend;

class Engine {
 public:
  static absl::StatusOr<std::unique_ptr<Engine>> Open(const std::filesystem::path& model,
                                                      const EngineOptions& options);
  ~Engine();

  // InvalidArgument for what the model cannot do; Cancelled when stopped.
  absl::StatusOr<Animation> Animate(const AnimateRequest& request, const AnimateProgressFn& on_progress,
                                    std::stop_token stop);
  // "motion field, 8 steps of 1 pass": for people.
  const std::string& description() const { return description_; }
  // The pace of its films where the request names none.
  int frames_per_second() const;
  // How many it works with.
  int threads() const { return threads_; }

 private:
  Engine();
  std::unique_ptr<Backend> backend_;  // outlives the pipeline's plans
  std::unique_ptr<Pipeline> pipeline_;
  std::string description_;
  int threads_ = 1;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_ENGINE_H_
