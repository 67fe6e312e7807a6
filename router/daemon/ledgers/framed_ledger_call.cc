#include "router/daemon/ledgers/framed_ledger_call.h"

#include <utility>

#include <boost/asio/ip/address.hpp>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

using Tcp = boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;

}  // namespace

std::shared_ptr<FramedLedgerCall> FramedLedgerCall::Begin(runtime::EventLoop& loop, Peer peer) {
  auto call = std::make_shared<FramedLedgerCall>(loop, std::move(peer));
  call->limit_.Arm(runtime::MonotonicNow() + kAnswerMax);
  call->Connect();
  return call;
}

FramedLedgerCall::FramedLedgerCall(runtime::EventLoop& loop, Peer peer)
    : FramedConnection(loop), peer_(std::move(peer)), resolver_(loop.context()), limit_(loop, [this] {
        if (!answered_) End();
      }) {}

void FramedLedgerCall::Abandon() {
  abandoned_ = true;
  End();
}

// A name is looked up, which takes a thread; an address is not.
void FramedLedgerCall::Connect() {
  const auto leader = runtime::ParseAddress(peer_.address);
  if (!leader.ok()) return End();
  ErrorCode failed;
  const auto numeric = boost::asio::ip::make_address(leader->host, failed);
  if (!failed) return ConnectTo({numeric, leader->port});
  const auto self = std::static_pointer_cast<FramedLedgerCall>(shared_from_this());
  resolver_.async_resolve(leader->host, absl::StrCat(leader->port), Tcp::resolver::numeric_service,
                          [self](const ErrorCode& unknown, const Tcp::resolver::results_type& found) {
                            if (unknown || found.empty()) return self->End();
                            self->ConnectTo(found.begin()->endpoint());
                          });
}

void FramedLedgerCall::ConnectTo(const Tcp::endpoint& leader) {
  if (over()) return;
  const auto self = std::static_pointer_cast<FramedLedgerCall>(shared_from_this());
  socket().async_connect(leader, [self](const ErrorCode& failed) {
    if (failed || self->over()) return self->End();
    self->Introduce();
  });
}

void FramedLedgerCall::Introduce() {
  reached_ = true;
  BeginFrames();
  SendFrame(kProtocol);
  SendFrame(peer_.token);
  SendFrame(peer_.hello);
}

void FramedLedgerCall::OnFrame(std::string_view payload) {
  if (!answered_) {
    answered_ = payload == kProtocol;
    if (!answered_) End();
    return;
  }
  if (!incoming_.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return End();
  peer_.hear(incoming_);
}

void FramedLedgerCall::OnOver() {
  resolver_.cancel();
  if (abandoned_) return;
  peer_.over(reached_ && !answered_ ? Ending::kNotSpoken : Ending::kBroke);
}

}  // namespace ringway::router
