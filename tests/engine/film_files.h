// A text-to-film directory for tests: the LTX-Video class in small, with hashed weights under stock names.
//
// WriteFilmModel writes every part as a released directory has it, a sentencepiece model of a few words
// included; a latent stands for 8 x 8 pixels and 4 frames. ReferenceFilm draws with the same weights by the
// networks of film_reference.h and Euler's method written out: what the pipeline is held to.
#ifndef RINGWAY_TESTS_ENGINE_FILM_FILES_H_
#define RINGWAY_TESTS_ENGINE_FILM_FILES_H_

#include <vector>

#include "engine/film_engine.h"
#include "tests/engine/checkpoint_files.h"

namespace ringway::engine {

void WriteFilmModel(const ScratchFolder& folder);

// Latents of a film of this size, and numbers of each.
struct SmallFilm {
  static constexpr std::int64_t kLatentChannels = 6;
  std::int64_t frames = 2, height = 2, width = 3;
  std::size_t numbers() const { return static_cast<std::size_t>(frames * height * width * kLatentChannels); }
};
// frames x height x width x 3 numbers for a request of that size that leaves nothing open.
std::vector<float> ReferenceFilm(const FilmRequest& request, const SmallFilm& size, std::vector<float> noise);

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_FILM_FILES_H_
