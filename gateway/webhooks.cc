#include "gateway/webhooks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/webhook_url.h"
#include "gateway/webhook_signature.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kWebhookField = "webhook_url";

constexpr std::size_t kWebhookHeaderBytesMax = 16 << 10;
// In ticks of a quarter of a second.
constexpr std::uint32_t kWebhookConnectTicks = 12, kWebhookIdleTicks = 4, kWebhookStallTicks = 40;

}  // namespace

// One event on its way.
class Webhooks::Delivery final : public http::ExchangeSink {
 public:
  Delivery(WebhookUrl to, std::string id, std::string json)
      : url(std::move(to)), event(std::move(id)), body(std::move(json)) {}

  std::string Request(const std::string& key) const {
    const std::int64_t now_s = ToUnixSeconds(runtime::WallNow());
    const std::string signature =
        key.empty() ? "" : absl::StrCat("\r\nwebhook-signature: ", SignWebhook(key, event, now_s, body));
    return absl::StrCat("POST ", url.target, " HTTP/1.1\r\nHost: ", url.Authority(),
                        "\r\nUser-Agent: ringway\r\nContent-Type: application/json\r\nConnection: close\r\n",
                        "webhook-id: ", event, "\r\nwebhook-timestamp: ", now_s, signature,
                        "\r\nContent-Length: ", body.size(), "\r\n\r\n", body);
  }
  // This attempt is over.
  void Settle(bool delivered) {
    done = done || delivered;
    under_way = false;
    if (connection != nullptr) connection->Abandon();
  }

  const WebhookUrl url;
  const std::string event;
  const std::string body;
  int attempts = 0;
  bool under_way = false;
  bool done = false;
  Time next = InfinitePast();
  Time give_up = InfiniteFuture();
  std::shared_ptr<http::OriginConnection> connection;

 private:
  void OnResponseHead(const http::Head& head) override { Settle(head.status / 100 == 2); }
  void OnResponseBody(std::string_view) override {}
  void OnResponsePart() override {}
  void OnResponseEnd() override {}
  void OnExchangeBroken(bool, std::string_view) override { Settle(false); }
  void OnRequestDrained() override {}
};

Webhooks::Webhooks(runtime::EventLoop& loop, const std::vector<std::string>& hosts, const std::string& key,
                   Settled settled)
    : loop_(loop), hosts_(hosts), key_(key), settled_(std::move(settled)), resolver_(loop.context()) {}

Webhooks::~Webhooks() { *alive_ = false; }

absl::Status Webhooks::Allows(const std::string& url) const {
  if (hosts_.empty()) {
    return FieldError(kWebhookField, "webhook_url: webhooks are not enabled here (--videos-webhook-host)");
  }
  const auto parsed = ParseWebhookUrl(url);
  if (parsed && std::find(hosts_.begin(), hosts_.end(), parsed->Authority()) != hosts_.end()) {
    return absl::OkStatus();
  }
  return FieldError(kWebhookField,
                    absl::StrCat("webhook_url is not allowed; allowed are plain http:// URLs of: ",
                                 absl::StrJoin(hosts_, ", ")));
}

void Webhooks::Call(const std::string& id, const std::string& url, const std::string& json) {
  const auto parsed = ParseWebhookUrl(url);
  // The operator's list may have become shorter since the job was taken.
  if (!parsed || !Allows(url).ok()) {
    return boost::asio::post(loop_.context(), [this, id, alive = alive_] {
      if (*alive) settled_(id, false);
    });
  }
  deliveries_[id] = std::make_shared<Delivery>(*parsed, id, json);
}

void Webhooks::Begin(const std::shared_ptr<Delivery>& delivery, Time now) {
  ++delivery->attempts;
  delivery->under_way = true;
  delivery->give_up = now + kAttemptLimit;
  delivery->next = now + Seconds(1 << (delivery->attempts - 1));
  resolver_.async_resolve(
      delivery->url.host, delivery->url.port,
      [this, delivery, alive = alive_](const boost::system::error_code& failed, const auto& hosts) {
        if (!*alive || !delivery->under_way) return;
        if (failed || hosts.empty()) return delivery->Settle(false);
        delivery->connection = std::make_shared<http::OriginConnection>(
            loop_.context(), hosts.begin()->endpoint(), kWebhookHeaderBytesMax);
        delivery->connection->Begin(*delivery, false);
        delivery->connection->Write(delivery->Request(key_));
        delivery->connection->Push();
      });
}

void Webhooks::OnTick(Time now) {
  std::size_t under_way = 0;
  std::vector<std::pair<std::string, bool>> over;
  for (const auto& [id, delivery] : deliveries_) {
    if (delivery->under_way) {
      ++under_way;
      if (delivery->connection != nullptr)
        delivery->connection->OnTick(kWebhookConnectTicks, kWebhookIdleTicks, kWebhookStallTicks);
      if (now > delivery->give_up) delivery->Settle(false);
    } else if (delivery->done || delivery->attempts == kAttemptsMax) {
      over.emplace_back(id, delivery->done);
    } else if (now >= delivery->next && under_way < kAtOnce) {
      ++under_way;
      Begin(delivery, now);
    }
  }
  for (const auto& [id, delivered] : over) {
    deliveries_.erase(id);
    settled_(id, delivered);
  }
}

void Webhooks::Close() {
  for (const auto& [id, delivery] : deliveries_) delivery->Settle(false);
  deliveries_.clear();
}

}  // namespace ringway::gateway
