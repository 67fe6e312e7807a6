// The listening socket of a gRPC port, kept by us: gRPC is handed connections, not the port.
//
// gRPC 1.51, which Debian 12 ships, closes its own listener for good when a process is out of file
// descriptors (CVE-2023-4785): the port stays dead when the connections have gone, behind a process that
// looks well. This listener never closes. A connection that would take one of the last descriptors is closed
// at once, so that files, and calls to others, still find some; when there are none at all it pauses and
// tries again. The peer sees a connection that ends, and comes back.
//
// The port may have a second protocol. Then the first byte that a connection says decides whose it is; one
// that says nothing is closed after kSilentMax, as gRPC would.
//
// The kernel gives the lowest free number, so a new descriptor's number says how many are in use. Bound:
// DescriptorsForConnections(). Ports are never shared (no SO_REUSEPORT): who comes second fails to start.
// Threads: one of its own; Stop from the owner.
#ifndef RINGWAY_RUNTIME_GRPC_LISTENER_H_
#define RINGWAY_RUNTIME_GRPC_LISTENER_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/status/statusor.h"
#include "core/time.h"
#include "runtime/address.h"
#include "runtime/event_loop.h"

namespace ringway::runtime {

// Lets the process open as many files as the system allows it (the soft limit of most is 1024).
void RaiseDescriptorLimit();
// Descriptors with this number and above are not for connections.
int DescriptorsForConnections();

// What else is spoken on a gRPC port.
struct SecondProtocol {
  char first_byte = 0;  // of its connections; not 'P', with which HTTP/2 begins
  // Owns the connected, non-blocking socket, of which nothing has been read. On the listener's thread. Null:
  // there is no second protocol.
  std::function<void(int)> take = nullptr;
};

class GrpcListener {
 public:
  using Acceptor = std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor>;
  static constexpr Duration kSilentMax = Seconds(10);

  // Binds; a wildcard takes both families. Connections wait in the kernel until Start. Errors: Unavailable.
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Bind(const Address& address);
  ~GrpcListener() { Stop(); }

  std::uint16_t port() const { return port_; }
  // Hands connections to `acceptor`, of a server that runs, and those of the second protocol to that.
  void Start(Acceptor acceptor, SecondProtocol second = {});
  // Closes the port; connections stay. Idempotent.
  void Stop();

 private:
  using Tcp = boost::asio::ip::tcp;
  struct Socket {
    explicit Socket(boost::asio::io_context& context) : socket(context), pause(context) {}
    Tcp::acceptor socket;
    boost::asio::steady_timer pause;
  };

  struct Silent;

  GrpcListener() : loop_("grpc-accept") {}
  boost::system::error_code Listen(const Tcp::endpoint& endpoint);
  void Await(Socket& socket);
  // Takes what waits. False: it cannot take any now, though there may be some.
  bool TakeAll(Socket& socket);
  // To whom its first byte says; waits for that byte if it must.
  void Sort(int fd);
  void AwaitFirstByte(int fd);
  void HandToGrpc(int fd);

  EventLoop loop_;
  std::list<Socket> sockets_;  // one for each address that the host's name has
  std::uint16_t port_ = 0;
  Acceptor acceptor_;
  SecondProtocol second_;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_GRPC_LISTENER_H_
