#include "runtime/grpc_listener.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <future>
#include <utility>

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "absl/strings/str_cat.h"

namespace ringway::runtime {
namespace {

// A fleet's routers at one controller, or the clients of a router, with room; more would cost gigabytes.
constexpr rlim_t kDescriptorsMax = 32768;
// For state files, pages, and connections of our own.
constexpr rlim_t kDescriptorsKept = 128;
constexpr std::chrono::milliseconds kPause(50);
constexpr int kBacklog = 1024;

rlimit Descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) limit = {1024, 1024};
  return limit;
}

bool IsWildcard(const Address& address) { return address.host == "0.0.0.0" || address.host == "::"; }

}  // namespace

void RaiseDescriptorLimit() {
  rlimit limit = Descriptors();
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int DescriptorsForConnections() {
  const rlim_t limit = Descriptors().rlim_cur;
  return static_cast<int>(std::min(limit - std::min(limit / 4, kDescriptorsKept), kDescriptorsMax));
}

absl::StatusOr<std::unique_ptr<GrpcListener>> GrpcListener::Bind(const Address& address) {
  std::unique_ptr<GrpcListener> listener(new GrpcListener());
  listener->port_ = address.port;
  boost::system::error_code failed;
  if (IsWildcard(address)) {
    failed = listener->Listen({boost::asio::ip::address_v6::any(), address.port});
    // Without IPv6 on this machine.
    if (failed && failed != boost::asio::error::address_in_use) {
      failed = listener->Listen({boost::asio::ip::address_v4::any(), address.port});
    }
  } else {
    Tcp::resolver resolver(listener->loop_.context());
    const auto found = resolver.resolve(address.host, absl::StrCat(address.port),
                                        Tcp::resolver::passive | Tcp::resolver::numeric_service, failed);
    for (const auto& entry : found) {
      // The first takes the port; localhost is 127.0.0.1 and ::1, of which a machine may lack the second.
      const boost::system::error_code error = listener->Listen({entry.endpoint().address(), listener->port_});
      if (error && listener->sockets_.empty()) failed = error;
    }
  }
  if (!listener->sockets_.empty()) return listener;
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", address.ToString(), ": ", failed.message(),
                   "; the port is taken by another process, or the address is not this machine's"));
}

boost::system::error_code GrpcListener::Listen(const Tcp::endpoint& endpoint) {
  Socket& socket = sockets_.emplace_back(loop_.context());
  boost::system::error_code failed;
  socket.socket.open(endpoint.protocol(), failed);
  // A child process that kept the port would keep it open after us.
  if (!failed) ::fcntl(socket.socket.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!failed) socket.socket.set_option(Tcp::acceptor::reuse_address(true), failed);
  if (!failed && endpoint.protocol() == Tcp::v6()) {
    const bool dual = endpoint.address().is_unspecified();
    socket.socket.set_option(boost::asio::ip::v6_only(!dual), failed);
  }
  // Connections inherit it.
  if (!failed) socket.socket.set_option(Tcp::no_delay(true), failed);
  if (!failed) socket.socket.bind(endpoint, failed);
  if (!failed) socket.socket.listen(kBacklog, failed);
  if (!failed) socket.socket.non_blocking(true, failed);
  if (failed) {
    sockets_.pop_back();
  } else {
    port_ = socket.socket.local_endpoint(failed).port();
  }
  return failed;
}

void GrpcListener::Start(Acceptor acceptor, SecondProtocol second) {
  acceptor_ = std::move(acceptor);
  second_ = std::move(second);
  for (Socket& socket : sockets_) Await(socket);
  loop_.Start();
}

void GrpcListener::Stop() {
  std::promise<void> closed;
  const bool posted = acceptor_ != nullptr && loop_.Post([&] {
    for (Socket& socket : sockets_) {
      boost::system::error_code ignored;
      socket.socket.close(ignored);
      socket.pause.cancel(ignored);
    }
    closed.set_value();
  });
  if (posted) closed.get_future().wait();
  loop_.Stop();
}

void GrpcListener::Await(Socket& socket) {
  socket.socket.async_wait(Tcp::acceptor::wait_read, [this, &socket](boost::system::error_code error) {
    if (error == boost::asio::error::operation_aborted || !socket.socket.is_open()) return;
    if (!error && TakeAll(socket)) return Await(socket);
    socket.pause.expires_after(kPause);
    socket.pause.async_wait([this, &socket](boost::system::error_code stopped) {
      if (!stopped && socket.socket.is_open()) Await(socket);
    });
  });
}

bool GrpcListener::TakeAll(Socket& socket) {
  const int descriptors_max = DescriptorsForConnections();  // an operator may change it while we run
  for (;;) {
    const int fd = ::accept4(socket.socket.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
    if (fd >= descriptors_max) {
      ::close(fd);
      continue;
    }
    Sort(fd);
  }
}

void GrpcListener::HandToGrpc(int fd) {
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.fd = fd;
  acceptor_->HandleNewConnection(&connection);
}

void GrpcListener::Sort(int fd) {
  if (second_.take == nullptr) return HandToGrpc(fd);
  char first = 0;
  const auto seen = ::recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (seen == 1) return first == second_.first_byte ? second_.take(fd) : HandToGrpc(fd);
  const bool waits = seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (waits) return AwaitFirstByte(fd);
  ::close(fd);
}

// A connection that has not said anything yet. Closed with the last of the two that wait for it.
struct GrpcListener::Silent {
  explicit Silent(boost::asio::io_context& context) : connection(context), limit(context) {}
  boost::asio::posix::stream_descriptor connection;
  boost::asio::steady_timer limit;
};

void GrpcListener::AwaitFirstByte(int fd) {
  const auto silent = std::make_shared<Silent>(loop_.context());
  boost::system::error_code failed;
  silent->connection.assign(fd, failed);
  if (failed) {
    ::close(fd);
    return;
  }
  silent->limit.expires_after(absl::ToChronoMilliseconds(kSilentMax));
  silent->limit.async_wait([silent](boost::system::error_code stopped) {
    boost::system::error_code ignored;
    if (!stopped) silent->connection.close(ignored);
  });
  silent->connection.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                                [this, silent](boost::system::error_code error) {
                                  silent->limit.cancel();
                                  if (!error && silent->connection.is_open())
                                    Sort(silent->connection.release());
                                });
}

}  // namespace ringway::runtime
