// Connections to a gRPC port that say only what a test tells them to, and whether the port still serves
// others.
//
// Threads: one owner; ReadAll may run on another one than the rest.
#ifndef RINGWAY_TESTS_LIVE_RAW_CONNECTION_H_
#define RINGWAY_TESTS_LIVE_RAW_CONNECTION_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "runtime/address.h"
#include "runtime/grpc_server.h"

namespace ringway::live {

// A TCP connection that says only what it is told to.
class Connection {
 public:
  explicit Connection(const std::string& address) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const auto target = runtime::ParseAddress(address);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(target->port);
    inet_pton(AF_INET, target->host.c_str(), &to.sin_addr);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    const timeval limit{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  Connection(Connection&& other) noexcept : fd_(other.fd_), connected_(other.connected_) { other.fd_ = -1; }
  ~Connection() {
    if (fd_ >= 0) close(fd_);
  }
  void ReadAll() const {
    std::string buffer(65536, '\0');
    while (recv(fd_, buffer.data(), buffer.size(), 0) > 0) {
    }
  }
  void Close() const { shutdown(fd_, SHUT_RDWR); }
  bool Send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }

 private:
  int fd_;
  bool connected_ = false;
};

// Over a connection of its own.
inline bool Answers(const std::string& address) {
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own);
  return channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(1));
}

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_RAW_CONNECTION_H_
