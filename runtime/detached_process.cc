#include "runtime/detached_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace ringway::runtime {
namespace {

// In the new process, between fork and exec: only async-signal-safe calls. Reports the error number through
// `report` on failure.
[[noreturn]] void BecomeDetached(char* const* argv, int input, int output, int report) {
  setsid();
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  execv(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

// When the process started; nothing when it has ended.
std::optional<std::uint64_t> StartedTicks(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::string text;
  std::getline(file, text);
  // The name may hold blanks and brackets; the fields behind its closing bracket do not. The first of them is
  // the state (the third of all), the start the 22nd of all.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  std::string field;
  for (int n = 4; n < 22; ++n) fields >> field;
  std::uint64_t ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  return ticks;
}

}  // namespace

absl::StatusOr<ProcessIdentity> StartDetached(const std::vector<std::string>& arguments,
                                              const std::string& output_path) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int output = open(output_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0) return absl::NotFoundError(absl::StrCat(output_path, ": ", std::strerror(errno)));
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int report[2];
  if (input < 0 || pipe2(report, O_CLOEXEC) != 0) {
    const int error = errno;
    close(output);
    if (input >= 0) close(input);
    return absl::ResourceExhaustedError(absl::StrCat("cannot open a file: ", std::strerror(error)));
  }
  const pid_t pid = fork();
  if (pid == 0) BecomeDetached(argv.data(), input, output, report[1]);
  int error = pid < 0 ? errno : 0;
  close(report[1]);
  close(input);
  close(output);
  // The pipe closes when exec succeeds; otherwise the error number comes through it.
  const bool failed = pid < 0 || read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);
  if (failed) {
    if (pid > 0) waitpid(pid, nullptr, 0);
    return absl::NotFoundError(absl::StrCat("cannot start ", arguments[0], ": ", std::strerror(error)));
  }
  // It may have ended already; then nobody will find it running.
  return ProcessIdentity{pid, StartedTicks(pid).value_or(0)};
}

bool IsRunning(const ProcessIdentity& process) {
  return process.pid > 0 && process.started_ticks > 0 && StartedTicks(process.pid) == process.started_ticks;
}

bool SignalDetached(const ProcessIdentity& process, int signal) {
  if (process.pid <= 0) return false;
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0));
  if (fd < 0) return false;
  const bool sent = IsRunning(process) && syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0) == 0;
  close(fd);
  return sent;
}

}  // namespace ringway::runtime
