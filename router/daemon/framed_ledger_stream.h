// The leader's side of a ledger's stream that comes as frames (framed_connection.h).
//
// The router says the protocol, the fleet's token (an empty frame: none), and its hello; from then on all is
// as on a gRPC stream (ledger_stream.h). The leader answers with the protocol once the token has been
// admitted, by the same guard that looks at gRPC's calls. Whoever is not admitted, says nonsense, or has not
// said its hello after kGreetingMax is cut off without a word: the router then comes by gRPC, which tells it
// why.
//
// Lifetime: its own; it tells the listener before it goes. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_FRAMED_LEDGER_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_FRAMED_LEDGER_STREAM_H_

#include <functional>
#include <string_view>

#include "absl/time/time.h"
#include "router/daemon/framed_connection.h"
#include "router/daemon/ledger_stream.h"

namespace ringway::router {

class FramedLedgerStream final : public LedgerStream, public FramedConnection {
 public:
  static constexpr absl::Duration kGreetingMax = absl::Seconds(10);
  // Whether the token is the fleet's; empty: none was given.
  using Admits = std::function<bool(std::string_view token)>;

  // On the loop. Owns the connected socket `fd` from now on; the listener is told of the stream's end, also
  // when it never began.
  static void Take(int fd, runtime::EventLoop& loop, LedgerStreamListener& listener, Admits admits);
  FramedLedgerStream(runtime::EventLoop& loop, LedgerStreamListener& listener, Admits admits);

  void Send(const v1::LedgerDown& message) override { SendFrame(message); }
  void Close(const grpc::Status& status) override;

 private:
  void OnFrame(std::string_view payload) override;
  void OnOver() override { listener_.OnClosed(*this); }
  void Introduce(std::string_view payload);

  LedgerStreamListener& listener_;
  const Admits admits_;
  bool knows_protocol_ = false;
  bool admitted_ = false;
  v1::LedgerUp incoming_;  // reused
  runtime::Alarm limit_;   // for the greeting
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_FRAMED_LEDGER_STREAM_H_
