#include "runtime/http/origin_connection.h"

#include "core/check.h"

namespace ringway::http {

using ErrorCode = boost::system::error_code;

OriginConnection::OriginConnection(boost::asio::io_context& io, const boost::asio::ip::tcp::endpoint& server,
                                   std::size_t header_bytes_max)
    : Connection(io), server_(server), reader_(header_bytes_max, static_cast<MessageSink&>(*this)) {}

void OriginConnection::Begin(ExchangeSink& sink, bool head_only) {
  RINGWAY_CHECK(ready());
  sink_ = &sink;
  head_only_ = head_only;
  sent_ = open();
  quiet_ticks = 0;
  reader_.Next(head_only);
  if (!open() && !connecting_) Connect();
}

void OriginConnection::Connect() {
  connecting_ = true;
  socket().async_connect(server_, [this, self = shared_from_this()](const ErrorCode& failed) {
    connecting_ = false;
    if (spent_) return;
    if (failed) return Break(failed.message());
    sent_ = true;
    Connection::Begin();
    Send(before_connect_);
    before_connect_ = {};
    Flush();
  });
}

void OriginConnection::Write(std::string_view bytes) {
  if (open()) return Send(bytes);
  if (!spent_) before_connect_.append(bytes);
}

void OriginConnection::Abandon() {
  sink_ = nullptr;
  spent_ = true;
  Close();
}

void OriginConnection::Break(std::string_view why) {
  spent_ = true;
  Close();
  ExchangeSink* const sink = std::exchange(sink_, nullptr);
  if (sink != nullptr) sink->OnExchangeBroken(sent_, why);
}

// ---- reading ----

std::span<char> OriginConnection::ReadRoom() { return reader_.Room(); }

void OriginConnection::OnRead(std::size_t count) {
  if (sink_ == nullptr) return Abandon();  // an answer to nothing
  reader_.Commit(count);
  // An interim response may stand before the final one; each turn ends a message.
  while (open() && sink_ != nullptr) {
    const ReadFault fault = reader_.Parse();
    if (fault) return Break(fault.why);
    if (!std::exchange(interim_, false)) break;
    reader_.Next(head_only_);
  }
  // After the end of the response, sink_ is null or belongs to the next exchange already.
  if (sink_ != nullptr && reader_.head_read()) sink_->OnResponsePart();
}

void OriginConnection::OnReadEnd() {
  if (sink_ == nullptr) return Abandon();
  if (reader_.ParseEnd()) {
    Break(reader_.message_begun() ? "it closed the connection in the middle of its response"
                                  : "it closed the connection without a response");
  }
}

void OriginConnection::OnBroken(std::string_view why) { Break(why); }

void OriginConnection::OnDrained() {
  if (sink_ != nullptr) sink_->OnRequestDrained();
}

void OriginConnection::OnHead(const Head& head) {
  interim_ = head.status / 100 == 1;
  if (interim_) return;
  keep_alive_ = head.keep_alive && head.framing != Framing::kToClose;
  sink_->OnResponseHead(head);
}

void OriginConnection::OnBody(std::string_view bytes) {
  if (sink_ != nullptr) sink_->OnResponseBody(bytes);
}

void OriginConnection::OnMessageEnd() {
  if (interim_ || sink_ == nullptr) return;
  ExchangeSink* const sink = std::exchange(sink_, nullptr);
  // Bytes behind the response answer nothing, and a request that is still going out would meet the next one.
  if (!keep_alive_ || reader_.unread() > 0 || queued() > 0) Abandon();
  if (paused()) ResumeReading();
  sink->OnResponseEnd();
}

// ---- time ----

void OriginConnection::OnTick(std::uint32_t connect_ticks, std::uint32_t idle_ticks,
                              std::uint32_t stall_ticks) {
  ++quiet_ticks;
  if (connecting_ && quiet_ticks > connect_ticks) return Break("connecting took too long");
  if (open() && sink_ == nullptr && quiet_ticks > idle_ticks) return Abandon();
  if (open() && sink_ != nullptr && queued() > 0 && quiet_ticks > stall_ticks) {
    Break("it does not read the request");
  }
}

}  // namespace ringway::http
