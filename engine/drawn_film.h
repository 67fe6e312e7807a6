// A film that was drawn of a prompt, and what was chosen where the request left it open.
//
// The same of every kind of model: of those that draw films (film_engine.h) and of motion adapters on models
// that draw pictures (picture_engine.h).
//
// Values.
#ifndef RINGWAY_ENGINE_DRAWN_FILM_H_
#define RINGWAY_ENGINE_DRAWN_FILM_H_

#include <string>

#include "engine/engine.h"

namespace ringway::engine {

struct DrawnFilm {
  Animation animation;  // with notes
  int steps = 0, frames_per_second = 0;
  double guidance = 1;
  std::string scheduler = {};  // empty: the model knows but one
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_DRAWN_FILM_H_
