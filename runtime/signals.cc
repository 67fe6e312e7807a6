#include "runtime/signals.h"

#include <unistd.h>

#include <csignal>

namespace ringway::runtime {

Signals::Signals(EventLoop& loop, absl::AnyInvocable<void()> stop, absl::AnyInvocable<void()> reload)
    : stop_signals_(loop.context(), SIGTERM, SIGINT),
      reload_signals_(loop.context(), SIGHUP),
      stop_(std::move(stop)),
      reload_(std::move(reload)) {
  std::signal(SIGPIPE, SIG_IGN);
  WaitStop();
  WaitReload();
}

void Signals::WaitStop() {
  stop_signals_.async_wait([this](const boost::system::error_code& cancelled, int signal) {
    if (cancelled) return;
    if (stopping_) _exit(128 + signal);
    stopping_ = true;
    WaitStop();
    stop_();
  });
}

void Signals::WaitReload() {
  reload_signals_.async_wait([this](const boost::system::error_code& cancelled, int) {
    if (cancelled) return;
    WaitReload();
    if (reload_) reload_();
  });
}

}  // namespace ringway::runtime
