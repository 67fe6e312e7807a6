#include "router/daemon/ledger_link.h"

#include <memory>
#include <utility>

namespace ringway::router {
namespace {

constexpr StreamTerms kTerms = {.retry_first = absl::Milliseconds(30),
                                .retry_max = absl::Milliseconds(300),
                                .queue_max = LedgerLink::kQueueMax,
                                .break_when_full = true};

}  // namespace

LedgerLink::LedgerLink(runtime::EventLoop& loop, StreamCount& streams,
                       const std::shared_ptr<grpc::Channel>& leader, const LedgerGreeting& greeting,
                       std::uint64_t seed, absl::Duration one_way, Hear hear, Lost lost)
    : hear_(std::move(hear)),
      stream_(
          loop, streams, kTerms, seed,
          {.dial = [stub = std::shared_ptr(v1::Ledger::NewStub(leader))](
                       grpc::ClientContext& context, auto& call) { stub->async()->Connect(&context, &call); },
           .greet = [hello = EncodeGreeting(greeting)] { return hello; },
           .hear =
               [this](const v1::LedgerDown& message) {
                 stream_.Settle();
                 if (in_ != nullptr) return in_->Push(message);
                 hear_(message);
               },
           .lost =
               [this, &loop, one_way, lost = std::move(lost)](const grpc::Status&) {
                 EmulateDistance(loop, one_way);
                 lost();
               }}) {
  EmulateDistance(loop, one_way);
  stream_.Open();
}

void LedgerLink::EmulateDistance(runtime::EventLoop& loop, absl::Duration one_way) {
  if (one_way <= absl::ZeroDuration()) return;
  out_ = std::make_unique<DelayLine<v1::LedgerUp>>(
      loop, one_way, [this](v1::LedgerUp& message) { stream_.Send(std::move(message)); });
  in_ = std::make_unique<DelayLine<v1::LedgerDown>>(loop, one_way,
                                                    [this](v1::LedgerDown& message) { hear_(message); });
}

}  // namespace ringway::router
