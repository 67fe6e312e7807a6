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

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/drawn_film.h"
#include "engine/engine.h"

namespace ringway::engine {

// A LoRA file, and how much of it.
struct AdapterFile {
  std::string path;
  double strength = 1;
};

// A control network, the picture that it follows, and the part of the way on which it does, as shares of the
// steps: 0 is the first noise.
struct ControlRequest {
  std::string network;  // directory
  Picture picture;
  double strength = 1;
  double begin = 0, end = 1;
};

// A word of prompts that stands for learnt rows of the text encoder's table (textual inversion).
struct LearntWord {
  std::string word;
  std::string path;
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
  // White where `start` is drawn anew, black where it stays, grey between; of its size or any other.
  std::optional<Picture> mask = {};
  std::vector<AdapterFile> adapters = {};
  std::vector<ControlRequest> controls = {};
  std::vector<LearntWord> words = {};
  // Directory of a motion adapter (AnimateDiff): Film draws with it; Draw refuses it.
  std::string motion = {};
  int frames = 0, frames_per_second = 0;  // of the film
  // Directory of a tiny autoencoder (TAESD), which shows what the picture has come to after each step.
  std::string preview = {};
  std::function<void(int step, const Picture&)> on_preview = {};
};

struct DrawnPicture {
  Picture picture;
  std::vector<std::string> notes;  // what of the request was not understood, or is done otherwise
  // What was chosen where the request left it open.
  int steps = 0;
  double guidance = 1;
  std::string scheduler;
};

// Where the time of a picture goes: one kind of operation of one part.
struct ProfileEntry {
  std::string part;       // "text_encoder", "unet", "vae decoder"
  std::string operation;  // of graph/op.h: "conv", "attention"
  int runs = 0;           // of the part, for the picture
  int kernels = 0;        // of one run
  double seconds = 0;     // of one run, the best of several
  double flops = 0;       // of one run
};
struct Profile {
  std::vector<ProfileEntry> entries;  // by part, in the order in which they run, the slowest operation first
  int width = 0, height = 0, steps = 0;
  double peak_flops = 0;  // of the processor in bf16 or f32, all threads; 0: unknown
  bool bf16 = false;
  Precision precision = Precision::kBF16;  // that was asked for
};

class PicturePipeline;

class PictureEngine {
 public:
  // `model`: a diffusers directory, or a single file and EngineOptions::configuration.
  static absl::StatusOr<std::unique_ptr<PictureEngine>> Open(const std::filesystem::path& model,
                                                             const EngineOptions& options);
  ~PictureEngine();

  // Whether `model` is of this engine: a single file, or a directory whose pipeline class is one of these.
  // Nothing else of it is read.
  static bool Opens(const std::filesystem::path& model);
  // Reads and packs the weights of all parts, as for a picture of the model's own size, so that the first
  // request does not wait for it and weights that are wrong are found before it.
  absl::Status Load();
  // The same for a request: its size, its adapters and its control networks. No step is taken.
  absl::Status Prepare(const PictureRequest& request);
  // InvalidArgument for what the model cannot do or its files do not hold; Cancelled when stopped.
  absl::StatusOr<DrawnPicture> Draw(const PictureRequest& request, const AnimateProgressFn& on_progress,
                                    std::stop_token stop);
  // A film by the request's motion adapter, of frames that are drawn at once.
  absl::StatusOr<DrawnFilm> Film(const PictureRequest& request, const AnimateProgressFn& on_progress,
                                 std::stop_token stop);
  // Weights in memory, mapped ones included, and how many of them were packed here and not found in a file.
  struct Residency {
    std::size_t bytes = 0, derived = 0;
  };
  Residency residency() const;
  // Measures each operation of every part that the request runs, `rounds` times, on its own.
  absl::StatusOr<Profile> Measure(const PictureRequest& request, int rounds);
  int threads() const { return threads_; }

 private:
  PictureEngine();
  std::unique_ptr<Backend> backend_;  // outlives the pipeline's plans
  std::unique_ptr<PicturePipeline> pipeline_;
  int threads_ = 1;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PICTURE_ENGINE_H_
