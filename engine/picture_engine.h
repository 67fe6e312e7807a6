// A prompt, and perhaps a picture to start from, in; a picture out: stock Stable Diffusion 1.x, 2.x and XL,
// and latent consistency models made of them.
//
// Open reads the configurations of a diffusers directory and refuses what is not one of these or whose parts
// do not fit each other; weights are read when the first picture of a size is drawn, and what they were
// frozen into is kept for the next of that size. Draw tells its progress after every solver step: the
// fraction rises and ends at 1. A stop is obeyed before the next pass of a network: Cancelled. The same
// request gives the same picture on one class of machine, with any number of threads; it is not the picture
// that another program draws of this seed, for the noise is Ringway's own.
//
// Threads: one Draw at a time; the stop may be asked for from anywhere; progress is told on the calling
// thread. Memory: the frozen weights, and what a picture of at most kPixelsMax pixels needs.
#ifndef RINGWAY_ENGINE_PICTURE_ENGINE_H_
#define RINGWAY_ENGINE_PICTURE_ENGINE_H_

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace ringway::engine {

// A LoRA file, and how much of it.
struct AdapterFile {
  std::string path;
  double strength = 1;
};

struct PictureRequest {
  std::string prompt = {};
  std::string negative = {};  // what should not be there; guidance leads away from it
  std::uint64_t seed = 0;
  // Zero or nothing: what the model likes best.
  int width = 0, height = 0;  // multiples of 8
  int steps = 0;
  std::optional<double> guidance = {};  // 1: none
  std::string scheduler = {};           // a name of SchedulerNames()
  int clip_skip = 0;                    // last layers of the text encoder that are left out
  std::optional<Picture> start = {};    // draw from this picture, whose size counts where none is given
  double strength = 0.8;                // how far from it: 1 forgets it
  std::vector<AdapterFile> adapters = {};
};

struct DrawnPicture {
  Picture picture;
  std::vector<std::string> notes;  // what of the request was not understood, or is done otherwise
  // What was chosen where the request left it open.
  int steps = 0;
  double guidance = 1;
  std::string scheduler;
};

class PicturePipeline;

class PictureEngine {
 public:
  // `model`: a diffusers directory, or a single file and EngineOptions::configuration.
  static absl::StatusOr<std::unique_ptr<PictureEngine>> Open(const std::filesystem::path& model,
                                                             const EngineOptions& options);
  ~PictureEngine();

  // InvalidArgument for what the model cannot do or its files do not hold; Cancelled when stopped.
  absl::StatusOr<DrawnPicture> Draw(const PictureRequest& request, const AnimateProgressFn& on_progress,
                                    std::stop_token stop);
  int threads() const { return threads_; }

 private:
  PictureEngine();
  std::unique_ptr<CpuBackend> backend_;  // outlives the pipeline's plans
  std::unique_ptr<PicturePipeline> pipeline_;
  int threads_ = 1;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PICTURE_ENGINE_H_
