// A gRPC server as every daemon wants it: health, reflection, message bounds, and a port that is really ours.
//
// The port is kept by our own listener (runtime/grpc_listener.h), which survives a process without file
// descriptors, and which no other process shares: the second one fails to start and says so. A server takes
// messages of at most 1 MiB (payloads travel in chunks below that); clients of a controller take
// kFleetBytesMax from it. A connection that says nothing does not last, and headers are bounded.
//
// Threads: gRPC's own callback threads call the services. Destroying a GrpcServer shuts it down and cancels
// what is in flight after `grace`.
#ifndef RINGWAY_RUNTIME_GRPC_SERVER_H_
#define RINGWAY_RUNTIME_GRPC_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/time.h"
#include "runtime/call_guard.h"
#include "runtime/grpc_listener.h"

namespace ringway::runtime {

inline constexpr int kMessageBytesMax = 1 << 20;
// What a controller says about a whole fleet is larger: the map's matrix grows with the square of the
// regions, eight bytes a pair, so that this is room for about 2000 regions.
inline constexpr int kFleetBytesMax = 32 << 20;

class GrpcServer {
 public:
  // `listen` is host:port; port 0 takes a free one. The services must outlive the server. `guard` looks at
  // every call; null: everybody is admitted. `second`: what else is spoken on the port, until Shutdown.
  // Errors: InvalidArgument (not an address), Unavailable (the port is taken, or not allowed).
  static absl::StatusOr<GrpcServer> Start(const std::string& listen,
                                          const std::vector<grpc::Service*>& services,
                                          std::shared_ptr<const CallGuard> guard = nullptr,
                                          SecondProtocol second = {});

  GrpcServer(GrpcServer&&) = default;
  ~GrpcServer();

  int port() const { return port_; }
  // host:port with the real port.
  const std::string& address() const { return address_; }
  // What grpc.health.v1 answers for the whole server.
  void SetServing(bool serving);
  void Shutdown(Duration grace);

 private:
  GrpcServer() = default;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<GrpcListener> listener_;  // goes first
  std::string address_;
  int port_ = 0;
};

// A channel to host:port that takes messages of at most `message_bytes_max`, with keepalive, quick reconnects
// (100 to 500 ms), and no HTTP proxy. Every call on it presents `token`, unless that is empty.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address,
                                           int message_bytes_max = kMessageBytesMax,
                                           const std::string& token = {});

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_GRPC_SERVER_H_
