// A process that outlives the one that starts it, and is ended later by somebody else: `ringway up`, `ringway
// down`.
//
// The opposite of child_process.h: the process gets a session of its own, so that neither the end of its
// parent nor a Ctrl-C in its terminal reaches it, and whoever ends it knows it from a file. A number alone
// would be a trap there: the kernel gives it to another process once this one is gone. So a process is known
// by its number and the moment it started (field 22 of /proc/PID/stat, in clock ticks since the machine
// started), and a signal goes through a pidfd that is opened before that moment is looked at: it reaches this
// process or nobody.
//
// A process that has ended and was not reaped yet (a zombie) does not run. Threads: any; nothing is kept.
#ifndef RINGWAY_RUNTIME_DETACHED_PROCESS_H_
#define RINGWAY_RUNTIME_DETACHED_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ringway::runtime {

struct ProcessIdentity {
  pid_t pid = -1;
  std::uint64_t started_ticks = 0;
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// arguments[0] is the program's path. Standard input is empty, output and error are appended to
// `output_path`. Errors: NotFound and the like, with the program's name.
absl::StatusOr<ProcessIdentity> StartDetached(const std::vector<std::string>& arguments,
                                              const std::string& output_path);

bool IsRunning(const ProcessIdentity& process);

// False when it does not run any more.
bool SignalDetached(const ProcessIdentity& process, int signal);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_DETACHED_PROCESS_H_
