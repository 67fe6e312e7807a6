#include "runtime/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "runtime/address.h"
#include "runtime/bearer_token.h"

namespace ringway::runtime {
namespace {

// A connection that says nothing holds a descriptor for no longer.
constexpr Duration kHandshakeMax = Seconds(10);
constexpr int kHeaderBytesMax = 32 << 10;

// Call credentials would be gRPC's own way, but it does not send them over a connection without encryption.
class Presenter final : public grpc::experimental::Interceptor {
 public:
  explicit Presenter(const std::string& bearer) : bearer_(bearer) {}
  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    using Point = grpc::experimental::InterceptionHookPoints;
    if (methods->QueryInterceptionHookPoint(Point::PRE_SEND_INITIAL_METADATA)) {
      methods->GetSendInitialMetadata()->emplace(kTokenHeader, bearer_);
    }
    methods->Proceed();
  }

 private:
  const std::string& bearer_;  // the factory's, which lives as long as the channel
};

class PresenterFactory final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit PresenterFactory(const std::string& token) : bearer_(absl::StrCat("Bearer ", token)) {}
  grpc::experimental::Interceptor* CreateClientInterceptor(grpc::experimental::ClientRpcInfo*) override {
    return new Presenter(bearer_);
  }

 private:
  const std::string bearer_;
};

}  // namespace

absl::StatusOr<GrpcServer> GrpcServer::Start(const std::string& listen,
                                             const std::vector<grpc::Service*>& services,
                                             std::shared_ptr<const CallGuard> guard, SecondProtocol second) {
  auto address = ParseAddress(listen);
  if (!address.ok()) return address.status();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  RaiseDescriptorLimit();
  auto listener = GrpcListener::Bind(*address);
  if (!listener.ok()) return listener.status();
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.SetMaxReceiveMessageSize(kMessageBytesMax);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             static_cast<int>(ToInt64Milliseconds(kHandshakeMax)));
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kHeaderBytesMax);
  auto acceptor = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      guard == nullptr ? grpc::InsecureServerCredentials() : GuardedCredentials(std::move(guard)));
  for (grpc::Service* service : services) builder.RegisterService(service);
  GrpcServer server;
  server.server_ = builder.BuildAndStart();
  if (server.server_ == nullptr) return absl::InternalError("gRPC does not start a server");
  server.listener_ = *std::move(listener);
  server.listener_->Start(std::move(acceptor), std::move(second));
  server.port_ = server.listener_->port();
  address->port = server.listener_->port();
  server.address_ = address->ToString();
  return server;
}

GrpcServer::~GrpcServer() {
  if (server_ != nullptr) Shutdown(ZeroDuration());
}

void GrpcServer::SetServing(bool serving) {
  if (auto* health = server_->GetHealthCheckService()) health->SetServingStatus(serving);
}

void GrpcServer::Shutdown(Duration grace) {
  listener_->Stop();
  server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(grace));
  server_->Wait();
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address, int message_bytes_max,
                                           const std::string& token) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(message_bytes_max);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // gRPC gives a connection so long to be established, whatever the name says: two round trips to the other
  // side of the world, or one to a machine that is busy.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> interceptors;
  // What is no header text is no token of anybody, and gRPC would end the process.
  if (!token.empty() && HeaderText::Parse(token, kTokenBytesMax)) {
    interceptors.push_back(std::make_unique<PresenterFactory>(token));
  }
  return grpc::experimental::CreateCustomChannelWithInterceptors(address, grpc::InsecureChannelCredentials(),
                                                                 arguments, std::move(interceptors));
}

}  // namespace ringway::runtime
