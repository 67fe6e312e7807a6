#include "runtime/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::runtime {
namespace {

// Sockets of libraries are not all marked so; a connection that a child holds open as well does not end when
// its owner closes it. Kernels before 5.11 do not know the call and leave it at what was marked.
void CloseOthersOnExec() {
  constexpr unsigned int kCloseRangeCloexec = 1U << 2;  // CLOSE_RANGE_CLOEXEC, which Debian 12's headers lack
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, kCloseRangeCloexec);
}

// In the child, between fork and exec: only async-signal-safe calls. Reports the error number through
// `report` on failure.
[[noreturn]] void BecomeProgram(char* const* argv, int output, int report, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent died before the call above
  if (output >= 0) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
  }
  CloseOthersOnExec();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execvp(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(const std::vector<std::string>& arguments,
                                                 const std::string& output_path) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int output = -1;
  if (!output_path.empty()) {
    output = open(output_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (output < 0) return absl::NotFoundError(absl::StrCat(output_path, ": ", std::strerror(errno)));
  }
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    if (output >= 0) close(output);
    return absl::ResourceExhaustedError(absl::StrCat("cannot make a pipe: ", std::strerror(errno)));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(argv.data(), output, report[1], parent);
  close(report[1]);
  if (output >= 0) close(output);
  int error = pid < 0 ? errno : 0;
  // The pipe closes when exec succeeds; otherwise the error number comes through it.
  const bool failed = pid < 0 || read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);
  if (!failed) return ChildProcess(pid);
  if (pid > 0) waitpid(pid, nullptr, 0);
  return absl::NotFoundError(absl::StrCat("cannot start ", arguments[0], ": ", std::strerror(error)));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(std::exchange(other.status_, std::nullopt)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0 || Poll()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool ChildProcess::Signal(int signal) { return pid_ > 0 && !Poll() && kill(pid_, signal) == 0; }

std::optional<int> ChildProcess::Poll() {
  if (status_ || pid_ <= 0) return status_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

std::optional<int> ChildProcess::WaitFor(Duration limit) {
  if (Poll()) return status_;
  // A pidfd becomes readable when the process ends: no polling loop.
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (fd < 0) return Poll();
  pollfd ended{.fd = fd, .events = POLLIN, .revents = 0};
  poll(&ended, 1, static_cast<int>(ToInt64Milliseconds(limit)));
  close(fd);
  return Poll();
}

Duration ChildProcess::CpuTime() const {
  std::ifstream stat(absl::StrCat("/proc/", pid_, "/stat"));
  std::string text;
  std::getline(stat, text);
  // The name may hold spaces; the fields after its closing bracket do not. utime and stime are the 12th and
  // 13th of those.
  const std::size_t name_end = text.rfind(')');
  if (status_ || name_end == std::string::npos) return ZeroDuration();
  const char* at = text.c_str() + name_end + 1;
  long long ticks = 0;
  for (int field = 1; field <= 13; ++field) {
    at += std::strspn(at, " ");
    if (field >= 12) ticks += std::strtoll(at, nullptr, 10);
    at += std::strcspn(at, " ");
  }
  return Seconds(static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

}  // namespace ringway::runtime
