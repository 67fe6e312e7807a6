// One Withdraw call to a worker or another router: the client's side, between gRPC and the loop.
//
// The reply says only whether the peer has the attempt. How that ended, and when, goes over the attempt's own
// stream, which stays open.
//
// Lifetime: whoever waits for the answer shares it with gRPC, and the last share is let go on the loop.
// Bound: one for each attempt, kLimit long. Threads: public calls on the loop.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_WITHDRAW_CALL_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_WITHDRAW_CALL_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/time.h"
#include "ringway/v1/job.pb.h"
#include "router/daemon/control/stream_count.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class WithdrawCall {
 public:
  // A peer that is well answers at once. One that stands still may go on with the job when it moves again,
  // and until then its stream stays open.
  static constexpr Duration kLimit = Seconds(5);

  // Workers and routers are called alike.
  using Done = std::function<void(grpc::Status)>;
  using Way =
      std::function<void(grpc::ClientContext*, const v1::WithdrawRequest*, v1::WithdrawReply*, Done done)>;
  template <class Stub>
  static Way To(std::shared_ptr<Stub> stub) {
    return [stub = std::move(stub)](grpc::ClientContext* context, const v1::WithdrawRequest* request,
                                    v1::WithdrawReply* reply, Done done) {
      stub->async()->Withdraw(context, request, reply, std::move(done));
    };
  }

  // On the loop, once: whether the peer has the attempt. Nothing: it could not be asked, or is of a release
  // that does not know the question.
  using Answered = std::function<void(std::optional<bool> known)>;
  // `attempt`: its name.
  static std::shared_ptr<WithdrawCall> Start(const Way& way, const std::string& attempt,
                                             runtime::EventLoop& loop, StreamCount& streams,
                                             Answered answered);
  void Cancel() { context_.TryCancel(); }

 private:
  explicit WithdrawCall(StreamCount& streams) : ticket_(streams) {}

  StreamCount::Ticket ticket_;
  grpc::ClientContext context_;
  v1::WithdrawRequest request_;
  v1::WithdrawReply reply_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_WITHDRAW_CALL_H_
