// Ctrl-C and SIGTERM as a question that a loop asks: has somebody asked us to stop?
//
// The signals are blocked and read from a signalfd, so no handler runs and nothing is global. Construct
// before other threads start, because they inherit the mask. The destructor restores the mask; a signal that
// came in between then takes its usual course. Threads: one owner.
#ifndef RINGWAY_CLI_DEMO_INTERRUPT_H_
#define RINGWAY_CLI_DEMO_INTERRUPT_H_

#include <signal.h>

namespace ringway::demo {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  // Does not wait. Stays true.
  bool Came();

 private:
  sigset_t before_;
  int fd_ = -1;
  bool came_ = false;
};

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_INTERRUPT_H_
