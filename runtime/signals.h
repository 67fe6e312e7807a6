// SIGTERM and SIGINT stop a daemon in good order, SIGHUP makes it read its configuration again.
//
// Callbacks run on the event loop. A second SIGTERM or SIGINT while stopping ends the process at once, for
// people who press Ctrl-C twice. SIGPIPE is ignored for the whole process: a peer that left is an error code,
// not a death.
//
// Threads: construct before other threads start, so that none of them is chosen by the kernel for delivery.
#ifndef RINGWAY_RUNTIME_SIGNALS_H_
#define RINGWAY_RUNTIME_SIGNALS_H_

#include <utility>

#include <boost/asio/signal_set.hpp>

#include "absl/functional/any_invocable.h"
#include "runtime/event_loop.h"

namespace ringway::runtime {

class Signals {
 public:
  // `reload` may be null: SIGHUP is then ignored.
  Signals(EventLoop& loop, absl::AnyInvocable<void()> stop, absl::AnyInvocable<void()> reload = nullptr);

 private:
  void WaitStop();
  void WaitReload();
  boost::asio::signal_set stop_signals_;
  boost::asio::signal_set reload_signals_;
  absl::AnyInvocable<void()> stop_;
  absl::AnyInvocable<void()> reload_;
  bool stopping_ = false;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_SIGNALS_H_
