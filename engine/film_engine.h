// A prompt in, the frames of a film out: stock directories of the LTX-Video class.
//
// Open reads the configurations of a diffusers directory whose model_index.json names LTXPipeline, and
// refuses what is not of that class or whose parts do not fit each other; weights are read when the first
// film of a size is drawn. Draw tells its progress after every step of the solver: the fraction rises and
// ends at 1. A stop is obeyed before the next pass of a network: Cancelled. The same request gives the same
// film on one class of machine, with any number of threads; it is not the film that another program draws of
// this seed, for the noise is Ringway's own.
//
// Threads: one Draw at a time; the stop may be asked for from anywhere; progress is told on the calling
// thread. Memory: the frozen weights, text encoder included, and what decoding the whole film at once takes,
// which is bounded by EngineOptions::coder_bytes_max and asked of the planner before anything is allocated.
#ifndef RINGWAY_ENGINE_FILM_ENGINE_H_
#define RINGWAY_ENGINE_FILM_ENGINE_H_

#include <memory>
#include <optional>
#include <string>

#include "engine/drawn_film.h"
#include "engine/engine.h"

namespace ringway::engine {

struct FilmRequest {
  std::string prompt = {};
  std::string negative = {};  // what should not be there; guidance leads away from it
  std::uint64_t seed = 0;
  // Zero or nothing: what the model likes best.
  int width = 0, height = 0;  // multiples of 32 for the released autoencoder
  int frames = 0;             // one more than a multiple of 8 for it
  int frames_per_second = 0;  // the transformer is told
  int steps = 0;
  std::optional<double> guidance = {};  // 1: none
};

class FilmPipeline;

class FilmEngine {
 public:
  static absl::StatusOr<std::unique_ptr<FilmEngine>> Open(const std::filesystem::path& model,
                                                          const EngineOptions& options);
  ~FilmEngine();

  // Whether `model` is a directory whose pipeline class is this engine's. Nothing else of it is read.
  static bool Opens(const std::filesystem::path& model);
  // InvalidArgument for what the model cannot do or its files do not hold; Cancelled when stopped.
  absl::StatusOr<DrawnFilm> Draw(const FilmRequest& request, const AnimateProgressFn& on_progress,
                                 std::stop_token stop);
  int threads() const { return threads_; }

 private:
  FilmEngine();
  std::unique_ptr<Backend> backend_;  // outlives the pipeline's plans
  std::unique_ptr<FilmPipeline> pipeline_;
  int threads_ = 1;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_FILM_ENGINE_H_
