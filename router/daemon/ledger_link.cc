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
                       std::uint64_t seed, Hear hear, Lost lost)
    : stream_(
          loop, streams, kTerms, seed,
          {.dial = [stub = std::shared_ptr(v1::Ledger::NewStub(leader))](
                       grpc::ClientContext& context, auto& call) { stub->async()->Connect(&context, &call); },
           .greet = [hello = EncodeGreeting(greeting)] { return hello; },
           .hear =
               [this, hear = std::move(hear)](const v1::LedgerDown& message) {
                 stream_.Settle();
                 hear(message);
               },
           .lost = [lost = std::move(lost)](const grpc::Status&) { lost(); }}) {
  stream_.Open();
}

}  // namespace ringway::router
