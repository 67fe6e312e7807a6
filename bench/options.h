// What most benchmarks understand: --quick, a shorter run, --brief, one line a claim, and, where a benchmark
// has parts, the names of those to run alone.
//
// Anything else is a wrong usage, told on stderr with what is allowed; the caller then exits with 2. Programs
// with more options read their own.
#ifndef RINGWAY_BENCH_OPTIONS_H_
#define RINGWAY_BENCH_OPTIONS_H_

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace ringway::bench {

struct Options {
  bool quick = false;
  bool brief = false;
  std::vector<std::string_view> only = {};  // parts; none named: all of them
  bool Wants(std::string_view part) const {
    return only.empty() || std::find(only.begin(), only.end(), part) != only.end();
  }
};

inline std::optional<Options> ReadOptions(const char* program, int argc, char** argv,
                                          std::initializer_list<std::string_view> parts = {}) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--brief") {
      options.brief = true;
    } else if (std::find(parts.begin(), parts.end(), argument) != parts.end()) {
      options.only.push_back(argument);
    } else {
      std::fprintf(stderr, "usage: %s [--quick] [--brief]", program);
      for (const std::string_view part : parts)
        std::fprintf(stderr, " [%.*s]", static_cast<int>(part.size()), part.data());
      std::fputs("\n", stderr);
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_OPTIONS_H_
