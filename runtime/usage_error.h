// What a daemon answers to its command line when that is not a start: help, its version, or one line that
// says what is wrong with it.
//
//   ringway-router: --name is required; `ringway-router --help` lists the options
//
// Exit code 0 for help and version, 2 for a mistake, as every program here has it (docs/cli.md); CLI11's own
// codes are numbers above 100 that nobody looks up, and its messages take two lines. Unknown options are
// named all at once.
//
// Header only, because CLI11 is a library of the programs and not of runtime. Threads: before any starts.
#ifndef RINGWAY_RUNTIME_USAGE_ERROR_H_
#define RINGWAY_RUNTIME_USAGE_ERROR_H_

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

namespace ringway::runtime {

inline constexpr int kExitUsage = 2;

// The exit code.
inline int TellParseError(const CLI::App& app, const CLI::ParseError& error, const std::string& program) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::cerr << program << ": " << what << "; `" << program << " --help` lists the options\n";
  return kExitUsage;
}

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_USAGE_ERROR_H_
