#include "router/daemon/ledgers/ledger_link.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/clock.h"

namespace ringway::router {
namespace {

constexpr StreamTerms kTerms = {.retry_first = Milliseconds(30),
                                .retry_max = Milliseconds(300),
                                .queue_max = LedgerLink::kQueueMax,
                                .break_when_full = true};

}  // namespace

LedgerLink::LedgerLink(runtime::EventLoop& loop, StreamCount& streams, LedgerWay way,
                       const LedgerGreeting& greeting, std::uint64_t seed, Duration one_way, Hear hear,
                       Lost lost)
    : loop_(loop),
      way_(std::move(way)),
      hello_(EncodeGreeting(greeting)),
      one_way_(one_way),
      hear_(std::move(hear)),
      lost_(std::move(lost)),
      rng_(seed),
      retry_after_(kTerms.retry_first),
      retry_(loop, [this] { CallByFrames(); }),
      stream_(
          loop, streams, kTerms, seed,
          {.dial = [stub = std::shared_ptr(v1::Ledger::NewStub(way_.channel))](
                       grpc::ClientContext& context, auto& call) { stub->async()->Connect(&context, &call); },
           .greet = [this] { return hello_; },
           .hear =
               [this](const v1::LedgerDown& message) {
                 stream_.Settle();
                 Heard(message);
               },
           .lost = [this](const grpc::Status&) { OnCallLost(); }}) {
  EmulateDistance();
  if (way_.frames_to.empty()) {
    stream_.Open();
  } else {
    CallByFrames();
  }
}

LedgerLink::~LedgerLink() {
  if (frames_ != nullptr) frames_->Abandon();
}

void LedgerLink::CallByFrames() {
  frames_ = FramedLedgerCall::Begin(
      loop_, {.address = way_.frames_to,
              .token = way_.token,
              .hello = hello_,
              .hear = [this](const v1::LedgerDown& message) { Heard(message); },
              .over = [this](FramedLedgerCall::Ending ending) { OnFramesOver(ending); }});
}

void LedgerLink::OnFramesOver(FramedLedgerCall::Ending ending) {
  frames_.reset();
  if (ending == FramedLedgerCall::Ending::kNotSpoken) {
    if (!std::exchange(told_, true)) way_.not_understood();
    return stream_.Open();
  }
  CallByFramesLater();
  EmulateDistance();
  lost_();
}

void LedgerLink::OnCallLost() {
  if (!way_.frames_to.empty()) {
    stream_.Rest();
    CallByFramesLater();
  }
  EmulateDistance();
  lost_();
}

void LedgerLink::CallByFramesLater() {
  retry_.Arm(runtime::MonotonicNow() + retry_after_ * (0.5 + 0.5 * rng_.Uniform()));
  retry_after_ = std::min(retry_after_ * 2, kTerms.retry_max);
}

void LedgerLink::SendNow(v1::LedgerUp message) {
  if (frames_ != nullptr) {
    frames_->Say(message);
  } else {
    stream_.Send(std::move(message));
  }
}

void LedgerLink::Heard(const v1::LedgerDown& message) {
  retry_after_ = kTerms.retry_first;
  if (in_ != nullptr) return in_->Push(message);
  hear_(message);
}

void LedgerLink::Break() {
  if (frames_ != nullptr) frames_->End();
  stream_.Break();
}

void LedgerLink::EmulateDistance() {
  if (one_way_ <= ZeroDuration()) return;
  out_ = std::make_unique<DelayLine<v1::LedgerUp>>(
      loop_, one_way_, [this](v1::LedgerUp& message) { SendNow(std::move(message)); });
  in_ = std::make_unique<DelayLine<v1::LedgerDown>>(loop_, one_way_,
                                                    [this](v1::LedgerDown& message) { hear_(message); });
}

}  // namespace ringway::router
