// `ringway generate` where a film comes of it: by a model that makes films of prompts, or by a motion adapter
// on a model that makes pictures.
//
// The command reads one set of options for pictures and films and learns from the model's directory which of
// them it is about; options that mean nothing to a model of films are refused by their names, so that nothing
// that was asked for is left out in silence. The film's format follows from the ending of its file.
//
// Threads: one owner. Blocks until the film is written.
#ifndef RINGWAY_CLI_GENERATE_FILM_H_
#define RINGWAY_CLI_GENERATE_FILM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session.h"
#include "engine/film_engine.h"
#include "engine/media/encode.h"
#include "engine/picture_engine.h"

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

// Of the film's file, whose name is chosen if it is empty. Errors: InvalidArgument, with the endings that are
// allowed.
absl::StatusOr<engine::AnimationFormat> FilmFormat(std::string& out);
// By the request's motion adapter, into `out`, which FilmFormat has accepted. An exit code.
int GenerateByMotionAdapter(Session& session, const engine::PictureRequest& request, std::string out,
                            engine::PictureEngine& engine);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_GENERATE_FILM_H_
