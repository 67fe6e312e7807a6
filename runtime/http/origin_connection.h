// A persistent connection to one HTTP/1.1 server: a request goes out, its response comes in.
//
// Connects at the first use and stays open between exchanges, if the server lets it. The request is written
// by the caller as it stands on the wire (its head may be kept and sent to several servers); the response is
// parsed and handed over in pieces. A server that closes an idle connection is noticed at once, so that the
// next request is not lost on a dead one; one that closes at the very moment is told by `answered` false.
//
// Invariants: one exchange at a time; each ends in exactly one of OnResponseEnd and OnExchangeBroken, unless
// Abandon ends it. Neither is called from within Begin, Send or Push. Bounds: one buffer of header_bytes_max;
// `queued` bytes are the caller's window. Threads: the loop's.
#ifndef RINGWAY_RUNTIME_HTTP_ORIGIN_CONNECTION_H_
#define RINGWAY_RUNTIME_HTTP_ORIGIN_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/http/connection.h"
#include "runtime/http/message_reader.h"
#include "runtime/http/upstream.h"

namespace ringway::http {

class ExchangeSink {
 public:
  virtual ~ExchangeSink() = default;
  // Never an interim response (1xx).
  virtual void OnResponseHead(const Head& head) = 0;
  virtual void OnResponseBody(std::string_view bytes) = 0;
  // All that has come so far has been handed over, and there will be more.
  virtual void OnResponsePart() = 0;
  virtual void OnResponseEnd() = 0;
  // `sent`: some byte of the request may have reached the server.
  virtual void OnExchangeBroken(bool sent, std::string_view why) = 0;
  // Room for more of the request.
  virtual void OnRequestDrained() = 0;
};

class OriginConnection final : public Connection, public Upstream, private MessageSink {
 public:
  OriginConnection(boost::asio::io_context& io, const boost::asio::ip::tcp::endpoint& server,
                   std::size_t header_bytes_max);

  // No exchange, and as far as is known the server will take one. A fresh connection is ready.
  bool ready() const { return sink_ == nullptr && !spent_; }
  bool connected() const { return open(); }
  // The sink must live until the exchange has ended. `head_only`: the response to HEAD has no body.
  void Begin(ExchangeSink& sink, bool head_only);
  void Write(std::string_view bytes) override;
  void Push() override { Flush(); }
  std::size_t queued() const override { return Connection::queued(); }
  void PauseResponse() override { PauseReading(); }
  void ResumeResponse() override { ResumeReading(); }
  bool response_paused() const override { return paused(); }
  void Abandon() override;

  // One tick of the owner's clock. `connect_ticks`: how long connecting may take; `idle_ticks`: how long an
  // unused connection is kept; `stall_ticks`: how long the server may leave the request unread.
  void OnTick(std::uint32_t connect_ticks, std::uint32_t idle_ticks, std::uint32_t stall_ticks);

 private:
  std::span<char> ReadRoom() override;
  void OnRead(std::size_t count) override;
  void OnReadEnd() override;
  void OnBroken(std::string_view why) override;
  void OnDrained() override;
  // A server may refuse before it has read the request, and hang up.
  bool HearsOut() const override { return sink_ != nullptr; }
  void OnHead(const Head& head) override;
  void OnBody(std::string_view bytes) override;
  void OnMessageEnd() override;

  void Connect();
  void Break(std::string_view why);

  const boost::asio::ip::tcp::endpoint server_;
  ResponseReader reader_;
  ExchangeSink* sink_ = nullptr;
  std::string before_connect_;  // what was written before the connection stood
  bool connecting_ = false;
  bool spent_ = false;  // closed or about to be: cannot be used again
  bool head_only_ = false;
  bool sent_ = false;        // the request, or a part of it, may have reached the server
  bool interim_ = false;     // the message being read is a 1xx
  bool keep_alive_ = false;  // after this response
};

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_ORIGIN_CONNECTION_H_
