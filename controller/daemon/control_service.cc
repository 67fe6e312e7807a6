#include "controller/daemon/control_service.h"

namespace ringway::controller {
namespace {

class RefusedStream final : public grpc::ServerBidiReactor<v1::RouterMessage, v1::ControllerMessage> {
 public:
  explicit RefusedStream(const grpc::Status& why) { Finish(why); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerBidiReactor<v1::RouterMessage, v1::ControllerMessage>* ControlService::Connect(
    grpc::CallbackServerContext*) {
  if (open_.fetch_add(1) >= kStreamsMax) {
    open_.fetch_sub(1);
    return new RefusedStream({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many open streams"});
  }
  return new RouterStream(next_.fetch_add(1), loop_, listener_);
}

}  // namespace ringway::controller
