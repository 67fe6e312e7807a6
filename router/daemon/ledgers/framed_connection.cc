#include "router/daemon/ledgers/framed_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

namespace ringway::router {
namespace {

// An idle connection is asked for a sign of life so often.
constexpr Duration kProbePeriod = Seconds(5);

void Set(int fd, int level, int option, int value) {
  (void)::setsockopt(fd, level, option, &value, sizeof(value));
}

void BreakWhenSilent(int fd) {
  const int probe_s = static_cast<int>(ToInt64Seconds(kProbePeriod));
  Set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  Set(fd, IPPROTO_TCP, TCP_KEEPIDLE, probe_s);
  Set(fd, IPPROTO_TCP, TCP_KEEPINTVL, probe_s);
  Set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
      static_cast<int>(ToInt64Milliseconds(FramedConnection::kSilenceMax)));
}

}  // namespace

void FramedConnection::BeginFrames() {
  BreakWhenSilent(socket().native_handle());
  Begin();
}

void FramedConnection::End() {
  if (std::exchange(over_, true)) return;
  Close();
  boost::asio::post(loop_.context(), [this, self = shared_from_this()] { OnOver(); });
}

void FramedConnection::SendFrame(std::string_view payload) {
  if (over_ || !open()) return;
  frame_.clear();
  if (!AppendFrame(payload, frame_) || queued() + frame_.size() > kQueuedBytesMax) return End();
  Send(frame_);
  FlushAtTurnsEnd();
}

void FramedConnection::SendFrame(const google::protobuf::MessageLite& message) {
  message.SerializeToString(&serialized_);
  SendFrame(serialized_);
}

void FramedConnection::FlushAtTurnsEnd() {
  if (std::exchange(flush_posted_, true)) return;
  boost::asio::post(loop_.context(), [this, self = shared_from_this()] {
    flush_posted_ = false;
    Flush();
  });
}

void FramedConnection::OnRead(std::size_t count) {
  reader_.Filled(count);
  while (!over_) {
    const auto frame = reader_.Next();
    if (!frame) break;
    OnFrame(*frame);
  }
  if (reader_.nonsense()) End();
}

}  // namespace ringway::router
