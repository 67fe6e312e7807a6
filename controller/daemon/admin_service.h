// The Admin service: lets the loop answer.
//
// Each call is posted to the control loop and answered from there; when the loop's inbox is more than half
// full the call is refused with RESOURCE_EXHAUSTED, so that operators never crowd out routers. Who may call
// is not asked here: a call without the operators' token does not get this far (runtime/call_guard.h).
// Threads: gRPC's.
#ifndef RINGWAY_CONTROLLER_DAEMON_ADMIN_SERVICE_H_
#define RINGWAY_CONTROLLER_DAEMON_ADMIN_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include "controller/daemon/control_loop.h"
#include "controller/daemon/history_calls.h"
#include "ringway/v1/admin.grpc.pb.h"

namespace ringway::controller {

class AdminService final : public v1::Admin::CallbackService {
 public:
  AdminService(ControlLoop& control, HistoryCalls& past, ControllerMetrics& metrics)
      : control_(control), past_(past), metrics_(metrics) {}

 private:
  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* Status(Context*, const v1::StatusRequest*, v1::StatusReply*) override;
  Reactor* GetTable(Context*, const v1::GetTableRequest*, v1::RoutingTable*) override;
  Reactor* Explain(Context*, const v1::ExplainRequest*, v1::ExplainReply*) override;
  Reactor* DryRun(Context*, const v1::DryRunRequest*, v1::DryRunReply*) override;
  Reactor* Drain(Context*, const v1::DrainRegionRequest*, v1::ActionReply*) override;
  Reactor* SetThreshold(Context*, const v1::SetThresholdRequest*, v1::ActionReply*) override;
  Reactor* SetMode(Context*, const v1::SetModeRequest*, v1::ActionReply*) override;
  Reactor* Pin(Context*, const v1::PinRequest*, v1::ActionReply*) override;
  Reactor* Rollback(Context*, const v1::RollbackRequest*, v1::ActionReply*) override;
  Reactor* Canary(Context*, const v1::CanaryRequest*, v1::ActionReply*) override;
  Reactor* History(Context*, const v1::HistoryRequest*, v1::HistoryReply*) override;
  Reactor* Diff(Context*, const v1::DiffRequest*, v1::DiffReply*) override;
  Reactor* Audit(Context*, const v1::AuditRequest*, v1::AuditReply*) override;

  // Runs `make` on the loop and finishes the call with the status or reply that it gives.
  template <class Reply, class Make>
  Reactor* Query(Context* context, Reply* reply, Make make);
  template <class Request>
  Reactor* Command(Context* context, const Request* request, v1::ActionReply* reply);
  // Runs `ask` on the loop; the call is finished by whoever `ask` gives its last argument to.
  template <class Reply, class Ask>
  Reactor* Later(Context* context, Reply* reply, Ask ask);
  void Finish(Reactor* reactor, const grpc::Status& status);

  ControlLoop& control_;
  HistoryCalls& past_;
  ControllerMetrics& metrics_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_ADMIN_SERVICE_H_
