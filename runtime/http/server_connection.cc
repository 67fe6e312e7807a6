#include "runtime/http/server_connection.h"

#include <boost/asio/post.hpp>
#include <charconv>

#include "core/check.h"
#include "runtime/http/field_text.h"

namespace ringway::http {
namespace {

// After a last response, bytes that the client still sends are read and dropped for so long: a close with
// unread bytes would reset the connection, and the client might lose the response (RFC 9112, 9.6).
constexpr std::uint32_t kLingerTicks = 8;

template <class Number>
std::string_view Digits(Number value, int base, char (&text)[24]) {
  const auto end = std::to_chars(text, text + sizeof(text), value, base).ptr;
  return {text, static_cast<std::size_t>(end - text)};
}

}  // namespace

ServerConnection::ServerConnection(boost::asio::io_context& io, Application& application,
                                   const ServerLimits& limits)
    : Connection(io),
      application_(application),
      limits_(limits),
      reader_(limits.header_bytes_max, static_cast<MessageSink&>(*this)) {}

void ServerConnection::Start(std::string peer) {
  peer_ = std::move(peer);
  Begin();
}

// ---- reading ----

std::span<char> ServerConnection::ReadRoom() { return reader_.Room(); }

void ServerConnection::OnRead(std::size_t count) {
  if (state_ == State::kLingers) return;
  reader_.Commit(count);
  ParseMore();
}

void ServerConnection::ParseMore() {
  const bool wanted = state_ == State::kBetween || (state_ == State::kExchange && !request_ended_);
  if (!wanted) return;  // a pipelined request: its turn comes
  parsing_ = true;
  const ReadFault fault = reader_.Parse();
  parsing_ = false;
  if (!open()) return;
  if (fault) return Refuse(fault);
  if (state_ == State::kAnswered) Advance();
}

void ServerConnection::OnHead(const Head& head) {
  state_ = State::kExchange;
  response_begun_ = false;
  head_method_ = head.method == "HEAD";
  http10_ = head.minor_version == 0;
  closing_ = closing_ || !head.keep_alive;
  request_ended_ = head.framing == Framing::kNone;
  awaits_continue_ = head.expects_continue && !http10_ && !request_ended_;
  application_.OnRequest(*this, head);
}

void ServerConnection::OnBody(std::string_view bytes) {
  awaits_continue_ = false;
  if (state_ == State::kExchange) application_.OnRequestBody(*this, bytes);
}

void ServerConnection::OnMessageEnd() {
  request_ended_ = true;
  if (state_ == State::kExchange) application_.OnRequestEnd(*this);
}

// What follows a fault cannot be understood either, so the connection ends with the answer to it.
void ServerConnection::Refuse(const ReadFault& fault) {
  if (state_ == State::kExchange) {
    if (response_begun_) return Leave();
    state_ = State::kBetween;
    application_.OnClientGone(*this);
    if (!open()) return;
  }
  if (state_ != State::kBetween) return Close();
  state_ = State::kExchange;
  closing_ = true;
  response_begun_ = head_method_ = false;
  Reply(fault.status, "text/plain; charset=utf-8", "X-Content-Type-Options: nosniff\r\n",
        std::string(fault.why) + "\n");
}

void ServerConnection::OnReadEnd() { Leave(); }

void ServerConnection::OnBroken(std::string_view) { Leave(); }

void ServerConnection::Leave() {
  Close();
  if (std::exchange(state_, State::kBetween) == State::kExchange) application_.OnClientGone(*this);
}

void ServerConnection::OnDrained() {
  if (state_ == State::kExchange) application_.OnClientDrained(*this);
  if (state_ == State::kLingers && queued() == 0) Linger();
}

// ---- writing ----

void ServerConnection::Continue() {
  if (!awaits_continue_ || response_begun_) return;
  awaits_continue_ = false;
  Send("HTTP/1.1 100 Continue\r\n\r\n");
  Flush();
}

void ServerConnection::BeginResponse(int status, std::string_view reason) {
  RINGWAY_CHECK(state_ == State::kExchange && !response_begun_);
  response_begun_ = true;
  char text[24];
  Send("HTTP/1.1 ");
  Send(Digits(status, 10, text));
  Send(" ");
  Send(IsFieldValue(reason) ? reason : ReasonOf(status));
  Send("\r\n");
}

void ServerConnection::AddField(std::string_view name, std::string_view value) {
  if (!IsFieldName(name) || !IsFieldValue(value)) return;
  Send(name);
  Send(": ");
  Send(value);
  Send("\r\n");
}

void ServerConnection::EndHead(Framing framing, std::uint64_t length) {
  const bool unsized = framing == Framing::kChunked || framing == Framing::kToClose;
  chunked_ = unsized && !http10_;
  // The rest of an upload that was answered early is not waited for.
  if (!request_ended_ || (unsized && http10_)) closing_ = true;
  char text[24];
  if (chunked_) AddField("Transfer-Encoding", "chunked");
  if (framing == Framing::kLength) AddField("Content-Length", Digits(length, 10, text));
  if (closing_) {
    AddField("Connection", "close");
  } else if (http10_) {
    AddField("Connection", "keep-alive");
  }
  Send("\r\n");
}

void ServerConnection::SendBody(std::string_view bytes) {
  if (head_method_ || bytes.empty()) return;
  if (!chunked_) return Send(bytes);
  char text[24];
  Send(Digits(bytes.size(), 16, text));
  Send("\r\n");
  Send(bytes);
  Send("\r\n");
}

void ServerConnection::EndResponse() {
  RINGWAY_CHECK(state_ == State::kExchange && response_begun_);
  if (chunked_ && !head_method_) Send("0\r\n\r\n");
  state_ = State::kAnswered;
  if (!parsing_) Advance();
}

void ServerConnection::Advance() {
  Flush();
  state_ticks_ = wait_ticks_ = quiet_ticks = 0;
  if (closing_) {
    state_ = State::kLingers;
    reader_.Drop();
    if (queued() == 0) Linger();
  } else {
    state_ = State::kBetween;
    response_begun_ = false;
    reader_.Next();
    if (reader_.message_begun()) {
      // A pipelined request: read from the top of the loop, so that no exchange nests in another.
      boost::asio::post(socket().get_executor(), [this, self = shared_from_this()] {
        if (open() && state_ == State::kBetween) ParseMore();
      });
    }
  }
  ResumeReading();
}

// The response is out: says so, and waits for the client to close.
void ServerConnection::Linger() {
  boost::system::error_code ignored;
  socket().shutdown(Socket::shutdown_send, ignored);
}

void ServerConnection::Reply(int status, std::string_view content_type, std::string_view fields,
                             std::string_view body) {
  BeginResponse(status, ReasonOf(status));
  AddField("Content-Type", content_type);
  Send(fields);
  EndHead(Framing::kLength, body.size());
  SendBody(body);
  EndResponse();
}

void ServerConnection::Abort() {
  state_ = State::kBetween;
  Close();
}

void ServerConnection::CloseWhenAnswered() {
  closing_ = true;
  if (state_ == State::kBetween) Close();
}

// ---- time ----

std::optional<std::uint32_t> ServerConnection::waits() const {
  if (state_ == State::kExchange || state_ == State::kAnswered) return std::nullopt;
  return wait_ticks_;
}

void ServerConnection::OnTick() {
  ++quiet_ticks;
  ++wait_ticks_;
  switch (state_) {
    case State::kLingers:
      if (++state_ticks_ > kLingerTicks && queued() == 0) Close();
      break;
    case State::kBetween:
      // A head must come whole, however busily its bytes trickle in.
      if (reader_.message_begun() && ++state_ticks_ > limits_.header_ticks) {
        return Refuse({408, "the header did not come in time"});
      }
      if (quiet_ticks > limits_.idle_ticks) return Close();
      break;
    case State::kExchange:
    case State::kAnswered:
      break;
  }
  const bool uploads = state_ == State::kExchange && !request_ended_ && !paused();
  if (open() && (queued() > 0 || uploads) && quiet_ticks > limits_.stall_ticks) Leave();
}

}  // namespace ringway::http
