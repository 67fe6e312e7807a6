// From the command line to one subcommand that runs.
//
// Unknown subcommands and options get the nearest known name as a suggestion. The environment sets defaults
// (RINGWAY_CONTROLLER, RINGWAY_ROUTER, RINGWAY_TOKEN), flags win. CLI11's exceptions stop here. Threads: one
// owner.
#ifndef RINGWAY_CLI_COMMAND_LINE_H_
#define RINGWAY_CLI_COMMAND_LINE_H_

#include <ostream>

namespace ringway::cli {

// `out_is_terminal`, `err_is_terminal`: whether a person watches them. Returns the exit code.
int RunCommandLine(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                   bool out_is_terminal, bool err_is_terminal = false);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_COMMAND_LINE_H_
