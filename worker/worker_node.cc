#include "worker/worker_node.h"

namespace ringway {

Time WorkerNode::LateAt() const {
  for (const Delivery& delivery : leaving_) {
    if (!delivery.broken) return delivery.ended + settings_.delivery_max;
  }
  return InfiniteFuture();
}

EndAttempt WorkerNode::Leave(Time now, Outcome outcome) {
  EndAttempt end{.attempt = attempt_.id,
                 .outcome = outcome,
                 .reason = attempt_.verdict,
                 .payload_stated = attempt_.payload_stated,
                 .payload_bytes = attempt_.payload_bytes,
                 .result_bytes = attempt_.result_bytes,
                 .started = attempt_.began,
                 .service = attempt_.began ? now - attempt_.started : ZeroDuration()};
  if (end.reason == EndReason::kResultTooLarge) {
    end.outcome = Outcome::kFailed;
  } else if (end.reason != EndReason::kWork) {
    end.outcome = Outcome::kRejected;
  }
  if (end.outcome == Outcome::kDone) ++totals_.done;
  if (attempt_.open) leaving_.push_back({attempt_.id, now, attempt_.unsent_bytes, attempt_.broken});
  attempt_.id = 0;
  attempt_.unsent_bytes = 0;
  return end;
}

}  // namespace ringway
