// A request about another router's job, handed on to it, and its answer handed back as it comes.
//
// Only requests that may be repeated are relayed: reads, deletions, and creations with an idempotency key. So
// while nothing of an answer has come, a broken connection means: again, after a pause, until the given time
// has passed. That is how a poll lives through the restart of the owner. After that the client is told 503
// and when to come back, never 404: who does not answer has not said that it knows nothing.
//
// Lifetime: shared, because its connection may outlive it by a turn; Abandon when the client is gone. Bound:
// kWindowBytes of the answer wait for a slow client. Threads: the front's loop.
#ifndef RINGWAY_GATEWAY_RELAY_H_
#define RINGWAY_GATEWAY_RELAY_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/time.h"
#include "gateway/answer_fields.h"
#include "gateway/peers.h"
#include "runtime/http/origin_connection.h"
#include "runtime/http/server_connection.h"

namespace ringway::gateway {

class RelaySink {
 public:
  virtual ~RelaySink() = default;
  // The answer has been handed back whole; the client's exchange is over.
  virtual void OnRelayed(std::uint64_t tag) = 0;
  // The owner did not answer in time; nothing has been said to the client.
  virtual void OnOwnerSilent(std::uint64_t tag, const std::string& why) = 0;
};

class Relay final : public http::ExchangeSink, public std::enable_shared_from_this<Relay> {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{256} << 10;

  // `request` as it stands on the wire.
  Relay(Peers& peers, std::string router, std::string request, bool head_only, http::ServerConnection& client,
        const AnswerFields& fields, std::uint64_t tag, RelaySink& sink);

  // Asks for as long as `wait`.
  void Begin(Time now, Duration wait);
  void OnTick(Time now);
  void OnClientDrained();
  void Abandon();

 private:
  void Try();
  void TryAt(const Peers::Endpoint& endpoint);
  void Again(const std::string& why);

  void OnResponseHead(const http::Head& head) override;
  void OnResponseBody(std::string_view bytes) override;
  void OnResponsePart() override;
  void OnResponseEnd() override;
  void OnExchangeBroken(bool sent, std::string_view why) override;
  void OnRequestDrained() override {}

  Peers& peers_;
  const std::string router_;
  const std::string request_;
  const bool head_only_;
  http::ServerConnection& client_;
  const AnswerFields fields_;
  const std::uint64_t tag_;
  RelaySink& sink_;
  std::shared_ptr<http::OriginConnection> connection_;
  std::shared_ptr<Relay> self_;  // while a connection may call back
  Time give_up_ = InfiniteFuture();
  Time now_ = InfinitePast();  // of the last tick
  Time again_at_ = InfiniteFuture();
  std::string why_;
  bool answering_ = false;  // the client has had a head
  bool over_ = false;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_RELAY_H_
