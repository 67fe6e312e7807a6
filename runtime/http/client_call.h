// One HTTP/1.1 request to a server, and its answer: for whoever asks now and then and keeps no connection.
//
// The name is resolved, its addresses are tried one after the other, the request goes out, the answer comes
// in, and the connection is closed. An answer that comes before the server has read the whole request counts;
// a server that then hangs up does not take it back. What may not stand in a head is never sent
// (field_text.h).
//
// Invariants: `done` is called once, never from within Begin or Cancel; a call that is destroyed hangs up and
// calls nobody, also from within its own `done`. Bounds: connect_max and answer_max in time, body_bytes_max
// and kHeadBytesMax in memory. Threads: the loop's.
#ifndef RINGWAY_RUNTIME_HTTP_CLIENT_CALL_H_
#define RINGWAY_RUNTIME_HTTP_CLIENT_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"

#include "core/time.h"
#include "runtime/event_loop.h"

namespace ringway::http {

// Names and values of fields.
using FieldTexts = std::vector<std::pair<std::string, std::string>>;

struct ClientRequest {
  std::string host;  // a name or an address, without brackets
  std::string port;
  std::string method = "GET";
  std::string target = "/";
  FieldTexts fields = {};  // without Host, Connection and Content-Length
  std::string body = {};
  Duration connect_max = Seconds(3);                      // from the beginning until a connection stands
  Duration answer_max = Seconds(10);                      // from the beginning until the answer is whole
  std::uint64_t body_bytes_max = std::uint64_t{1} << 20;  // of the answer
};

struct ClientAnswer {
  int status = 0;        // 0: no head came
  bool whole = false;    // all of the answer is here
  bool reached = false;  // a connection stood: the server may have read the request
  std::string why = {};  // of one that is not whole, as it goes behind the server's name: "broke off: ..."
  FieldTexts fields = {};
  std::string body = {};  // but for what was taken in pieces
  // Of the first field of that name, whatever its case; empty: there is none.
  std::string Value(std::string_view name) const;
};

// What stands behind "Host:".
std::string HostField(const std::string& host, const std::string& port);

class ClientCall {
 public:
  static constexpr std::size_t kHeadBytesMax = std::size_t{64} << 10;
  using Done = absl::AnyInvocable<void(ClientAnswer)>;
  // A piece of the body of an answer with this status; true: it was taken, and is not collected.
  using Take = absl::AnyInvocable<bool(int status, std::string_view piece)>;

  // Begins it.
  ClientCall(runtime::EventLoop& loop, ClientRequest request, Done done, Take take = nullptr);
  ~ClientCall();
  ClientCall(const ClientCall&) = delete;
  ClientCall& operator=(const ClientCall&) = delete;

  // Hangs up; `done` comes with what there is, unless it has come.
  void Cancel();

 private:
  class Exchange;
  const std::shared_ptr<Exchange> exchange_;
};

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_CLIENT_CALL_H_
