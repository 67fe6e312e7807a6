// One Connect call, the leader's side: what a router says goes to the listener, what the leader says goes
// out.
//
// Lifetime: gRPC's; the stream deletes itself on the loop after OnDone and tells the listener before. A
// router that does not read is cut off when kQueueMax messages wait for it: it will connect again and ask
// anew. Threads: public calls on the loop only; gRPC's callbacks post to it. A stream has at most four posts
// in the inbox, and the next message is read when the last one has been dealt with.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGER_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_LEDGER_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <deque>
#include <optional>

#include "core/ids.h"
#include "ringway/v1/ledger.grpc.pb.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class LedgerStream;

class LedgerStreamListener {
 public:
  virtual ~LedgerStreamListener() = default;
  virtual void OnMessage(LedgerStream& stream, const v1::LedgerUp& message) = 0;
  // The stream is about to disappear.
  virtual void OnClosed(LedgerStream& stream) = 0;
};

class LedgerStream final : public grpc::ServerBidiReactor<v1::LedgerUp, v1::LedgerDown> {
 public:
  static constexpr std::size_t kQueueMax = 16384;

  LedgerStream(runtime::EventLoop& loop, LedgerStreamListener& listener);

  void Send(v1::LedgerDown message);
  // What has not left yet is dropped.
  void Close(grpc::Status status);

  // For the listener: who stands here, once the hello was said.
  TierId tier;
  RouterId router;
  bool listens = false;  // the leader of another region, which is told of idle workers alone

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

#endif  // RINGWAY_ROUTER_DAEMON_LEDGER_STREAM_H_
