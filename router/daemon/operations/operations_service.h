// The gRPC service of operators at a router: each call is answered on the loop, a drain when its workers
// have.
//
// It decides nothing (operations.h does). Operators never crowd out jobs: a loop that has much to do refuses
// them with RESOURCE_EXHAUSTED. Who may call is the guard's to say (daemon.cc): whoever has the fleet's
// token.
//
// Threads: gRPC's, which post to the loop. Invariant: every call ends, also when the loop has stopped.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_OPERATIONS_SERVICE_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_OPERATIONS_SERVICE_H_

#include "ringway/v1/operations.grpc.pb.h"
#include "router/daemon/operations/operations.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class OperationsService final : public v1::Operations::CallbackService {
 public:
  OperationsService(runtime::EventLoop& loop, Operations& operations)
      : loop_(loop), operations_(operations) {}

 private:
  grpc::ServerUnaryReactor* ListWorkers(grpc::CallbackServerContext* context,
                                        const v1::ListWorkersRequest* request,
                                        v1::ListWorkersReply* reply) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                     v1::ListJobsReply* reply) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context, const v1::CancelRequest* request,
                                   v1::CancelReply* reply) override;
  grpc::ServerUnaryReactor* DrainWorkers(grpc::CallbackServerContext* context,
                                         const v1::DrainWorkersRequest* request,
                                         v1::DrainWorkersReply* reply) override;
  // False: the task will not run.
  template <class Task>
  bool Post(Task task);
  // Ends the call with what `fill` returns on the loop.
  template <class Fill>
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, Fill fill);

  runtime::EventLoop& loop_;
  Operations& operations_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_OPERATIONS_SERVICE_H_
