// Many workers in one process: the production agent, slot and service, each with a gRPC server of its own and
// a synthetic backend whose starts and ends are written down.
//
// What a worker has run is known here without asking anybody who takes part in granting. All workers of a
// farm live on one loop. Threads: safe from outside.
#ifndef RINGWAY_BENCH_LEDGER_FARM_H_
#define RINGWAY_BENCH_LEDGER_FARM_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/time.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::bench {

struct Served {
  std::size_t worker = 0;
  Time started;
  Time ended;
};

class Farm {
 public:
  Farm(const std::string& tier, const std::string& region, std::size_t workers, Duration service);
  ~Farm();

  const std::vector<std::string>& addresses() const { return addresses_; }
  // All jobs that have ended, in the order of their ends.
  std::vector<Served> Log();
  // Offers with a lease that found another lease in the slot, as the workers counted them.
  double DoubleGrants();

 private:
  struct Worker;
  runtime::EventLoop loop_;
  runtime::Logger log_;
  std::vector<Served> served_;  // the loop's
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::string> addresses_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LEDGER_FARM_H_
