// One real daemon under test: started on free loopback ports, found through its port file, always cleaned up.
//
// Each has an address of its own (own_host.h), so that its ports stay its own while it is down. Start waits
// until the port file is there and /readyz answers 200 (or only until the port file is there). The process
// can be killed with -9, asked to end, and started again on the same ports, as a supervisor would do. Its
// output goes to <folder>/<name>.log and is shown when it does not come up.
//
// Threads: the one that made it; it must outlive the daemon (see runtime/child_process.h).
#ifndef RINGWAY_TESTS_LIVE_DAEMON_PROCESS_H_
#define RINGWAY_TESTS_LIVE_DAEMON_PROCESS_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/child_process.h"

namespace ringway::live {

// A temporary folder that disappears with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Where the program lies.
std::string Program(const std::string& name);

struct DaemonSpec {
  std::string program;  // in RINGWAY_BIN_DIR, for example "ringway-worker"
  std::string name;     // for files
  std::vector<std::string> arguments;
  bool await_ready = true;  // else only the port file
};

class DaemonProcess {
 public:
  // Starts on ports of the kernel's choice; fails the test and stays down when the daemon does not come up.
  DaemonProcess(const ScratchFolder& folder, DaemonSpec spec);

  bool running();
  pid_t pid() const { return process_->pid(); }
  const std::string& grpc() const { return grpc_; }  // host:port
  const std::string& http() const { return http_; }
  // Where clients of a pool knock; empty: there is no pool.
  const std::string& clients() const { return clients_; }
  // Where the videos API is; empty: it is not served. Another one after StartAgain.
  const std::string& videos() const { return videos_; }
  // kill -9, and reaps it.
  void Kill();
  // SIGTERM; the wait status, or nothing when it has not ended within `limit`.
  std::optional<int> Terminate(Duration limit);
  void Signal(int signal) { process_->Signal(signal); }
  std::optional<int> WaitFor(Duration limit) { return process_->WaitFor(limit); }
  // After Kill or Terminate: the same daemon on the same ports.
  void StartAgain();
  std::string Log() const;

 private:
  void Start(const std::string& listen, const std::string& http);
  bool Serves();
  const DaemonSpec spec_;
  const std::string port_file_;
  const std::string log_;
  std::optional<runtime::ChildProcess> process_;
  std::string grpc_;
  std::string http_;
  std::string clients_;
  std::string videos_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_DAEMON_PROCESS_H_
