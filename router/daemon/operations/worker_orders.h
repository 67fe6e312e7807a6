// One DrainWorkers call: the order on its way to each worker, and one answer when all of them have answered.
//
// The call ends whatever happens: each worker has kOrderLimit to answer, and when the operator leaves, or the
// server of this router is shut down, the calls to the workers are cancelled, which is an answer too. Nothing
// of it needs the loop once the order has been sent, so a loop that has stopped leaves no call open.
//
// Bound: a call for each worker that is ordered. Threads: Send on the loop, Refuse wherever the order was not
// sent; answers come on gRPC's threads, under a lock. Deletes itself when gRPC is done with it.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_WORKER_ORDERS_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_WORKER_ORDERS_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "ringway/v1/operations.pb.h"
#include "ringway/v1/worker.grpc.pb.h"

namespace ringway::router {

struct OrderedWorker {
  std::string name;
  std::string address;
  v1::Worker::Stub* stub = nullptr;  // null: a plain HTTP server, which takes no orders
};

class WorkerOrders final : public grpc::ServerUnaryReactor {
 public:
  static constexpr std::chrono::seconds kOrderLimit{5};

  explicit WorkerOrders(v1::DrainWorkersReply& reply) : reply_(reply) {}
  // Either Refuse or Send, once.
  void Refuse(const grpc::Status& why) { Finish(why); }
  // The stubs are needed until Send returns.
  void Send(const v1::DrainRequest& order, const std::vector<OrderedWorker>& workers);

 private:
  struct Order {
    grpc::ClientContext context;
    v1::WorkerState state;
    v1::WorkerOrdered* row = nullptr;  // of the reply
  };

  void OnCancel() override;
  void OnDone() override { delete this; }
  void OnAnswered(const Order& order, const grpc::Status& status);
  // One that the answer waited for has come. The last one may take this object away.
  void CountDown();

  v1::DrainWorkersReply& reply_;
  std::mutex mutex_;
  v1::DrainRequest order_;
  std::deque<Order> orders_;  // complete before the first is sent
  std::size_t missing_ = 0;
  bool cancelled_ = false;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_WORKER_ORDERS_H_
