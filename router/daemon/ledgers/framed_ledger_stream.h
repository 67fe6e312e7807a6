// The leader's side of a ledger's stream that comes as frames (framed_connection.h).
//
// The router says the protocol, the fleet's token (an empty frame: none), and its hello; from then on all is
// as on a gRPC stream (ledger_stream.h). The leader answers with the protocol once the token has been
// admitted, by the same guard that looks at gRPC's calls. Whoever is not admitted, says nonsense, or has not
// said its hello after kGreetingMax is cut off without a word: the router then comes by gRPC, which tells it
// why.
//
// Bound: strangers, of which each costs a buffer and a descriptor for kGreetingMax, are counted by their
// Greeting; the listener hears of a stream that was admitted, and of no other. Lifetime: its own; it tells
// the listener before it goes. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_LEDGER_STREAM_H_
#define RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_LEDGER_STREAM_H_

#include <functional>
#include <memory>
#include <string_view>

#include "core/time.h"
#include "router/daemon/ledgers/framed_connection.h"
#include "router/daemon/ledgers/ledger_stream.h"

namespace ringway::router {

class FramedLedgerStream final : public LedgerStream, public FramedConnection {
 public:
  static constexpr Duration kGreetingMax = Seconds(10);
  // Whether the stream may begin with this token; empty: none was given. Asked once.
  using Admits = std::function<bool(std::string_view token)>;
  // Held until the stream is admitted, or ends before; null: nobody counts.
  using Greeting = std::shared_ptr<void>;

  // On the loop. Owns the connected socket `fd` from now on.
  static void Take(int fd, runtime::EventLoop& loop, LedgerStreamListener& listener, Admits admits,
                   Greeting greeting);
  FramedLedgerStream(runtime::EventLoop& loop, LedgerStreamListener& listener, Admits admits,
                     Greeting greeting);

  void Send(const v1::LedgerDown& message) override { SendFrame(message); }
  void Close(const grpc::Status& status) override;

 private:
  void OnFrame(std::string_view payload) override;
  void OnOver() override;
  void Introduce(std::string_view payload);

  LedgerStreamListener& listener_;
  const Admits admits_;
  Greeting greeting_;
  bool knows_protocol_ = false;
  bool admitted_ = false;
  v1::LedgerUp incoming_;  // reused
  runtime::Alarm limit_;   // for the greeting
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_LEDGER_STREAM_H_
