// ringway: the command line of the operator and of whoever tries it.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "cli/command_line.h"
#include "engine/cpu/idle_threads.h"

int main(int argc, char** argv) {
  // The commands that run the engine in this process; for the others a second start would be for nothing.
  const bool engine = std::any_of(argv, argv + argc, [](std::string_view word) {
    return word == "animate" || word == "engine" || word == "generate";
  });
  if (engine) ringway::engine::LetIdleThreadsSleep();
  return ringway::cli::RunCommandLine(argc, argv, std::cout, std::cerr, isatty(STDOUT_FILENO) == 1,
                                      isatty(STDERR_FILENO) == 1);
}
