// What most benchmarks understand: --quick, a shorter run, and --brief, one line a claim.
//
// Anything else is a wrong usage, told on stderr with what is allowed; the caller then exits with 2. Programs
// with more options read their own.
#ifndef RINGWAY_BENCH_OPTIONS_H_
#define RINGWAY_BENCH_OPTIONS_H_

#include <cstdio>
#include <optional>
#include <string_view>

namespace ringway::bench {

struct Options {
  bool quick = false;
  bool brief = false;
};

inline std::optional<Options> ReadOptions(const char* program, int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--brief") {
      options.brief = true;
    } else {
      std::fprintf(stderr, "usage: %s [--quick] [--brief]\n", program);
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_OPTIONS_H_
