// A router as the controller sees it: one Connect stream from a real gRPC client, driven by the test.
//
// Everything the controller sends is kept, newest last; Await polls a condition over it for a few seconds.
// Threads: Send and the getters from the test's thread; a reader thread collects.
#ifndef RINGWAY_TESTS_CONTROLLER_TEST_ROUTER_H_
#define RINGWAY_TESTS_CONTROLLER_TEST_ROUTER_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ringway/v1/control.grpc.pb.h"

namespace ringway::controller {

// The world that it lives in: regions a and b, four workers of tier t in each.
inline constexpr char kPairWorld[] = R"(apiVersion: ringway/v1
kind: World
metadata: {name: pair}
spec:
  regions:
    - {name: a, coordinates: {latitudeDeg: 1, longitudeDeg: 1}}
    - {name: b, coordinates: {latitudeDeg: 2, longitudeDeg: 2}}
  rtt:
    matrixMs: [[1, 10], [10, 1]]
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: t}
spec:
  serviceMean: 1s
  metrics:
    - {name: busy, aggregation: sum, capacity: 1, capacityPer: worker}
  overloadThreshold: 0.8
  rings:
    - {name: near, rttMsMax: 50, unlockLoad: 0.8}
  guard: {drainPace: 1s, stepMax: 1}
  regions:
    - {region: a, workers: 4}
    - {region: b, workers: 4}
)";

struct RouterNews {
  std::vector<v1::Welcome> welcomes;
  std::vector<v1::FleetMap> maps;
  std::vector<v1::Directory> directories;
  std::vector<v1::RoutingTable> tables;
  std::vector<v1::OrdersRecorded> recorded;
  bool ended = false;
  grpc::Status status;
};

class TestRouter {
 public:
  TestRouter(const std::string& controller, std::string name, std::string region,
             const std::string& token = "");
  ~TestRouter();

  void Hello(std::uint64_t table_epoch = 0, std::uint64_t table_version = 0);
  // With `workers` idle workers beside it, and `entered` jobs of the tier since the last report, kept at
  // home.
  void Report(const std::string& tier, int workers, std::uint64_t entered, double busy_share);
  bool Send(const v1::RouterMessage& message);
  // Hangs up from this side.
  void Leave();
  RouterNews news() const;
  bool Await(const std::function<bool(const RouterNews&)>& condition) const;

 private:
  using Stream = grpc::ClientReaderWriter<v1::RouterMessage, v1::ControllerMessage>;
  void Read();

  const std::string name_;
  const std::string region_;
  std::unique_ptr<v1::Control::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<Stream> stream_;
  mutable std::mutex mutex_;
  RouterNews news_;
  std::thread reader_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_TESTS_CONTROLLER_TEST_ROUTER_H_
