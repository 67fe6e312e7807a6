// What every subcommand is given: where to print, how, and whom to ask.
//
// Human output goes to `out`, and so does JSON under --json, which is then the only thing there; progress,
// remarks and errors go to `err`. Colour is on only when `out` is a terminal, NO_COLOR is not set, TERM is
// not "dumb" and JSON is not wanted. Exit codes are the same for every subcommand (docs/cli.md).
//
// A subcommand's Add...() declares its options and puts what it would do into Session::run; nothing runs
// while the command line is still being parsed. Threads: one owner.
#ifndef RINGWAY_CLI_SESSION_H_
#define RINGWAY_CLI_SESSION_H_

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "cli/text_table.h"

namespace ringway::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitNo = 1,           // it ran, and the answer is no: a bad file, a failed job, a demo that fell short
  kExitUsage = 2,        // the command line is wrong
  kExitUnreachable = 3,  // nobody answers at the address
  kExitRefused = 4,      // the other side refuses: token, unknown name, value out of range
};

struct Session {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  bool colour = false;
  bool terminal = false;      // `out` can be drawn over
  bool err_terminal = false;  // `err` can
  std::string controller = "127.0.0.1:7400";
  std::string router = "127.0.0.1:7410";
  std::string token_file = {};
  std::string fleet_token_file = {};
  std::string context = {};       // --context or its variable; empty: the current one (context/endpoints.h)
  bool controller_given = false;  // by a flag or the environment
  bool router_given = false;
  std::string context_in_use = {};  // that the rest was filled from; empty: none
  std::function<int()> run = nullptr;

  std::string Painted(std::string_view text, Style style) const { return Paint(text, style, colour); }
};

// Prints `ringway: MESSAGE` and gives the exit code that the status stands for.
int Fail(Session& session, const absl::Status& status);

// What RINGWAY_TOKEN or the token file hold; empty when there is neither. Errors: NotFound, InvalidArgument.
absl::Status ReadToken(const Session& session, std::string& token);
// The same of RINGWAY_FLEET_TOKEN and the fleet's token file.
absl::Status ReadFleetToken(const Session& session, std::string& token);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SESSION_H_
