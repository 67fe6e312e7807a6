#include "gateway/relay.h"

#include <array>
#include <charconv>
#include <utility>

namespace ringway::gateway {
namespace {

constexpr Duration kPause = Milliseconds(150);
// In ticks of a quarter of a second.
constexpr std::uint32_t kRelayConnectTicks = 4, kRelayIdleTicks = 80, kRelayStallTicks = 120;

// Fields that belong to a connection, not to a message (RFC 9110, 7.6.1), and those that the framing writes.
bool IsOfConnection(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length", "Upgrade", "Trailer"};
  for (const std::string_view of : kNames) {
    if (http::SameName(name, of)) return true;
  }
  return false;
}

}  // namespace

Relay::Relay(Peers& peers, std::string router, std::string request, bool head_only,
             http::ServerConnection& client, const AnswerFields& fields, std::uint64_t tag, RelaySink& sink)
    : peers_(peers),
      router_(std::move(router)),
      request_(std::move(request)),
      head_only_(head_only),
      client_(client),
      fields_(fields),
      tag_(tag),
      sink_(sink) {}

void Relay::Begin(Time now, Duration wait) {
  now_ = now;
  give_up_ = now + wait;
  Try();
}

void Relay::Try() {
  again_at_ = InfiniteFuture();
  peers_.Find(router_, [self = shared_from_this()](const absl::StatusOr<Peers::Endpoint>& endpoint) {
    if (self->over_) return;
    if (!endpoint.ok()) return self->Again(std::string(endpoint.status().message()));
    self->TryAt(*endpoint);
  });
}

void Relay::TryAt(const Peers::Endpoint& endpoint) {
  connection_ = peers_.Connection(router_, endpoint);
  self_ = shared_from_this();
  connection_->Begin(*this, head_only_);
  connection_->Write(request_);
  connection_->Push();
}

void Relay::Again(const std::string& why) {
  why_ = why;
  again_at_ = now_ + kPause;
}

void Relay::OnTick(Time now) {
  now_ = now;
  if (over_) return;
  if (connection_ != nullptr) connection_->OnTick(kRelayConnectTicks, kRelayIdleTicks, kRelayStallTicks);
  if (over_ || answering_) return;
  if (now >= give_up_) {
    const auto keep = shared_from_this();
    Abandon();
    return sink_.OnOwnerSilent(tag_, why_.empty() ? "it does not answer" : why_);
  }
  if (now >= again_at_) Try();
}

void Relay::Abandon() {
  over_ = true;
  if (connection_ != nullptr) connection_->Abandon();
  connection_.reset();
  // Not within a call of its own connection: the last reference goes with the next turn.
  self_.reset();
}

void Relay::OnClientDrained() {
  if (connection_ != nullptr && connection_->response_paused()) connection_->ResumeResponse();
}

// ---- the owner's answer ----

void Relay::OnResponseHead(const http::Head& head) {
  answering_ = true;
  client_.BeginResponse(head.status, head.reason);
  for (const http::Field& field : head.fields) {
    if (!IsOfConnection(field.name) && !AnswerFields::Has(field.name))
      client_.AddField(field.name, field.value);
  }
  fields_.AddTo(client_);
  std::uint64_t length = head.length;
  http::Framing framing = head.framing == http::Framing::kToClose ? http::Framing::kChunked : head.framing;
  // The answer to HEAD has no body, but says how long it would be.
  const std::string_view stated = head.Value("Content-Length");
  if (head_only_ && std::from_chars(stated.data(), stated.data() + stated.size(), length).ec == std::errc()) {
    framing = http::Framing::kLength;
  }
  client_.EndHead(framing, length);
}

void Relay::OnResponseBody(std::string_view bytes) {
  if (over_) return;
  client_.SendBody(bytes);
  if (client_.queued() > kWindowBytes) connection_->PauseResponse();
}

void Relay::OnResponsePart() {
  if (over_) return;
  client_.Push();
  // Nobody calls when the kernel has taken everything at once.
  if (client_.queued() <= kWindowBytes && connection_->response_paused()) connection_->ResumeResponse();
}

void Relay::OnResponseEnd() {
  const auto keep = std::exchange(self_, nullptr);
  if (std::exchange(over_, true)) return;
  client_.EndResponse();
  peers_.Return(router_, std::exchange(connection_, nullptr));
  sink_.OnRelayed(tag_);
}

void Relay::OnExchangeBroken(bool, std::string_view why) {
  const auto keep = std::exchange(self_, nullptr);
  connection_.reset();
  if (over_) return;
  if (answering_) {
    over_ = true;
    client_.Abort();
    return sink_.OnRelayed(tag_);
  }
  peers_.Doubt(router_);
  Again(std::string(why));
}

}  // namespace ringway::gateway
