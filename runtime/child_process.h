// A process that we start and end: for the demo, live tests and benchmarks that run real daemons and real
// peers.
//
// A child dies with its parent (PR_SET_PDEATHSIG), whatever kills the parent, so nothing is left running.
// Signals go to the child's own pid only, and never after it was reaped. Output goes to a file, so that a
// failure can be read afterwards. No other file or socket of the parent is open in it.
//
// Invariants: the destructor ends the child (SIGKILL) and reaps it. Threads: one owner; the thread that calls
// Start must live as long as the child, because the kernel ties the death signal to it.
#ifndef RINGWAY_RUNTIME_CHILD_PROCESS_H_
#define RINGWAY_RUNTIME_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "core/time.h"

namespace ringway::runtime {

class ChildProcess {
 public:
  // arguments[0] is the program, looked up in PATH when it has no slash. Standard output and error are
  // appended to `output_path`; empty: inherited. Errors: NotFound and the like, with the program's name.
  static absl::StatusOr<ChildProcess> Start(const std::vector<std::string>& arguments,
                                            const std::string& output_path);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // False when it has ended already.
  bool Signal(int signal);
  // The wait status once it has ended, nothing while it runs.
  std::optional<int> Poll();
  // Waits for the end, at most `limit`; the wait status, or nothing.
  std::optional<int> WaitFor(Duration limit);
  // User and system CPU time that it has used so far, from /proc; zero when it has ended.
  Duration CpuTime() const;

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_CHILD_PROCESS_H_
