// Many simulations at once, one on each core.
//
// Runs share nothing but the immutable fleet, so they are as independent as processes. Work is handed out in
// order; `finished` is called on the caller's thread, one at a time, in whatever order runs end. Ctrl-C ends
// the handing out and the runs that are under way; what has finished has been reported.
//
// Threads: the pool's own; the caller's only waits and reports.
#ifndef RINGWAY_CLI_SIM_RUN_POOL_H_
#define RINGWAY_CLI_SIM_RUN_POOL_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "sim/report/figures.h"
#include "sim/scenario.h"

namespace ringway::cli {

// Notices Ctrl-C and SIGTERM while it lives.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  static bool Noticed();

 private:
  void (*interrupt_before_)(int);
  void (*terminate_before_)(int);
};

// `make(i)` gives the scenario of run i (called on the pool's threads; must not throw). False: interrupted.
bool RunAll(std::size_t runs, unsigned threads,
            const std::function<std::shared_ptr<const sim::Scenario>(std::size_t)>& make,
            const std::function<void(std::size_t, const sim::Figures&)>& finished);

// Threads to use: `wanted`, or all cores.
unsigned ThreadsFor(unsigned wanted);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SIM_RUN_POOL_H_
