// The stream of one tier to the router that holds its ledger, opened again whenever it broke.
//
// Within a region it goes by frames (framed_ledger_call.h), which costs a fraction of what gRPC does. A
// leader that does not know them, or a way that does not let them through, is spoken to by gRPC
// (kept_stream.h) until that breaks; then frames are tried again.
//
// Says the hello, then whatever it is given; hands on what the leader says. Nothing is kept while the way is
// broken, because everything is said once more when the leader is heard again. The wait between two tries is
// short and jittered (30 to 300 ms): a leader that is not there costs a tier its ledger.
//
// With a distance to emulate (--emulate-rtt) what is said and heard is held back by it, each way.
//
// Bounds: kQueueMax messages to be sent, or as many bytes as a framed connection holds; beyond it the stream
// is broken off, and begun anew. Threads: gRPC's post to the loop, where `hear` and `lost` are called, never
// from within Send; either may destroy the link. Destroy on the loop.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_LINK_H_
#define RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_LINK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/rng.h"
#include "ringway/v1/ledger.grpc.pb.h"
#include "router/daemon/control/kept_stream.h"
#include "router/daemon/jobs/delay_line.h"
#include "router/daemon/ledgers/framed_ledger_call.h"
#include "router/wire/ledger_codec.h"

namespace ringway::router {

// How the leader is reached.
struct LedgerWay {
  std::shared_ptr<grpc::Channel> channel;
  std::string frames_to = {};                    // its address, if frames may be tried; empty: gRPC alone
  std::string token = {};                        // for frames; the channel presents its own
  std::function<void()> not_understood = [] {};  // told once
};

class LedgerLink {
 public:
  static constexpr std::size_t kQueueMax = 65536;
  using Hear = std::function<void(const v1::LedgerDown&)>;
  using Lost = std::function<void()>;  // the stream broke; another will be tried

  // `seed` is for the jitter. `one_way`: the emulated distance; zero: none.
  LedgerLink(runtime::EventLoop& loop, StreamCount& streams, LedgerWay way, const LedgerGreeting& greeting,
             std::uint64_t seed, Duration one_way, Hear hear, Lost lost);
  ~LedgerLink();

  void Send(v1::LedgerUp message) {
    if (out_ != nullptr) return out_->Push(std::move(message));
    SendNow(std::move(message));
  }
  // Begins anew, because the leader said what makes no sense.
  void Break();

 private:
  void SendNow(v1::LedgerUp message);
  void Heard(const v1::LedgerDown& message);
  void CallByFrames();
  void OnFramesOver(FramedLedgerCall::Ending ending);
  void OnCallLost();
  void CallByFramesLater();
  // What is under way is lost with the stream.
  void EmulateDistance();

  runtime::EventLoop& loop_;
  const LedgerWay way_;
  const v1::LedgerUp hello_;
  const Duration one_way_;
  const Hear hear_;
  const Lost lost_;
  std::unique_ptr<DelayLine<v1::LedgerUp>> out_;  // null: no distance to emulate
  std::unique_ptr<DelayLine<v1::LedgerDown>> in_;
  std::shared_ptr<FramedLedgerCall> frames_;  // null: none under way
  Rng rng_;
  Duration retry_after_;
  bool told_ = false;                                // that frames are not understood
  runtime::Alarm retry_;                             // of frames
  KeptStream<v1::LedgerUp, v1::LedgerDown> stream_;  // begun once frames have not been understood
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGERS_LEDGER_LINK_H_
