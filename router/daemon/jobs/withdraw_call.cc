#include "router/daemon/jobs/withdraw_call.h"

#include <chrono>
#include <utility>

namespace ringway::router {

std::shared_ptr<WithdrawCall> WithdrawCall::Start(const Way& way, const std::string& attempt,
                                                  runtime::EventLoop& loop, StreamCount& streams,
                                                  Answered answered) {
  std::shared_ptr<WithdrawCall> call(new WithdrawCall(streams));
  call->context_.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(kLimit));
  call->request_.set_offer(attempt);
  way(&call->context_, &call->request_, &call->reply_,
      [call, &loop, answered = std::move(answered)](const grpc::Status& status) {
        // The loop lets go of the last share, so that nothing of gRPC's is destroyed in its own callback.
        (void)loop.Post([call, answered, ok = status.ok()] {
          answered(ok ? std::optional(call->reply_.known()) : std::nullopt);
        });
      });
  return call;
}

}  // namespace ringway::router
