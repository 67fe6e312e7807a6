#include "router/daemon/operations/operations_service.h"

#include <utility>

namespace ringway::router {
namespace {

constexpr std::size_t kInboxBusy = 4096;

grpc::Status StatusOf(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.raw_code()), std::string(status.message())};
}

grpc::Status Busy() {
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, "the router is busy or is shutting down, try again"};
}

}  // namespace

template <class Task>
bool OperationsService::Post(Task task) {
  return loop_.inbox_depth() < kInboxBusy && loop_.Post(std::move(task));
}

template <class Fill>
grpc::ServerUnaryReactor* OperationsService::Answer(grpc::CallbackServerContext* context, Fill fill) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (!Post([reactor, fill = std::move(fill)] { reactor->Finish(StatusOf(fill())); }))
    reactor->Finish(Busy());
  return reactor;
}

grpc::ServerUnaryReactor* OperationsService::ListWorkers(grpc::CallbackServerContext* context,
                                                         const v1::ListWorkersRequest* request,
                                                         v1::ListWorkersReply* reply) {
  return Answer(context, [this, request, reply] {
    *reply = operations_.ListWorkers(*request);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* OperationsService::ListJobs(grpc::CallbackServerContext* context,
                                                      const v1::ListJobsRequest* request,
                                                      v1::ListJobsReply* reply) {
  return Answer(context, [this, request, reply] {
    *reply = operations_.ListJobs(*request);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* OperationsService::Cancel(grpc::CallbackServerContext* context,
                                                    const v1::CancelRequest* request,
                                                    v1::CancelReply* reply) {
  return Answer(context, [this, request, reply] {
    auto cancelled = operations_.Cancel(*request);
    if (cancelled.ok()) *reply = *std::move(cancelled);
    return cancelled.status();
  });
}

grpc::ServerUnaryReactor* OperationsService::DrainWorkers(grpc::CallbackServerContext*,
                                                          const v1::DrainWorkersRequest* request,
                                                          v1::DrainWorkersReply* reply) {
  auto* const orders = new WorkerOrders(*reply);  // deletes itself when the call is over
  const bool posted = Post([this, orders, request] {
    const auto workers = operations_.WorkersOf(*request);
    if (!workers.ok()) return orders->Refuse(StatusOf(workers.status()));
    v1::DrainRequest order;
    order.set_drain(request->drain());
    order.set_for_s(request->for_s());
    orders->Send(order, *workers);
  });
  if (!posted) orders->Refuse(Busy());
  return orders;
}

}  // namespace ringway::router
