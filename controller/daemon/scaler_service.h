// What KEDA asks: how many workers are wanted of one tier in one region (proto/keda/external_scaler.proto).
//
// Read only. Calls are posted to the control loop and answered from there, as operators' are; when its inbox
// is half full a call is refused with RESOURCE_EXHAUSTED. An unknown tier or region is NOT_FOUND, a tier
// without `scaling` FAILED_PRECONDITION; a number that is not known yet, because the region has not been
// heard of, is UNAVAILABLE: KEDA and its autoscaler then leave the workers as they are, which no invented
// number would.
//
// StreamIsActive looks twice a second and writes when the answer changes; at most kStreamsMax are open.
// Threads: gRPC's; a stream's steps follow one another, wherever they run.
#ifndef RINGWAY_CONTROLLER_DAEMON_SCALER_SERVICE_H_
#define RINGWAY_CONTROLLER_DAEMON_SCALER_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <atomic>

#include "absl/status/statusor.h"
#include "controller/daemon/control_loop.h"
#include "keda/external_scaler.grpc.pb.h"

namespace ringway::controller {

class ScalerService final : public externalscaler::ExternalScaler::CallbackService {
 public:
  static constexpr int kStreamsMax = 256;
  static constexpr char kMetricName[] = "workers-wanted";

  explicit ScalerService(ControlLoop& control) : control_(control) {}

 private:
  class ActiveStream;
  using Context = grpc::CallbackServerContext;
  using Ref = externalscaler::ScaledObjectRef;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* IsActive(Context*, const Ref*, externalscaler::IsActiveResponse*) override;
  grpc::ServerWriteReactor<externalscaler::IsActiveResponse>* StreamIsActive(Context*, const Ref*) override;
  Reactor* GetMetricSpec(Context*, const Ref*, externalscaler::GetMetricSpecResponse*) override;
  Reactor* GetMetrics(Context*, const externalscaler::GetMetricsRequest*,
                      externalscaler::GetMetricsResponse*) override;

  // Asks on the loop and gives `told` the workers wanted, or why there is no answer; on the loop's thread, or
  // on this one if the loop takes nothing.
  template <class Told>
  void Ask(const Ref& ref, Told told);

  ControlLoop& control_;
  std::atomic<int> streams_{0};
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_SCALER_SERVICE_H_
