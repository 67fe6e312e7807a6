// `ringway generate` with a model that makes films of prompts: what it is asked for, and its drawing.
//
// The command reads one set of options for pictures and films and learns from the model's directory which of
// them it is about; options that mean nothing to a film are refused by their names, so that nothing that was
// asked for is left out in silence. The film's format follows from the ending of its file.
//
// Threads: one owner. Blocks until the film is written.
#ifndef RINGWAY_CLI_GENERATE_FILM_H_
#define RINGWAY_CLI_GENERATE_FILM_H_

#include <string>
#include <vector>

#include "cli/session.h"
#include "engine/film_engine.h"

namespace ringway::cli {

struct FilmOrder {
  engine::FilmRequest request;
  std::string model, size;
  std::string out;                // empty: film.mp4, or film.gif in a build without it
  std::vector<std::string> idle;  // options that were given and have no effect on a film
  engine::EngineOptions engine;
};

// An exit code.
int GenerateFilm(Session& session, FilmOrder order);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_GENERATE_FILM_H_
