// One Connect call: what a router says goes to the listener, and the newest of everything goes to the router.
//
// At most one message of a kind waits to be sent; a newer map, directory or table replaces the one that has
// not left yet, so a slow router costs five messages and always hears the truth last. Kinds leave in their
// order: welcome, map, directory, table, what is recorded. The next message of the router is read only when
// the listener is done with the last one.
//
// Lifetime: gRPC's; the stream deletes itself on the loop after OnDone, and tells the listener before.
// Threads: public calls on the loop only; gRPC's callbacks post to it. A stream has at most four posts in the
// inbox.
#ifndef RINGWAY_CONTROLLER_DAEMON_ROUTER_STREAM_H_
#define RINGWAY_CONTROLLER_DAEMON_ROUTER_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "controller/fleet/fleet_view.h"
#include "ringway/v1/control.grpc.pb.h"
#include "runtime/event_loop.h"

namespace ringway::controller {

class RouterStream;

class RouterStreamListener {
 public:
  virtual ~RouterStreamListener() = default;
  virtual void OnStream(RouterStream& stream) = 0;
  // `message` may be moved from.
  virtual void OnMessage(RouterStream& stream, v1::RouterMessage& message) = 0;
  // The stream is about to disappear.
  virtual void OnStreamClosed(RouterStream& stream) = 0;
};

class RouterStream final : public grpc::ServerBidiReactor<v1::RouterMessage, v1::ControllerMessage> {
 public:
  enum class Kind : std::uint8_t { kWelcome, kMap, kDirectory, kTable, kRecorded };
  static constexpr std::size_t kKinds = 5;
  using Message = std::shared_ptr<const v1::ControllerMessage>;

  RouterStream(StreamId id, runtime::EventLoop& loop, RouterStreamListener& listener);

  StreamId id() const { return id_; }
  void Send(Kind kind, Message message);
  // What has not left yet is dropped.
  void Close(grpc::Status status);
  bool closing() const { return closing_.has_value(); }

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void Take();
  void Pump();

  const StreamId id_;
  runtime::EventLoop& loop_;
  RouterStreamListener& listener_;
  v1::RouterMessage incoming_;           // gRPC's while a read is under way
  Message outgoing_;                     // gRPC's while a write is under way
  std::array<Message, kKinds> waiting_;  // by Kind
  std::optional<grpc::Status> closing_;
  bool finished_ = false;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_ROUTER_STREAM_H_
