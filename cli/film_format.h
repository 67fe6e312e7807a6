// The format of a film from the ending of the file that it goes into.
//
// A worker does not see the file's name, so the ending travels as the job's parameter `format`. Endings: gif,
// apng, webp and mp4, in letters of any size; also mp4 where this build cannot write it, as the worker's may.
// A .png is as likely a still picture and chooses nothing. `format=` with nothing behind it sends no format,
// for servers that know no such field.
//
// Threads: pure functions.
#ifndef RINGWAY_CLI_FILM_FORMAT_H_
#define RINGWAY_CLI_FILM_FORMAT_H_

#include <string>

#include "absl/status/status.h"
#include "ringway/v1/job.pb.h"

namespace ringway::cli {

// "gif" of "Film.GIF"; empty: the ending is of no film.
std::string FilmFormatOf(const std::string& file);

// Sets the parameter where it is not given. Errors: InvalidArgument where it says something else than `out`.
absl::Status ChooseFilmFormat(const std::string& out, v1::JobHeader& header);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_FILM_FORMAT_H_
