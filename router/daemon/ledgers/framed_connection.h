// A connection over which two routers say messages as frames (wire/frames.h): what both ends of a ledger's
// stream have in common when it does not go through gRPC.
//
// Each end begins with a frame that names the protocol (kProtocol); whoever hears anything else first is not
// speaking with a router that knows it. What is said within one turn of the loop goes out in one system call,
// at the turn's end. Silence: the kernel breaks the connection when what was sent is not acknowledged, or a
// probe of an idle connection is not answered, for kSilenceMax.
//
// Invariants: OnOver comes exactly once, from the top of the loop, after End, after the peer's end, or after
// nonsense; OnFrame never after End. Bounds: kQueuedBytesMax that the peer has not read; beyond it the
// connection ends. Threads: the loop's. Lifetime: shared; a pending operation keeps it.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_CONNECTION_H_
#define RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_CONNECTION_H_

#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "core/time.h"
#include "router/wire/frames.h"
#include "runtime/event_loop.h"
#include "runtime/http/connection.h"

namespace ringway::router {

class FramedConnection : public http::Connection {
 public:
  static constexpr std::string_view kProtocol = "ringway-ledger/1";
  // Of every such connection, because a frame begins with its length; HTTP/2 begins otherwise.
  static constexpr char kFirstByte = 0;
  static constexpr std::size_t kQueuedBytesMax = std::size_t{4} << 20;
  static constexpr Duration kSilenceMax = Seconds(15);

  explicit FramedConnection(runtime::EventLoop& loop) : Connection(loop.context()), loop_(loop) {}

  // What has not left yet is dropped.
  void End();

 protected:
  virtual void OnFrame(std::string_view payload) = 0;
  virtual void OnOver() = 0;

  // The socket is connected.
  void BeginFrames();
  void SendFrame(std::string_view payload);
  void SendFrame(const google::protobuf::MessageLite& message);
  // End has been said, or the peer has ended it.
  bool over() const { return over_; }

 private:
  std::span<char> ReadRoom() override { return reader_.Room(); }
  void OnRead(std::size_t count) override;
  void OnReadEnd() override { End(); }
  void OnBroken(std::string_view) override { End(); }
  void OnDrained() override {}
  void FlushAtTurnsEnd();

  runtime::EventLoop& loop_;
  FrameReader reader_;
  std::string frame_;       // reused
  std::string serialized_;  // reused
  bool flush_posted_ = false;
  bool over_ = false;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_CONNECTION_H_
