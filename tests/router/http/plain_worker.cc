#include "tests/router/http/plain_worker.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "tests/live/own_host.h"

namespace ringway::http_test {

std::string Request::Field(const std::string& name) const {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

PlainWorker::PlainWorker(Script script, const std::string& address) : script_(std::move(script)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string host = address.empty() ? live::OwnHost() : address.substr(0, address.rfind(':'));
  sockaddr_in at = SocketAddress(address.empty() ? host + ":0" : address);
  // Also where nobody comes back to the port: what is left of its connections must allow it, too.
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof(at));
  listen(listener_, 64);
  socklen_t size = sizeof(at);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
  address_ = host + ":" + std::to_string(ntohs(at.sin_port));
  accepts_ = std::thread([this] { Accept(); });
}

PlainWorker::~PlainWorker() {
  StopListening();
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : fds_) shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

void PlainWorker::StopListening() {
  if (stopping_.exchange(true)) return;
  shutdown(listener_, SHUT_RDWR);
  accepts_.join();
  close(listener_);
}

void PlainWorker::Accept() {
  while (!stopping_) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    ++connections_;
    const std::lock_guard lock(mutex_);
    fds_.push_back(fd);
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

void PlainWorker::Serve(int fd) {
  ++open_;
  {
    Wire wire(dup(fd));
    while (auto head = wire.ReadUntil("\r\n\r\n", Minutes(1))) {
      ++asked_;
      if (!script_(Request{*std::move(head)}, wire)) break;
    }
  }
  const std::lock_guard lock(mutex_);
  std::erase(fds_, fd);
  close(fd);
  --open_;
}

std::string ReadBody(const Request& request, Wire& wire) {
  if (const std::string length = request.Field("Content-Length"); !length.empty()) {
    return wire.ReadExactly(std::stoul(length)).value_or("(cut off)");
  }
  std::string body;
  if (request.Field("Transfer-Encoding") != "chunked") return body;
  while (const auto line = wire.ReadUntil("\r\n")) {
    const std::size_t size = std::stoul(*line, nullptr, 16);
    const auto chunk = wire.ReadExactly(size);
    if (!chunk || !wire.ReadExactly(2)) return "(cut off)";
    if (size == 0) return body;
    body += *chunk;
  }
  return "(cut off)";
}

bool Respond(Wire& wire, int status, const std::string& body, const std::string& fields) {
  return wire.Send("HTTP/1.1 " + std::to_string(status) + " Said\r\n" + fields +
                   "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

PlainWorker::Script Echo() {
  return [](const Request& request, Wire& wire) { return Respond(wire, 200, ReadBody(request, wire)); };
}

PlainWorker::Script Says(int status, const std::string& body, const std::string& fields) {
  return [=](const Request& request, Wire& wire) {
    ReadBody(request, wire);
    return Respond(wire, status, body, fields);
  };
}

}  // namespace ringway::http_test
