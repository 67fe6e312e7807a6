// The stream of one tier to the router that holds its ledger, opened again whenever it broke (kept_stream.h).
//
// Says the hello, then whatever it is given; hands on what the leader says. Nothing is kept while the way is
// broken, because everything is said once more when the leader is heard again. The wait between two tries is
// short and jittered (30 to 300 ms): a leader that is not there costs a tier its ledger.
//
// With a distance to emulate (--emulate-rtt) what is said and heard is held back by it, each way.
//
// Bounds: kQueueMax messages to be sent; beyond it the stream is broken off, and begun anew. Threads: gRPC's
// post to the loop, where `hear` and `lost` are called, never from within Send. Destroy on the loop.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGER_LINK_H_
#define RINGWAY_ROUTER_DAEMON_LEDGER_LINK_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ringway/v1/ledger.grpc.pb.h"
#include "router/daemon/delay_line.h"
#include "router/daemon/kept_stream.h"
#include "router/wire/ledger_codec.h"

namespace ringway::router {

class LedgerLink {
 public:
  static constexpr std::size_t kQueueMax = 65536;
  using Hear = std::function<void(const v1::LedgerDown&)>;
  using Lost = std::function<void()>;  // the stream broke; another will be tried

  // `seed` is for the jitter. `one_way`: the emulated distance; zero: none.
  LedgerLink(runtime::EventLoop& loop, StreamCount& streams, const std::shared_ptr<grpc::Channel>& leader,
             const LedgerGreeting& greeting, std::uint64_t seed, absl::Duration one_way, Hear hear,
             Lost lost);

  void Send(v1::LedgerUp message) {
    if (out_ != nullptr) return out_->Push(std::move(message));
    stream_.Send(std::move(message));
  }
  // Begins anew, because the leader said what makes no sense.
  void Break() { stream_.Break(); }

 private:
  // What is under way is lost with the stream.
  void EmulateDistance(runtime::EventLoop& loop, absl::Duration one_way);

  const Hear hear_;
  std::unique_ptr<DelayLine<v1::LedgerUp>> out_;  // null: no distance to emulate
  std::unique_ptr<DelayLine<v1::LedgerDown>> in_;
  KeptStream<v1::LedgerUp, v1::LedgerDown> stream_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGER_LINK_H_
