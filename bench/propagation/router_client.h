// A router that only listens and reports: enough to time how a table reaches it.
//
// A table counts as active when it was received, decoded and checked, which is what a router does before it
// routes by it; its arrival is stamped then, and acknowledged. Threads: Report from one driver; a reader
// thread of its own. Waiting is on a condition variable, so that the clock is not polled.
#ifndef RINGWAY_BENCH_PROPAGATION_ROUTER_CLIENT_H_
#define RINGWAY_BENCH_PROPAGATION_ROUTER_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/fleet.h"
#include "core/time.h"
#include "ringway/v1/control.grpc.pb.h"

namespace ringway::bench {

struct Arrival {
  Time planned_at;
  Time active_at;
  std::uint64_t version = 0;
  double home_fraction = 1;  // of this router's region
};

class RouterClient {
 public:
  RouterClient(const std::string& controller, std::string name, RegionId region,
               std::shared_ptr<const Fleet> fleet);
  ~RouterClient();

  void Hello();
  // `rps` entered here over `period_s`; the one worker beside it was busy for `busy_share` of it.
  void Report(double period_s, double rps, double busy_share);
  // The first table planned after `planned_after`; none within `limit`.
  std::optional<Arrival> Await(Time planned_after, Duration limit);
  // The newest, if any.
  std::optional<Arrival> Newest();

 private:
  void Read();

  const std::string name_;
  const RegionId region_;
  const std::shared_ptr<const Fleet> fleet_;
  std::unique_ptr<v1::Control::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::RouterMessage, v1::ControllerMessage>> stream_;
  std::mutex writing_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Arrival> arrivals_;
  std::thread reader_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PROPAGATION_ROUTER_CLIENT_H_
