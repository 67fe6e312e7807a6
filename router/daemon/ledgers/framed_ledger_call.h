// One try of a router to stand before a ledger's leader by frames (framed_connection.h).
//
// Connects, says the protocol, the fleet's token and the hello, and hands on what the leader says. A peer
// that was reached and does not answer in kind does not know the protocol: an older release, a proxy between,
// or one that refuses the token. That is told apart from a leader that cannot be reached, or broke off.
//
// Invariants: `over` comes exactly once, as the last word, never from within Begin or Send; nothing comes
// after Abandon. What is sent before the leader has answered is dropped (nothing is to be said to a leader
// that was not heard). Threads: the loop's. Lifetime: shared with its own pending operations.
#ifndef RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_LEDGER_CALL_H_
#define RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_LEDGER_CALL_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/time.h"
#include "ringway/v1/ledger.pb.h"
#include "router/daemon/ledgers/framed_connection.h"

namespace ringway::router {

class FramedLedgerCall final : public FramedConnection {
 public:
  // To be connected, and then to be answered.
  static constexpr Duration kAnswerMax = Seconds(2);
  enum class Ending { kBroke, kNotSpoken };
  struct Peer {
    std::string address;  // host:port
    std::string token;    // empty: none
    v1::LedgerUp hello;
    std::function<void(const v1::LedgerDown&)> hear;
    std::function<void(Ending)> over;
  };

  static std::shared_ptr<FramedLedgerCall> Begin(runtime::EventLoop& loop, Peer peer);
  FramedLedgerCall(runtime::EventLoop& loop, Peer peer);

  void Say(const v1::LedgerUp& message) {
    if (answered_) SendFrame(message);
  }
  // Ends it, and `over` is not called.
  void Abandon();

 private:
  void Connect();
  void ConnectTo(const boost::asio::ip::tcp::endpoint& leader);
  void Introduce();
  void OnFrame(std::string_view payload) override;
  void OnOver() override;

  const Peer peer_;
  boost::asio::ip::tcp::resolver resolver_;
  v1::LedgerDown incoming_;  // reused
  bool reached_ = false;
  bool answered_ = false;
  bool abandoned_ = false;
  runtime::Alarm limit_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_LEDGERS_FRAMED_LEDGER_CALL_H_
