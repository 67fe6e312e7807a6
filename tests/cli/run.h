// Runs the command line in place and keeps what it said.
#ifndef RINGWAY_TESTS_CLI_RUN_H_
#define RINGWAY_TESTS_CLI_RUN_H_

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace ringway::cli {

struct Ran {
  int code;
  std::string out;
  std::string err;
};

inline Ran Ringway(std::vector<std::string> words) {
  // Whoever runs the tests may have contexts of their own.
  ::setenv("RINGWAY_CONTEXTS", "/dev/null/none", 0);
  words.insert(words.begin(), "ringway");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  std::ostringstream out, err;
  const int code = RunCommandLine(static_cast<int>(argv.size()), argv.data(), out, err, false);
  return {code, out.str(), err.str()};
}

}  // namespace ringway::cli

#endif  // RINGWAY_TESTS_CLI_RUN_H_
