#include "gateway/front.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "core/json.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/video_id.h"
#include "gateway/objects/s3_store.h"
#include "gateway/openapi.h"
#include "runtime/clock.h"
#include "runtime/http/site_check.h"

namespace ringway::gateway {
namespace {

constexpr std::string_view kJson = "application/json";
// Connections are many and long here; heads are short.
constexpr std::size_t kRequestHeaderBytesMax = 8 << 10;
// A comment on a quiet stream of events, so that a client that vanished is noticed and proxies keep it open.
constexpr Duration kEventsPause = Seconds(15);
constexpr std::size_t kKeyBytesMax = 255;

http::ListenerSettings ListenerOf(const VideosSettings& settings) {
  http::ListenerSettings listener;
  listener.listen = settings.listen;
  listener.connections_max = settings.connections_max;
  listener.header_bytes_max = kRequestHeaderBytesMax;
  return listener;
}

std::unique_ptr<SharedFilms> SharedOf(runtime::EventLoop& loop, const VideosSettings& settings,
                                      VideoJobs& jobs, VideosMetrics& metrics, const runtime::Logger& log) {
  if (!settings.shared_store) return nullptr;
  return std::make_unique<SharedFilms>(
      std::make_unique<objects::S3Store>(loop, *settings.shared_store), settings.router,
      settings.limits.expiry, metrics, log,
      SharedFilms::Ties{.find = [&jobs](const std::string& id) { return jobs.table().Find(id); },
                        .open = [&jobs](const std::string& id) { return jobs.store().OpenResult(id); },
                        .shared = [&jobs](const std::string& id) { jobs.MarkShared(id); },
                        .unshared = [&jobs](const std::string& id) { jobs.MarkUnshared(id); },
                        .deleted = [&jobs](const std::string& id) { jobs.Delete(id); }});
}

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

std::string RetryAfter(double seconds) {
  return absl::StrCat("Retry-After: ", static_cast<int>(std::ceil(std::clamp(seconds, 1.0, 3600.0))), "\r\n");
}

// The router that hands a request on has given it a name.
AnswerFields FieldsOf(const http::Head& head, const std::vector<std::string>& origins, Rng& names) {
  AnswerFields fields{.origin = AllowedOrigin(head, origins)};
  if (head.Find(kRelayedField) != nullptr) {
    const auto given = HeaderText::Parse(head.Value(kRequestIdField));
    fields.request_id = given ? given->text() : "";
  }
  if (fields.request_id.empty()) {
    const absl::Hex first(names.Next(), absl::kZeroPad16), second(names.Next(), absl::kZeroPad16);
    fields.request_id = absl::StrCat("req_", first, second);
  }
  return fields;
}

}  // namespace

Front::Front(runtime::EventLoop& loop, const VideosSettings& settings, VideosMetrics& metrics,
             const runtime::Logger& log)
    : loop_(loop),
      settings_(settings),
      metrics_(metrics),
      log_(log),
      jobs_(loop, settings_, log, static_cast<NewsSink&>(*this)),
      shared_(SharedOf(loop, settings_, jobs_, metrics, log)),
      peers_(loop, settings.fleet_token),
      webhooks_(loop, settings_.webhook_hosts, settings_.webhook_key,
                [this](const std::string& id, bool delivered) {
                  metrics_.CountWebhook(delivered);
                  if (!delivered)
                    log_.Warning(absl::StrCat("videos: the webhook of ", id, " could not be delivered"));
                  jobs_.SettleWebhook(id);
                }),
      orders_(loop),
      listener_(loop, ListenerOf(settings_), static_cast<http::Application&>(*this)),
      images_(jobs_, watching_, metrics_, log_,
              {.refuse =
                   [this](Exchange& exchange, const ImageRefusal& refusal) {
                     Refuse(exchange, refusal.status, refusal.code, refusal.message, refusal.retry_after_s,
                            refusal.field);
                   },
               .release = [this](std::uint64_t tag) { Release(tag); }}),
      previews_(loop, jobs_, shared_.get(), log_),
      films_(jobs_, shared_.get(), previews_, metrics_, log_,
             {.say = [this](Exchange& exchange, int status, std::string_view fields,
                            std::string_view json) { Say(exchange, status, fields, json); },
              .refuse =
                  [this](Exchange& exchange, int status, std::string_view code, std::string_view message,
                         double retry_after_s, std::string_view field) {
                    Refuse(exchange, status, code, message, retry_after_s, field);
                  },
              .release = [this](std::uint64_t tag) { Release(tag); },
              .find =
                  [this](std::uint64_t tag) {
                    const auto found = exchanges_.find(tag);
                    return found == exchanges_.end() ? nullptr : found->second.get();
                  }}),
      request_ids_(jobs_.DrawSeed() ^ static_cast<std::uint64_t>(ToUnixNanos(runtime::WallNow()))) {
  jobs_.Use(shared_.get());
}

Front::~Front() = default;

absl::Status Front::Open() {
  if (absl::Status opened = jobs_.Open(); !opened.ok()) return opened;
  return listener_.Listen();
}

void Front::Start(std::unique_ptr<v1::Ingress::Stub> ingress) {
  jobs_.Connect(std::move(ingress));
  orders_.Start();
  previews_.Start();
  tick_ = std::make_unique<runtime::Alarm>(loop_, [this] { OnTick(); });
  verdict_alarm_ = std::make_unique<runtime::Alarm>(loop_, [this] { OnVerdictsDue(); });
  OnTick();
}

void Front::Use(const FleetSummary& summary) {
  summary_ = summary;
  models_.Use(summary);
  peers_.Use(summary);
}

void Front::Close() {
  tick_.reset();
  verdict_alarm_.reset();
  orders_.Close();
  previews_.Close();
  jobs_.CancelAll();
  webhooks_.Close();
  for (auto& [tag, exchange] : exchanges_) {
    if (exchange->relay != nullptr) exchange->relay->Abandon();
    if (exchange->list != nullptr) exchange->list->Abandon();
    if (exchange->shared_list != nullptr) exchange->shared_list->Abandon();
  }
  exchanges_.clear();
  if (shared_ != nullptr) shared_->Close();
  watching_.Clear();
  listener_.Close();
}

// ---- requests ----

Exchange* Front::Of(const http::ServerConnection& client) {
  const auto found = exchanges_.find(client.tag);
  return found == exchanges_.end() ? nullptr : found->second.get();
}

// False: the request has been answered without looking at its body.
bool Front::Admit(http::ServerConnection& client, const http::Head& head, const Route& route,
                  const AnswerFields& common) {
  int status = 0;
  std::string code, message, fields, field;
  if (!common.origin.empty() && IsPreflight(head)) {
    client.tag = 0;
    client.Reply(200, "text/plain", absl::StrCat(common.Lines(), PreflightLines(head)), "");
    return false;
  }
  const bool open = settings_.token.empty();
  const bool checked = open && common.origin.empty();
  const std::string_view foreign = checked ? http::ForeignSite(head) : std::string_view();
  if (open && !http::IsKnownHost(head, settings_.hosts)) {
    status = 403, code = "unknown_host";
    message = absl::StrCat("Host is '", HeaderText::Escaped(head.Value("Host")).text(),
                           "'; allowed are an address, localhost, and the names given with --videos-host");
  } else if (!foreign.empty()) {
    status = 403, code = "foreign_site";
    message = absl::StrCat(std::string(foreign), "; pages of other sites may not use this API");
  } else if (route.kind == Route::Kind::kUnknown) {
    status = 404, code = "unknown_route";
    message = "there is nothing at this path; /openapi.json says what there is";
  } else if (route.kind == Route::Kind::kOtherMethod) {
    status = 405, code = "method_not_allowed", message = "this path serves " + route.allow;
    fields = "Allow: " + route.allow + "\r\n";
  } else if (route.kind != Route::Kind::kOpenApi && !open && !http::CarriesToken(head, settings_.token)) {
    status = 401, code = "invalid_api_key", message = "this API wants a key: Authorization: Bearer KEY";
    fields = "WWW-Authenticate: Bearer\r\n";
  } else if (route.creates() && draining_) {
    status = 503, code = "draining", message = "this router is leaving and takes no new jobs; ask another";
    fields = RetryAfter(1);
  } else if (head.framing == http::Framing::kLength && head.length > settings_.body_bytes_max) {
    status = 413, code = "body_too_large";
    message = absl::StrCat("the body has ", head.length, " bytes; allowed are ", settings_.body_bytes_max);
  } else if (body_bytes_ + jobs_.payload_bytes() > settings_.bodies_bytes_max && route.creates()) {
    status = 429, code = "overloaded", fields = RetryAfter(1);
    message = "the pictures that arrive here take all the memory that there is for them";
  } else if (!HeaderText::Parse(head.Value(kKeyField), kKeyBytesMax)) {
    status = 400, code = "invalid_request", field = kKeyField;
    message = absl::StrCat("Idempotency-Key is longer than ", kKeyBytesMax, " bytes or not printable ASCII");
  }
  if (status == 0) return true;
  metrics_.CountRequest(route.kind, status);
  client.tag = 0;
  client.Reply(status, kJson, common.Lines(fields), ErrorJson(status, code, message, field));
  return false;
}

void Front::OnRequest(http::ServerConnection& client, const http::Head& head) {
  Route route = ReadRoute(head.method, head.target);
  AnswerFields fields = FieldsOf(head, settings_.cors_origins, request_ids_);
  if (!Admit(client, head, route, fields)) return;
  client.tag = ++last_tag_;
  auto& place = exchanges_[client.tag] = std::make_unique<Exchange>(client);
  Exchange& exchange = *place;
  exchange.since = runtime::MonotonicNow();
  exchange.route = std::move(route);
  exchange.fields = std::move(fields);
  exchange.head_only = head.method == "HEAD";
  exchange.relayed = head.Find(kRelayedField) != nullptr;
  const auto copy = [&head](std::string_view name) { return std::string(head.Value(name)); };
  exchange.target = std::string(head.target);
  exchange.content_type = copy("Content-Type");
  exchange.authorization = copy("Authorization");
  exchange.key = copy(kKeyField);
  // A trace context that is not well formed is left out (W3C Trace Context, 3.2).
  const auto trace = [&head](std::string_view name) {
    const auto value = HeaderText::Parse(head.Value(name));
    return value ? value->text() : "";
  };
  exchange.traceparent = trace("traceparent");
  exchange.tracestate = exchange.traceparent.empty() ? "" : trace("tracestate");
  exchange.range = copy("Range");
  exchange.if_range = copy("If-Range");
  client.Continue();
}

void Front::OnRequestBody(http::ServerConnection& client, std::string_view bytes) {
  Exchange* const exchange = Of(client);
  if (exchange == nullptr || exchange->stage != Exchange::Stage::kBody) return;
  const bool too_large = exchange->body.size() + bytes.size() > settings_.body_bytes_max;
  if (too_large) {
    return Refuse(
        *exchange, 413, "body_too_large",
        absl::StrCat("the body has more than the ", settings_.body_bytes_max, " bytes that are allowed"));
  }
  if (body_bytes_ + bytes.size() > settings_.bodies_bytes_max) {
    return Refuse(*exchange, 429, "overloaded",
                  "the pictures that arrive here take all the memory that there is for them", 1);
  }
  body_bytes_ += bytes.size();
  exchange->body_bytes += bytes.size();
  exchange->body.append(bytes);
}

void Front::OnRequestEnd(http::ServerConnection& client) {
  if (Exchange* const exchange = Of(client)) Answer(*exchange);
}

void Front::Answer(Exchange& exchange) {
  exchange.since = runtime::MonotonicNow();
  switch (exchange.route.kind) {
    case Route::Kind::kCreate:
    case Route::Kind::kCreateSync:
    case Route::Kind::kImage:
    case Route::Kind::kImageEdit:
    case Route::Kind::kImageVariation:
      return Create(exchange);
    case Route::Kind::kModels:
    case Route::Kind::kModel:
      return Models(exchange);
    case Route::Kind::kList:
      return List(exchange);
    case Route::Kind::kOpenApi:
      return Say(exchange, 200, "", OpenApiDocument());
    default:
      return Read(exchange);
  }
}

void Front::OnClientGone(http::ServerConnection& client) {
  Exchange* const exchange = Of(client);
  if (exchange == nullptr) return;
  // Nobody waits for the result any more, and nobody was given an id to ask for it.
  const std::string unwanted =
      exchange->stage == Exchange::Stage::kSync && exchange->key.empty() ? exchange->video : "";
  images_.Drop(*exchange);
  Release(client.tag);
  if (!unwanted.empty()) jobs_.Delete(unwanted);
}

void Front::OnClientDrained(http::ServerConnection& client) {
  Exchange* const exchange = Of(client);
  if (exchange == nullptr) return;
  if (exchange->stage == Exchange::Stage::kRelay) return exchange->relay->OnClientDrained();
  if (exchange->stage == Exchange::Stage::kContent) return films_.OnDrained(*exchange);
  if (exchange->stage == Exchange::Stage::kAnswer) return images_.OnDrained(*exchange);
  if (exchange->stage != Exchange::Stage::kEvents || !std::exchange(exchange->behind, false)) return;
  if (const Video* video = jobs_.table().Find(exchange->video))
    SendEvent(*exchange, *video, "video.progress");
}

// The exchange is over: forgets it.
void Front::Release(std::uint64_t tag) {
  const auto found = exchanges_.find(tag);
  if (found == exchanges_.end()) return;
  Exchange& exchange = *found->second;
  body_bytes_ -= exchange.body_bytes;
  if (exchange.relay != nullptr) exchange.relay->Abandon();
  if (exchange.list != nullptr) exchange.list->Abandon();
  if (exchange.shared_list != nullptr) exchange.shared_list->Abandon();
  watching_.Remove(tag, exchange.video);
  if (exchange.images != nullptr)
    for (const std::string& id : exchange.images->ids()) watching_.Remove(tag, id);
  exchange.client.tag = 0;
  exchanges_.erase(found);
}

// ---- answers ----

void Front::Say(Exchange& exchange, int status, std::string_view fields, std::string_view json) {
  metrics_.CountRequest(exchange.route.kind, status);
  http::ServerConnection& client = exchange.client;
  const std::string lines = exchange.fields.Lines(fields);
  Release(client.tag);
  client.Reply(status, kJson, lines, json);
}

void Front::Refuse(Exchange& exchange, int status, std::string_view code, std::string_view message,
                   double retry_after_s, std::string_view field) {
  if (status >= 500) {
    log_.Warning(absl::StrCat("videos: ", exchange.fields.request_id, " ",
                              View(RouteName(exchange.route.kind)), ": ", status, " ", View(code), ": ",
                              View(message)));
  }
  const bool again = status == 429 || status == 503 || retry_after_s > 0;
  Say(exchange, status, again ? RetryAfter(retry_after_s) : "", ErrorJson(status, code, message, field));
}

void Front::RefuseField(Exchange& exchange, const absl::Status& status) {
  Refuse(exchange, 400, "invalid_request", std::string(status.message()), 0, FieldOf(status));
}

void Front::SayVideo(Exchange& exchange, const Video& video) {
  Say(exchange, 200, "", VideoJson(video, OwnerOf(video.id)));
}

// ---- time ----

void Front::OnTick() {
  const Time now = runtime::MonotonicNow();
  jobs_.OnTick();
  if (shared_ != nullptr) shared_->OnTick(now);
  peers_.OnTick();
  webhooks_.OnTick(now);
  // By tag: a tick may end its exchange, and others with it.
  std::vector<std::uint64_t> tags;
  tags.reserve(exchanges_.size());
  for (const auto& [tag, exchange] : exchanges_) tags.push_back(tag);
  for (const std::uint64_t tag : tags) {
    if (const auto found = exchanges_.find(tag); found != exchanges_.end()) TickExchange(*found->second, now);
  }
  metrics_.Show({.connections = listener_.connections(),
                 .streams = static_cast<std::size_t>(std::count_if(
                     exchanges_.begin(), exchanges_.end(),
                     [](const auto& entry) { return entry.second->stage == Exchange::Stage::kEvents; })),
                 .live = jobs_.table().live(),
                 .records = jobs_.table().size(),
                 .stored_bytes = jobs_.table().stored_bytes(),
                 .body_bytes = body_bytes_ + jobs_.payload_bytes()});
  tick_->Arm(now + http::Listener::kTick);
}

void Front::TickExchange(Exchange& exchange, Time now) {
  switch (exchange.stage) {
    case Exchange::Stage::kBody:
      // A body that trickles in is bounded as a whole, not only while it stands still.
      if (now - exchange.since > settings_.body_limit) {
        Refuse(exchange, 408, "body_too_slow",
               absl::StrCat("the body did not come within ", absl::FormatDuration(settings_.body_limit)));
      }
      return;
    case Exchange::Stage::kEvents:
      if (now - exchange.said_at > kEventsPause && exchange.client.queued() == 0) {
        exchange.said_at = now;
        exchange.client.SendBody(": still here\n\n");
        exchange.client.Push();
      }
      return;
    case Exchange::Stage::kRelay: {
      const std::shared_ptr<Relay> relay = exchange.relay;
      return relay->OnTick(now);
    }
    case Exchange::Stage::kList: {
      const std::shared_ptr<FleetList> list = exchange.list;
      const std::shared_ptr<SharedList> shared = exchange.shared_list;
      if (list != nullptr) list->OnTick(now);
      if (shared != nullptr) shared->OnTick(now);
      return;
    }
    case Exchange::Stage::kReading:
    case Exchange::Stage::kVerdict:
    case Exchange::Stage::kSync:
    case Exchange::Stage::kImages:
    case Exchange::Stage::kAnswer:
    case Exchange::Stage::kContent:
    case Exchange::Stage::kPreview:
    case Exchange::Stage::kLookup:
      return;
  }
}

void Front::OnWebhookDue(const Video& video) {
  const bool done = video.state == State::kCompleted;
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject()
      .Key("id")
      .Text(absl::StrCat("evt_", video.id, "_", video.run))
      .Key("object")
      .Text("event");
  json.Key("created_at").Integer(video.ended_s).Key("type").Text(done ? "video.completed" : "video.failed");
  json.Key("data").Raw(VideoJson(video, settings_.router)).End();
  webhooks_.Call(video.id, video.webhook_url, json.text());
}

void Front::OnNews(const Video& video, std::string_view event) {
  metrics_.CountEvent(event, IsImageId(video.id));
  for (const std::uint64_t tag : watching_.Of(video.id)) {
    const auto found = exchanges_.find(tag);
    if (found == exchanges_.end()) continue;
    Exchange& exchange = *found->second;
    if (exchange.stage == Exchange::Stage::kVerdict)
      OnVerdict(exchange, video, event);
    else if (exchange.stage == Exchange::Stage::kSync)
      OnSyncNews(exchange, video);
    else if (exchange.stage == Exchange::Stage::kImages)
      images_.OnNews(exchange);
    else if (exchange.stage == Exchange::Stage::kEvents)
      SendEvent(exchange, video, event);
  }
}

}  // namespace ringway::gateway
