// Asks and answers about keys as calls: this router's to the others, and theirs to it.
//
// No decision is made here. An ask becomes one unary call with a deadline of its own; its reply, or that
// there was none, becomes one OnceReplied. A call from another router becomes one OnceAsked and stays open
// until the machine answers it, its deadline passes or the caller goes; an answer for a call that is gone is
// dropped.
//
// Bounds: kCallsMax open calls from others, more are refused; the machine bounds its own requests. Threads:
// the loop's, but for gRPC's callbacks, which only post to it.
#ifndef RINGWAY_ROUTER_DAEMON_ONCE_ONCE_LINK_H_
#define RINGWAY_ROUTER_DAEMON_ONCE_ONCE_LINK_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <map>

#include "ringway/v1/once.grpc.pb.h"
#include "router/daemon/control/address_table.h"
#include "router/daemon/control/stream_count.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class OnceLink {
 public:
  static constexpr int kCallsMax = 4096;
  using Tell = std::function<void(const RouterEvent&)>;

  // `tell` steps the machine at once; it is never called from within Perform.
  OnceLink(runtime::EventLoop& loop, StreamCount& streams, AddressTable& addresses, Tell tell)
      : loop_(loop), streams_(streams), addresses_(addresses), tell_(std::move(tell)) {}

  // The machine's actions.
  void Perform(const AskReplica& ask);
  void Perform(const AnswerOnce& answer);
  // Ends the requests under way, for the end of the process; each is still heard of as unanswered. On the
  // loop.
  void CancelAsks();

 private:
  friend class OnceService;
  class Outgoing;
  class Incoming;
  void OnAsk(Incoming& call, const v1::OnceRequest& message);
  void OnCancelled(once::CallId call);
  void OnReply(std::uint64_t number, RouterId from, const once::Request& ask, const grpc::Status& status,
               const v1::OnceReply& message);

  runtime::EventLoop& loop_;
  StreamCount& streams_;
  AddressTable& addresses_;
  const Tell tell_;
  std::map<once::CallId, Incoming*> calls_;  // not answered yet
  once::CallId last_call_ = 0;
  std::map<std::uint64_t, Outgoing*> asks_;  // under way
  std::uint64_t last_ask_ = 0;
  std::atomic<int> open_{0};
};

class OnceService final : public v1::Once::CallbackService {
 public:
  explicit OnceService(OnceLink& link) : link_(link) {}
  grpc::ServerUnaryReactor* Ask(grpc::CallbackServerContext* context, const v1::OnceRequest* ask,
                                v1::OnceReply* reply) override;

 private:
  OnceLink& link_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_ONCE_ONCE_LINK_H_
