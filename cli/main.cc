// ringway: the command line of the operator and of whoever tries it.
#include <unistd.h>

#include <iostream>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  return ringway::cli::RunCommandLine(argc, argv, std::cout, std::cerr, isatty(STDOUT_FILENO) == 1,
                                      isatty(STDERR_FILENO) == 1);
}
