// A router's stream to a ledger's leader, the leader's side: what a router says goes to the listener, what
// the leader says goes out. GrpcLedgerStream is one Connect call; framed_ledger_stream.h has the other kind.
//
// Lifetime: a stream's own; it tells the listener, on the loop, before it goes. A router that does not read
// is cut off when too much waits for it: it will connect again and ask anew. Threads: public calls on the
// loop only; gRPC's callbacks post to it. A call has at most four posts in the inbox, and its next message is
// read when the last one has been dealt with.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <deque>
#include <optional>

#include "core/ids.h"
#include "ringway/v1/ledger.grpc.pb.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class LedgerStream {
 public:
  virtual ~LedgerStream() = default;
  virtual void Send(const v1::LedgerDown& message) = 0;
  // What has not left yet is dropped.
  virtual void Close(const grpc::Status& status) = 0;

  // For the listener: who stands here, once the hello was said.
  TierId tier;
  RouterId router;
  bool listens = false;  // the leader of another region, which is told of idle workers alone
};

class LedgerStreamListener {
 public:
  virtual ~LedgerStreamListener() = default;
  virtual void OnMessage(LedgerStream& stream, const v1::LedgerUp& message) = 0;
  // The stream is about to disappear.
  virtual void OnClosed(LedgerStream& stream) = 0;
};

class GrpcLedgerStream final : public LedgerStream,
                               public grpc::ServerBidiReactor<v1::LedgerUp, v1::LedgerDown> {
 public:
  static constexpr std::size_t kQueueMax = 16384;

  GrpcLedgerStream(runtime::EventLoop& loop, LedgerStreamListener& listener);

  void Send(const v1::LedgerDown& message) override;
  void Close(const grpc::Status& status) override;

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void Pump();

  runtime::EventLoop& loop_;
  LedgerStreamListener& listener_;
  v1::LedgerUp incoming_;             // gRPC's while a read is under way
  std::deque<v1::LedgerDown> queue_;  // the front is gRPC's while a write is under way
  bool writing_ = false;
  std::optional<grpc::Status> closing_;
  bool finished_ = false;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_STREAM_H_
