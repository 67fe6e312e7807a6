#include "controller/daemon/scaler_service.h"

#include <grpcpp/alarm.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/orders/commands.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kInboxCrowded = runtime::EventLoop::kInboxMax / 2;
constexpr std::chrono::milliseconds kLookEvery{500};

std::string Named(const externalscaler::ScaledObjectRef& ref, const char* key) {
  const auto found = ref.scalermetadata().find(key);
  return found != ref.scalermetadata().end() ? found->second : std::string();
}

absl::StatusOr<int> WantedOf(const ControllerMachine& machine, const externalscaler::ScaledObjectRef& ref) {
  const auto tier = FindTier(*machine.fleet(), Named(ref, "tier"));
  if (!tier.ok()) {
    return absl::NotFoundError(absl::StrCat("scalerMetadata.tier: ", tier.status().message()));
  }
  const auto region = FindRegion(*machine.fleet(), Named(ref, "region"));
  if (!region.ok()) {
    return absl::NotFoundError(absl::StrCat("scalerMetadata.region: ", region.status().message()));
  }
  const TierLoop& loop = machine.tiers()[tier->index()];
  const std::string& name = machine.fleet()->world.regions[*region].name;
  if (!loop.scaler()) {
    return absl::FailedPreconditionError(absl::StrCat("tier '", loop.tier().name,
                                                      "' is not scaled: give it `spec.scaling` in the "
                                                      "controller's topology file"));
  }
  if (loop.tier().regions[*region].workers == 0) {
    return absl::FailedPreconditionError(absl::StrCat("region '", name, "' may run no worker of tier '",
                                                      loop.tier().name,
                                                      "': its `workers` in the topology file is the most"));
  }
  const scale::Wanted& wanted = loop.scaler()->wanted()[*region];
  if (!wanted.known) {
    return absl::UnavailableError(
        absl::StrCat("region '", name,
                     "' has not been heard of yet: how many workers it needs is not "
                     "known; leave them as they are"));
  }
  return wanted.workers;
}

grpc::Status AsGrpcStatus(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

}  // namespace

template <class Told>
void ScalerService::Ask(const Ref& ref, Told told) {
  const bool crowded = control_.loop().inbox_depth() > kInboxCrowded;
  const bool posted =
      !crowded && control_.loop().Post([this, ref, told] { told(WantedOf(control_.machine(), ref)); });
  if (!posted) told(absl::StatusOr<int>(absl::ResourceExhaustedError("the controller is busy, try again")));
}

grpc::ServerUnaryReactor* ScalerService::IsActive(Context* context, const Ref* ref,
                                                  externalscaler::IsActiveResponse* reply) {
  Reactor* reactor = context->DefaultReactor();
  Ask(*ref, [reactor, reply](const absl::StatusOr<int>& wanted) {
    if (wanted.ok()) reply->set_result(*wanted > 0);
    reactor->Finish(AsGrpcStatus(wanted.status()));
  });
  return reactor;
}

grpc::ServerUnaryReactor* ScalerService::GetMetricSpec(Context* context, const Ref* ref,
                                                       externalscaler::GetMetricSpecResponse* reply) {
  Reactor* reactor = context->DefaultReactor();
  Ask(*ref, [reactor, reply](const absl::StatusOr<int>& wanted) {
    // What the metric is called is known before any number is: KEDA asks once, when the object is made.
    if (!wanted.ok() && !absl::IsUnavailable(wanted.status())) {
      return reactor->Finish(AsGrpcStatus(wanted.status()));
    }
    externalscaler::MetricSpec* spec = reply->add_metricspecs();
    spec->set_metricname(kMetricName);
    spec->set_targetsize(1);
    spec->set_targetsizefloat(1);
    reactor->Finish(grpc::Status::OK);
  });
  return reactor;
}

grpc::ServerUnaryReactor* ScalerService::GetMetrics(Context* context,
                                                    const externalscaler::GetMetricsRequest* request,
                                                    externalscaler::GetMetricsResponse* reply) {
  Reactor* reactor = context->DefaultReactor();
  Ask(request->scaledobjectref(), [reactor, request, reply](const absl::StatusOr<int>& wanted) {
    if (wanted.ok()) {
      externalscaler::MetricValue* value = reply->add_metricvalues();
      value->set_metricname(request->metricname().empty() ? kMetricName : request->metricname());
      value->set_metricvalue(*wanted);
      value->set_metricvaluefloat(*wanted);
    }
    reactor->Finish(AsGrpcStatus(wanted.status()));
  });
  return reactor;
}

// Ask, write if it is news, wait, and again: one step at a time, so that each end of it may finish the call.
class ScalerService::ActiveStream final : public grpc::ServerWriteReactor<externalscaler::IsActiveResponse> {
 public:
  ActiveStream(ScalerService& service, Ref ref) : service_(service), ref_(std::move(ref)) { Look(); }

  void OnWriteDone(bool ok) override { ok ? Wait() : Finish(grpc::Status::CANCELLED); }
  void OnCancel() override { cancelled_ = true; }
  void OnDone() override {
    service_.streams_.fetch_sub(1);
    delete this;
  }

 private:
  void Look() {
    service_.Ask(ref_, [this](const absl::StatusOr<int>& wanted) {
      // Not known yet is no end of the stream: what was said last stands.
      if (absl::IsUnavailable(wanted.status())) return Wait();
      if (!wanted.ok()) return Finish(AsGrpcStatus(wanted.status()));
      const bool active = *wanted > 0;
      if (said_ == active) return Wait();
      said_ = active;
      reply_.set_result(active);
      StartWrite(&reply_);
    });
  }
  void Wait() {
    alarm_.Set(std::chrono::system_clock::now() + kLookEvery, [this](bool ok) {
      if (!ok || cancelled_) return Finish(grpc::Status::CANCELLED);
      Look();
    });
  }

  ScalerService& service_;
  const Ref ref_;
  grpc::Alarm alarm_;
  std::optional<bool> said_;
  externalscaler::IsActiveResponse reply_;
  std::atomic<bool> cancelled_{false};
};

grpc::ServerWriteReactor<externalscaler::IsActiveResponse>* ScalerService::StreamIsActive(Context*,
                                                                                          const Ref* ref) {
  struct Refused final : grpc::ServerWriteReactor<externalscaler::IsActiveResponse> {
    Refused() {
      Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams are open, ask with IsActive"});
    }
    void OnDone() override { delete this; }
  };
  if (streams_.fetch_add(1) >= kStreamsMax) {
    streams_.fetch_sub(1);
    return new Refused;
  }
  return new ActiveStream(*this, *ref);
}

}  // namespace ringway::controller
