// A fleet that a recovery test brings into trouble: one region, two routers, four workers, a controller.
//
// Two kinds. Over gRPC, workers are daemons whose jobs a scripted HTTP server in this process does; a plain
// pool has only the scripted servers, and its routers are the clients' HTTP port. In both, a job that says
// "bad" fails within a millisecond, as one with broken inputs does, and every other job takes kService.
//
// A worker can be killed, started again on its port, and stopped: a stopped one accepts connections and says
// nothing, as a process under SIGSTOP does. Routers and the controller are always daemons.
//
// Threads: the one that made it; Serve starts its own and joins them.
#ifndef RINGWAY_TESTS_LIVE_RECOVERY_FLEET_H_
#define RINGWAY_TESTS_LIVE_RECOVERY_FLEET_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/time.h"
#include "tests/live/daemon_process.h"

namespace ringway::live {

inline constexpr int kRouters = 2;
inline constexpr int kWorkers = 4;
inline constexpr Duration kService = Milliseconds(100);

// What clients of one router saw of jobs that they sent for a while.
struct Window {
  std::size_t jobs = 0;
  std::size_t done = 0;
  Duration p50 = ZeroDuration();  // of those that were done, from sending to the whole answer
  Duration p90 = ZeroDuration();
  int usable = 0;             // workers that the router may offer jobs to, afterwards
  std::string failures = {};  // of the first few
};

class Fleet {
 public:
  virtual ~Fleet() = default;
  // Every router has a table, and where there is a ledger, reaches it.
  virtual bool AwaitReady() = 0;

  // Poisson arrivals at one router, kService each, until all have been answered or given up.
  virtual Window Serve(int router, double rps, Duration span, int seed) = 0;
  // One client sends jobs that fail at once, one after the other.
  virtual void SendBad(int router, int jobs) = 0;

  virtual void KillWorker(int worker) = 0;
  virtual void StartWorker(int worker) = 0;
  virtual void StopWorker(int worker) = 0;
  virtual void ContinueWorker(int worker) = 0;

  virtual DaemonProcess& router(int index) = 0;
  virtual DaemonProcess& controller() = 0;
  virtual std::string tier() const = 0;

  // How many workers the router may offer jobs to.
  int Usable(int router);
};

// `mode`: "probe" or "ledger".
std::unique_ptr<Fleet> MakeGrpcFleet(const std::string& mode);
std::unique_ptr<Fleet> MakePlainFleet(const std::string& mode);

// A window of what clients measured: how long the done ones took, in the order of their ends.
Window Summarize(std::vector<Duration> took, std::size_t jobs, std::string failures);

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_RECOVERY_FLEET_H_
