#include "controller/daemon/admin_service.h"

#include <optional>
#include <utility>

#include "controller/daemon/admin_replies.h"
#include "controller/daemon/dry_run_replies.h"
#include "runtime/clock.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kInboxBusy = runtime::EventLoop::kInboxMax / 2;

grpc::Status ToGrpc(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

}  // namespace

void AdminService::Finish(Reactor* reactor, const grpc::Status& status) {
  metrics_.AdminCalled(status.ok() ? "answered" : "refused");
  reactor->Finish(status);
}

template <class Reply, class Make>
grpc::ServerUnaryReactor* AdminService::Query(Context* context, Reply* reply, Make make) {
  Reactor* reactor = context->DefaultReactor();
  const bool crowded = control_.loop().inbox_depth() > kInboxBusy;
  const bool posted = !crowded && control_.loop().Post([this, reactor, reply, make = std::move(make)] {
    absl::StatusOr<Reply> made = make(control_.machine());
    if (made.ok()) *reply = *std::move(made);
    Finish(reactor, ToGrpc(made.status()));
  });
  if (!posted) Finish(reactor, {grpc::StatusCode::RESOURCE_EXHAUSTED, "the controller is busy, try again"});
  return reactor;
}

template <class Request>
grpc::ServerUnaryReactor* AdminService::Command(Context* context, const Request* request,
                                                v1::ActionReply* reply) {
  Reactor* reactor = context->DefaultReactor();
  auto command = CommandOf(*request);
  if (!command.ok()) {
    Finish(reactor, ToGrpc(command.status()));
    return reactor;
  }
  const bool crowded = control_.loop().inbox_depth() > kInboxBusy;
  const bool posted = !crowded && control_.loop().Post([this, reactor, reply, asked = *std::move(command)] {
    control_.Ask(asked, [this, reactor, reply](const CommandAnswered& answer) {
      *reply = ActionReplyOf(answer);
      Finish(reactor, grpc::Status::OK);
    });
  });
  if (!posted) Finish(reactor, {grpc::StatusCode::RESOURCE_EXHAUSTED, "the controller is busy, try again"});
  return reactor;
}

template <class Reply, class Ask>
grpc::ServerUnaryReactor* AdminService::Later(Context* context, Reply* reply, Ask ask) {
  Reactor* reactor = context->DefaultReactor();
  const bool crowded = control_.loop().inbox_depth() > kInboxBusy;
  const bool posted = !crowded && control_.loop().Post([this, reactor, reply, ask = std::move(ask)] {
    ask([this, reactor, reply](absl::StatusOr<Reply> made) {
      if (made.ok()) *reply = *std::move(made);
      Finish(reactor, ToGrpc(made.status()));
    });
  });
  if (!posted) Finish(reactor, {grpc::StatusCode::RESOURCE_EXHAUSTED, "the controller is busy, try again"});
  return reactor;
}

grpc::ServerUnaryReactor* AdminService::Status(Context* context, const v1::StatusRequest*,
                                               v1::StatusReply* reply) {
  return Query(context, reply, [this](const ControllerMachine& machine) -> absl::StatusOr<v1::StatusReply> {
    const Time now = runtime::MonotonicNow();
    return StatusReplyOf(machine, now - control_.started_at(), now);
  });
}

grpc::ServerUnaryReactor* AdminService::GetTable(Context* context, const v1::GetTableRequest* request,
                                                 v1::RoutingTable* reply) {
  return Query(context, reply,
               [request](const ControllerMachine& machine) { return TableReplyOf(machine, *request); });
}

grpc::ServerUnaryReactor* AdminService::Explain(Context* context, const v1::ExplainRequest* request,
                                                v1::ExplainReply* reply) {
  return Query(context, reply, [request](const ControllerMachine& machine) {
    return ExplainReplyOf(machine, *request, runtime::MonotonicNow());
  });
}

grpc::ServerUnaryReactor* AdminService::DryRun(Context* context, const v1::DryRunRequest* request,
                                               v1::DryRunReply* reply) {
  // The table that it names may lie on a disk.
  if (request->has_rollback_order()) {
    return Later(context, reply,
                 [this, asked = *request](auto answer) { past_.DryRun(asked, std::move(answer)); });
  }
  return Query(context, reply,
               [request](const ControllerMachine& machine) -> absl::StatusOr<v1::DryRunReply> {
                 const auto order = OrderOf(*request);
                 if (!order.ok()) return order.status();
                 return DryRunReplyOf(machine, *request, *order, runtime::MonotonicNow());
               });
}

grpc::ServerUnaryReactor* AdminService::Audit(Context* context, const v1::AuditRequest* request,
                                              v1::AuditReply* reply) {
  return Query(context, reply, [this, request](const ControllerMachine&) -> absl::StatusOr<v1::AuditReply> {
    return AuditReplyOf(control_.audit(), *request);
  });
}

grpc::ServerUnaryReactor* AdminService::Drain(Context* context, const v1::DrainRegionRequest* request,
                                              v1::ActionReply* reply) {
  return Command(context, request, reply);
}

grpc::ServerUnaryReactor* AdminService::SetThreshold(Context* context, const v1::SetThresholdRequest* request,
                                                     v1::ActionReply* reply) {
  return Command(context, request, reply);
}

grpc::ServerUnaryReactor* AdminService::SetMode(Context* context, const v1::SetModeRequest* request,
                                                v1::ActionReply* reply) {
  return Command(context, request, reply);
}

grpc::ServerUnaryReactor* AdminService::Pin(Context* context, const v1::PinRequest* request,
                                            v1::ActionReply* reply) {
  return Command(context, request, reply);
}

grpc::ServerUnaryReactor* AdminService::Canary(Context* context, const v1::CanaryRequest* request,
                                               v1::ActionReply* reply) {
  return Command(context, request, reply);
}

grpc::ServerUnaryReactor* AdminService::Rollback(Context* context, const v1::RollbackRequest* request,
                                                 v1::ActionReply* reply) {
  auto command = CommandOf(*request);
  if (!command.ok()) {
    Reactor* reactor = context->DefaultReactor();
    Finish(reactor, ToGrpc(command.status()));
    return reactor;
  }
  std::optional<Time> at;
  if (request->at_unix_us() != 0) at = FromUnixMicros(request->at_unix_us());
  return Later(context, reply, [this, at, asked = *std::move(command)](auto answer) {
    past_.Rollback(asked, at, std::move(answer));
  });
}

grpc::ServerUnaryReactor* AdminService::History(Context* context, const v1::HistoryRequest* request,
                                                v1::HistoryReply* reply) {
  return Later(context, reply, [this, request](auto answer) { past_.List(*request, std::move(answer)); });
}

grpc::ServerUnaryReactor* AdminService::Diff(Context* context, const v1::DiffRequest* request,
                                             v1::DiffReply* reply) {
  return Later(context, reply, [this, request](auto answer) { past_.Diff(*request, std::move(answer)); });
}

}  // namespace ringway::controller
