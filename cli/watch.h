// --watch: the same look again and again, until q or Ctrl-C.
//
// On a terminal it is drawn over the screen. Elsewhere it is printed when it is another than before: under a
// line with the time, or, as JSON, one document a line. A controller that does not answer for a while is no
// reason to leave a screen; elsewhere it ends the command with the error. Ctrl-C and SIGTERM end it with 0.
//
// Threads: one owner.
#ifndef RINGWAY_CLI_WATCH_H_
#define RINGWAY_CLI_WATCH_H_

#include <google/protobuf/message.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/session.h"
#include "runtime/flags.h"

namespace ringway::cli {

struct WatchChoice {
  bool wanted = false;
  double interval_s = 2;
};

// Adds -w, --watch [SECONDS].
std::shared_ptr<WatchChoice> AddWatchOption(flags::Command command);

// The text of now, with its last line break.
using Look = std::function<absl::StatusOr<std::string>()>;
// Calls `look` once an interval; once if no watch is wanted. Returns the exit code.
int Watch(Session& session, const WatchChoice& choice, const Look& look);

// The same with one client of the controller for all looks.
class AdminClient;
using AdminLook = std::function<absl::StatusOr<std::string>(AdminClient&)>;
int WatchController(Session& session, const WatchChoice& choice, const AdminLook& look);

// The message as JSON: over many lines, or in one where a watch prints one after the other.
std::string LookJson(const google::protobuf::Message& message, const WatchChoice& choice);
std::string LookJson(std::string_view json, const WatchChoice& choice);
// What is to be known beside the text: under it in a watch, whose screen is drawn over; else on
// `session.err`.
std::string LookNote(Session& session, const WatchChoice& choice, const std::string& note);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_WATCH_H_
