// A controller that says what the test tells it to, and remembers what routers said.
//
// Serves Control.Connect in the test's own process. Welcomes every router with the epoch and period it was
// given; Push sends a message to all that are connected, and what was pushed before is repeated to whoever
// connects later, in order. Threads: gRPC's own and the test's, behind one mutex.
#ifndef RINGWAY_TESTS_ROUTER_FAKE_CONTROLLER_H_
#define RINGWAY_TESTS_ROUTER_FAKE_CONTROLLER_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ringway/v1/control.grpc.pb.h"
#include "runtime/grpc_server.h"

namespace ringway::live {

class FakeController final : public v1::Control::Service {
 public:
  // Port 0: a free one.
  FakeController(std::uint64_t epoch, const std::string& listen = "127.0.0.1:0");
  ~FakeController() override;

  const std::string& address() const { return server_->address(); }
  void Push(const v1::ControllerMessage& message);

  std::vector<v1::Hello> hellos() const;
  // The newest of this router.
  std::optional<v1::Report> report(const std::string& router) const;
  std::vector<v1::Ack> acks(const std::string& router) const;

 private:
  using Stream = grpc::ServerReaderWriter<v1::ControllerMessage, v1::RouterMessage>;
  grpc::Status Connect(grpc::ServerContext* context, Stream* stream) override;

  const std::uint64_t epoch_;
  mutable std::mutex mutex_;
  std::vector<v1::ControllerMessage> pushed_;
  std::map<Stream*, grpc::ServerContext*> streams_;
  std::vector<v1::Hello> hellos_;
  std::map<std::string, v1::Report> reports_;
  std::map<std::string, std::vector<v1::Ack>> acks_;
  std::optional<runtime::GrpcServer> server_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_ROUTER_FAKE_CONTROLLER_H_
