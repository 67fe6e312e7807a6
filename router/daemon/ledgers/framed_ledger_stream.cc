#include "router/daemon/ledgers/framed_ledger_stream.h"

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "runtime/clock.h"

namespace ringway::router {
namespace {

using Tcp = boost::asio::ip::tcp;

Tcp FamilyOf(int fd) {
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  const bool six =
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0 && own.ss_family == AF_INET6;
  return six ? Tcp::v6() : Tcp::v4();
}

}  // namespace

void FramedLedgerStream::Take(int fd, runtime::EventLoop& loop, LedgerStreamListener& listener, Admits admits,
                              Greeting greeting) {
  const auto stream =
      std::make_shared<FramedLedgerStream>(loop, listener, std::move(admits), std::move(greeting));
  boost::system::error_code failed;
  stream->socket().assign(FamilyOf(fd), fd, failed);
  if (failed) {
    ::close(fd);
    return stream->End();
  }
  stream->limit_.Arm(runtime::MonotonicNow() + kGreetingMax);
  stream->BeginFrames();
}

FramedLedgerStream::FramedLedgerStream(runtime::EventLoop& loop, LedgerStreamListener& listener,
                                       Admits admits, Greeting greeting)
    : FramedConnection(loop),
      listener_(listener),
      admits_(std::move(admits)),
      greeting_(std::move(greeting)),
      limit_(loop, [this] {
        if (!router.valid()) End();
      }) {}

void FramedLedgerStream::Close(const grpc::Status&) { End(); }

void FramedLedgerStream::Introduce(std::string_view payload) {
  if (!knows_protocol_) {
    knows_protocol_ = payload == kProtocol;
    if (!knows_protocol_) End();
  } else if (admits_(payload)) {
    admitted_ = true;
    greeting_.reset();
    SendFrame(kProtocol);
  } else {
    End();
  }
}

void FramedLedgerStream::OnOver() {
  greeting_.reset();
  if (admitted_) listener_.OnClosed(*this);
}

void FramedLedgerStream::OnFrame(std::string_view payload) {
  if (!admitted_) return Introduce(payload);
  if (!incoming_.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return End();
  listener_.OnMessage(*this, incoming_);
}

}  // namespace ringway::router
