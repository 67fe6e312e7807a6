// One client of an HTTP/1.1 server: its requests, one after the other, and the responses to them.
//
// The connection knows the protocol, the application what to answer. A request is handed over as it comes:
// its head, pieces of its body, its end. The response is written in the same steps, whenever the application
// has something, from anywhere on the loop; what was gathered goes out with Push. The connection adds framing
// and Connection fields, drops the body for HEAD, and keeps alive where both sides can. A pipelined request
// waits unread until the response before it has been written.
//
// Time-outs, in ticks of the server: a head must be whole within header_ticks from its first byte; an idle
// connection, an upload that stands still and a client that does not read live for their own numbers.
//
// Invariants: between OnRequest and the end of the response (EndResponse, Abort or OnClientGone) the exchange
// is the application's, and OnClientGone comes only then. A client that closes its sending side has left.
// Bounds: one buffer of header_bytes_max; what the application sends beyond its window is its own doing
// (`queued`). Threads: the loop's.
#ifndef RINGWAY_RUNTIME_HTTP_SERVER_CONNECTION_H_
#define RINGWAY_RUNTIME_HTTP_SERVER_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/http/connection.h"
#include "runtime/http/message_reader.h"

namespace ringway::http {

class ServerConnection;

// What a server serves. Calls about one connection come in the order of the protocol.
class Application {
 public:
  virtual ~Application() = default;
  // `head` is valid during the call. The application may answer at once.
  virtual void OnRequest(ServerConnection& client, const Head& head) = 0;
  virtual void OnRequestBody(ServerConnection& client, std::string_view bytes) = 0;
  virtual void OnRequestEnd(ServerConnection& client) = 0;
  // The client left before the response had ended. The last call about this exchange.
  virtual void OnClientGone(ServerConnection& client) = 0;
  // What was sent has gone out, but for less than Connection::kDrainedBelow.
  virtual void OnClientDrained(ServerConnection& client) = 0;
};

// In ticks of the server's clock, see Listener.
struct ServerLimits {
  std::size_t header_bytes_max = std::size_t{16} << 10;
  std::uint32_t header_ticks = 40;  // a head, from its first byte
  std::uint32_t idle_ticks = 240;   // between requests
  std::uint32_t stall_ticks = 120;  // no byte of a body moves, though one should
};

class ServerConnection final : public Connection, private MessageSink {
 public:
  ServerConnection(boost::asio::io_context& io, Application& application, const ServerLimits& limits);

  // ---- for the server ----
  Socket& raw_socket() { return socket(); }
  void Start(std::string peer);
  // One tick has passed. May close.
  void OnTick();
  // Ticks since it was opened or its last exchange ended; nothing during an exchange. Bytes of a head that
  // does not end do not count as a sign of life.
  std::optional<std::uint32_t> waits() const;
  // Closes now, or after the response that is under way: for the end of the process.
  void CloseWhenAnswered();

  // ---- the response, in this order ----
  // An interim "100 Continue", if the client waits for one.
  void Continue();
  void BeginResponse(int status, std::string_view reason);
  // Left out when it is none (field_text.h), whoever said it.
  void AddField(std::string_view name, std::string_view value);
  // kToClose becomes chunked where the client can read that. `length` with kLength.
  void EndHead(Framing framing, std::uint64_t length = 0);
  void SendBody(std::string_view bytes);
  void EndResponse();
  // A whole response. Fields: lines with CRLF, or empty.
  void Reply(int status, std::string_view content_type, std::string_view fields, std::string_view body);
  // The response cannot be completed: closes, so that the client sees that it is cut off.
  void Abort();
  // Sends what has been gathered.
  void Push() { Flush(); }

  bool response_begun() const { return response_begun_; }
  // Flow control of the upload.
  void PauseUpload() { PauseReading(); }
  void ResumeUpload() { ResumeReading(); }
  // host of the client, for X-Forwarded-For.
  const std::string& peer() const { return peer_; }
  // For the application: which exchange this is.
  std::uint64_t tag = 0;

 private:
  enum class State : std::uint8_t {
    kBetween,   // no request, or a part of a head
    kExchange,  // the application has a request to answer
    kAnswered,  // the response has ended, the reader has not moved on yet
    kLingers,   // the last response was sent: reads and drops until the client has seen it
  };

  std::span<char> ReadRoom() override;
  void OnRead(std::size_t count) override;
  void OnReadEnd() override;
  void OnBroken(std::string_view why) override;
  void OnDrained() override;
  void OnHead(const Head& head) override;
  void OnBody(std::string_view bytes) override;
  void OnMessageEnd() override;

  void ParseMore();
  void Advance();
  void Linger();
  void Refuse(const ReadFault& fault);
  void Leave();

  Application& application_;
  const ServerLimits& limits_;
  RequestReader reader_;
  std::string peer_;
  State state_ = State::kBetween;
  bool response_begun_ = false;
  bool request_ended_ = false;  // nothing more of it will come
  bool head_method_ = false;    // HEAD
  bool http10_ = false;
  bool awaits_continue_ = false;
  bool chunked_ = false;  // the response
  bool closing_ = false;  // after this response
  bool parsing_ = false;
  std::uint32_t state_ticks_ = 0;  // since the head began, or since lingering did
  std::uint32_t wait_ticks_ = 0;
};

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_SERVER_CONNECTION_H_
