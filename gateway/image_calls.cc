#include "gateway/image_calls.h"

#include <utility>

namespace ringway::gateway {
namespace {

constexpr std::size_t kAnswerWindowBytes = std::size_t{512} << 10;

}  // namespace

void ImageCalls::Refuse(Exchange& exchange, const ImageRefusal& refusal) {
  Drop(exchange);
  endings_.refuse(exchange, refusal);
}

void ImageCalls::Drop(Exchange& exchange) {
  const std::unique_ptr<ImageCall> images = std::move(exchange.images);
  if (images == nullptr) return;
  for (const std::string& id : images->ids()) watchers_.Remove(exchange.client.tag, id);
  images->Forsake(jobs_);
}

void ImageCalls::Begin(Exchange& exchange, const VideoOrder& order, const Passage& passage) {
  exchange.images = std::make_unique<ImageCall>();
  if (const auto refused = exchange.images->Begin(jobs_, order, passage)) return Refuse(exchange, *refused);
  exchange.stage = Exchange::Stage::kImages;
  for (const std::string& id : exchange.images->ids()) watchers_.Add(exchange.client.tag, id);
  OnNews(exchange);  // all of a key's jobs may be over already
}

void ImageCalls::OnNews(Exchange& exchange) {
  if (const auto refused = exchange.images->Refused(jobs_)) return Refuse(exchange, *refused);
  if (!exchange.images->AllOver(jobs_)) return;
  if (const auto refused = exchange.images->Compose(jobs_)) return Refuse(exchange, *refused);
  exchange.stage = Exchange::Stage::kAnswer;
  exchange.images->Forsake(jobs_);
  metrics_.CountRequest(exchange.route.kind, 200);
  http::ServerConnection& client = exchange.client;
  client.BeginResponse(200, "OK");
  client.AddField("Content-Type", "application/json");
  exchange.fields.AddTo(client);
  client.AddField("Cache-Control", "no-store");
  client.EndHead(http::Framing::kLength, exchange.images->answer().length());
  Send(exchange);
}

void ImageCalls::Send(Exchange& exchange) {
  http::ServerConnection& client = exchange.client;
  Base64Answer& answer = exchange.images->answer();
  while (!answer.done() && client.queued() < kAnswerWindowBytes) {
    const auto piece = answer.Next();
    if (!piece) {
      log_.Error("images: a result is shorter than its record says");
      endings_.release(client.tag);
      return client.Abort();
    }
    client.SendBody(*piece);
    // When the kernel takes everything at once, nobody calls.
    if (client.queued() >= kAnswerWindowBytes) client.Push();
  }
  if (!answer.done()) return;
  endings_.release(client.tag);
  client.EndResponse();
}

}  // namespace ringway::gateway
