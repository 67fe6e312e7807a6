#include "runtime/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"

namespace ringway::runtime {

absl::StatusOr<GrpcServer> GrpcServer::Start(const std::string& listen,
                                             const std::vector<grpc::Service*>& services) {
  auto address = ParseAddress(listen);
  if (!address.ok()) return address.status();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.SetMaxReceiveMessageSize(kMessageBytesMax);
  GrpcServer server;
  builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &server.port_);
  for (grpc::Service* service : services) builder.RegisterService(service);
  server.server_ = builder.BuildAndStart();
  if (server.server_ == nullptr || server.port_ == 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", listen,
                     ": the port is taken by another process, or the address is not this machine's"));
  }
  address->port = static_cast<std::uint16_t>(server.port_);
  server.address_ = address->ToString();
  return server;
}

GrpcServer::~GrpcServer() {
  if (server_ != nullptr) Shutdown(absl::ZeroDuration());
}

void GrpcServer::SetServing(bool serving) {
  if (auto* health = server_->GetHealthCheckService()) health->SetServingStatus(serving);
}

void GrpcServer::Shutdown(absl::Duration grace) {
  server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(grace));
  server_->Wait();
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address, int message_bytes_max) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(message_bytes_max);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace ringway::runtime
