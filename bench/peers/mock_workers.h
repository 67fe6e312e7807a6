// Plain HTTP servers of capacity one, each on a loopback port of its own: what the proxies stand in front of.
//
// A request names its service time in the header X-Service-Us. A free worker keeps busy that long and answers
// 200; a busy one answers 503 at once and does nothing else, as an inference server with no queue does. All
// workers share one thread: they only wait.
//
// Threads: counts() from any thread; the rest belongs to the owner.
#ifndef RINGWAY_BENCH_PEERS_MOCK_WORKERS_H_
#define RINGWAY_BENCH_PEERS_MOCK_WORKERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/histogram.h"

namespace ringway::bench {

struct WorkerCounts {
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;  // 503 because busy
  double busy_s = 0;
  // From the end of a request at a worker to the beginning of the next one there, s. While requests wait this
  // is the hand-over of a slot; else it has the pauses between arrivals in it.
  Histogram idle;
};

class MockWorkers {
 public:
  explicit MockWorkers(int count);
  ~MockWorkers();
  const std::vector<int>& ports() const;
  WorkerCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_MOCK_WORKERS_H_
