#include "gateway/webhooks.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/webhook_url.h"
#include "gateway/webhook_signature.h"
#include "runtime/clock.h"
#include "runtime/http/client_call.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kWebhookField = "webhook_url";

constexpr std::uint64_t kWebhookAnswerBytesMax = 64 << 10;

}  // namespace

// One event on its way.
struct Webhooks::Delivery {
  Delivery(WebhookUrl to, std::string id, std::string json)
      : url(std::move(to)), event(std::move(id)), body(std::move(json)) {}
  http::ClientRequest Request(const std::string& key) const {
    const std::int64_t now_s = ToUnixSeconds(runtime::WallNow());
    http::ClientRequest request{.host = url.host,
                                .port = url.port,
                                .method = "POST",
                                .target = url.target,
                                .fields = {{"User-Agent", "ringway"},
                                           {"Content-Type", "application/json"},
                                           {"webhook-id", event},
                                           {"webhook-timestamp", absl::StrCat(now_s)}},
                                .body = body,
                                .answer_max = kAttemptLimit,
                                .body_bytes_max = kWebhookAnswerBytesMax};
    if (!key.empty()) request.fields.emplace_back("webhook-signature", SignWebhook(key, event, now_s, body));
    return request;
  }

  const WebhookUrl url;
  const std::string event;
  const std::string body;
  int attempts = 0;
  bool done = false;
  Time next = InfinitePast();
  std::optional<http::ClientCall> call;  // of the attempt that is under way
};

Webhooks::Webhooks(runtime::EventLoop& loop, const std::vector<std::string>& hosts, const std::string& key,
                   Settled settled)
    : loop_(loop), hosts_(hosts), key_(key), settled_(std::move(settled)) {}

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
  deliveries_[id] = std::make_unique<Delivery>(*parsed, id, json);
}

void Webhooks::Begin(Delivery& delivery, Time now) {
  ++delivery.attempts;
  delivery.next = now + Seconds(1 << (delivery.attempts - 1));
  delivery.call.emplace(loop_, delivery.Request(key_), [&delivery](const http::ClientAnswer& answer) {
    delivery.done = answer.status / 100 == 2;
    delivery.call.reset();
  });
}

void Webhooks::OnTick(Time now) {
  std::size_t under_way = 0;
  std::vector<std::pair<std::string, bool>> over;
  for (const auto& [id, delivery] : deliveries_) {
    if (delivery->call) {
      ++under_way;
    } else if (delivery->done || delivery->attempts == kAttemptsMax) {
      over.emplace_back(id, delivery->done);
    } else if (now >= delivery->next && under_way < kAtOnce) {
      ++under_way;
      Begin(*delivery, now);
    }
  }
  for (const auto& [id, delivered] : over) {
    deliveries_.erase(id);
    settled_(id, delivered);
  }
}

void Webhooks::Close() { deliveries_.clear(); }

}  // namespace ringway::gateway
