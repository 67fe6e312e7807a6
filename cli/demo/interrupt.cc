#include "cli/demo/interrupt.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace ringway::demo {

Interrupt::Interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  fd_ = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

Interrupt::~Interrupt() {
  if (fd_ >= 0) close(fd_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupt::Came() {
  signalfd_siginfo signal;
  if (!came_ && fd_ >= 0) came_ = read(fd_, &signal, sizeof signal) == sizeof signal;
  return came_;
}

}  // namespace ringway::demo
