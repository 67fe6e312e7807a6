#include "controller/daemon/web_front.h"

#include <utility>

#include "controller/daemon/build.h"
#include "core/json.h"
#include "web/files.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kInboxBusy = runtime::EventLoop::kInboxMax / 2;
constexpr std::string_view kJson = "application/json; charset=utf-8";

// Nothing from elsewhere, nothing inline, in no frame; a page that somebody slips in could do nothing.
constexpr std::pair<std::string_view, std::string_view> kProtection[] = {
    {"Content-Security-Policy",
     "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"}};

std::string_view Reason(int status) {
  switch (status) {
    case 304:
      return "Not Modified";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 415:
      return "Unsupported Media Type";
    case 503:
      return "Service Unavailable";
    default:
      return http::ReasonOf(status);
  }
}

int StatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kInvalidArgument:
      return 400;
    case absl::StatusCode::kFailedPrecondition:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 503;
    default:
      return 500;
  }
}

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

WebFront::WebFront(runtime::EventLoop& loop, Dashboard& screen, WebAccess access, Pages pages)
    : loop_(loop), screen_(screen), access_(std::move(access)), pages_(std::move(pages)) {}

void WebFront::Publish(LiveFeed::Frame frame) {
  (void)loop_.Post([this, frame = std::move(frame)]() mutable { feed_.Send(std::move(frame)); });
}

// ---- requests ----

void WebFront::OnRequest(http::ServerConnection& client, const http::Head& head) {
  if (head.method == "GET" || head.method == "HEAD") return Get(client, head);
  if (head.method == "POST") return Post(client, head);
  Refuse(client, 405, "only GET, HEAD and POST are known here");
}

void WebFront::Get(http::ServerConnection& client, const http::Head& head) {
  const std::string_view path = PathOf(head.target);
  if (const auto page = pages_.find(path); page != pages_.end()) {
    const runtime::HttpReply reply = page->second();
    return Reply(client, reply.status, reply.content_type, "no-store", reply.body);
  }
  if (const WebVerdict verdict = MayAsk(access_, head); !verdict) {
    return Refuse(client, verdict.status, verdict.why);
  }
  if (path.starts_with(kApiPrefix)) return GetDocument(client, head);
  if (!GetFile(client, head)) Refuse(client, 404, "no such page");
}

bool WebFront::GetFile(http::ServerConnection& client, const http::Head& head) {
  for (const web::File& file : web::Files()) {
    if (file.path != PathOf(head.target)) continue;
    const bool known = http::ListHas(head.Value("If-None-Match"), file.tag);
    BeginHead(client, known ? 304 : 200, file.content_type);
    client.AddField("Cache-Control", "no-cache");
    client.AddField("ETag", file.tag);
    client.EndHead(known ? http::Framing::kNone : http::Framing::kLength, file.bytes.size());
    if (!known) client.SendBody(file.bytes);
    client.EndResponse();
    return true;
  }
  return false;
}

void WebFront::GetDocument(http::ServerConnection& client, const http::Head& head) {
  const std::string_view name = PathOf(head.target).substr(kApiPrefix.size());
  if (name == "ability") return Reply(client, 200, kJson, "no-store", AbilityDocument());
  if (const WebVerdict verdict = MaySee(access_, head); !verdict) {
    return Refuse(client, verdict.status, verdict.why);
  }
  if (name == "live") return Watch(client, head);
  auto call = FindDocument(head.target);
  if (!call.ok()) return Refuse(client, StatusOf(call.status()), std::string(call.status().message()));
  if (*call == nullptr) return Refuse(client, 404, "no such document; docs/dashboard.md lists them");
  Ask(client, *std::move(call));
}

std::string WebFront::AbilityDocument() const {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("build").Text(kBuild);
  json.Key("token").Flag(!access_.token.empty());
  json.Key("writes").Flag(access_.writes);
  json.End();
  return json.text();
}

void WebFront::Watch(http::ServerConnection& client, const http::Head& head) {
  if (feed_.full()) return Refuse(client, 503, "as many watch already as this controller serves");
  BeginHead(client, 200, "text/event-stream");
  client.AddField("Cache-Control", "no-store");
  client.EndHead(http::Framing::kChunked);
  if (head.method == "HEAD") return client.EndResponse();
  feed_.Add(client);
}

void WebFront::Post(http::ServerConnection& client, const http::Head& head) {
  const WebPost post = FindPost(PathOf(head.target));
  if (post == WebPost::kNone) return Refuse(client, 404, "nothing is taken here");
  const WebVerdict verdict = post == WebPost::kDryRun ? MayPost(access_, head) : MayOrder(access_, head);
  if (!verdict) return Refuse(client, verdict.status, verdict.why);
  if (head.length > kBodyMax) return Refuse(client, 413, "the body is larger than any request here can be");
  client.tag = next_tag_++;
  exchanges_[client.tag] = {&client, post, {}};
  if (head.expects_continue) client.Continue();
}

void WebFront::OnRequestBody(http::ServerConnection& client, std::string_view bytes) {
  const auto exchange = exchanges_.find(client.tag);
  if (exchange == exchanges_.end()) return;
  std::string& body = exchange->second.body;
  if (body.size() + bytes.size() <= kBodyMax) return void(body.append(bytes));
  exchanges_.erase(exchange);
  Refuse(client, 413, "the body is larger than any request here can be");
}

void WebFront::OnRequestEnd(http::ServerConnection& client) {
  const auto exchange = exchanges_.find(client.tag);
  if (exchange == exchanges_.end() || exchange->second.post == WebPost::kNone) return;
  auto call = ReadPost(exchange->second.post, exchange->second.body, client.peer());
  exchanges_.erase(exchange);
  if (!call.ok()) return Refuse(client, StatusOf(call.status()), std::string(call.status().message()));
  Ask(client, *std::move(call));
}

void WebFront::OnClientGone(http::ServerConnection& client) {
  if (!feed_.Remove(client)) exchanges_.erase(client.tag);
}

void WebFront::OnClientDrained(http::ServerConnection& client) { feed_.Drained(client); }

// ---- answers ----

void WebFront::Ask(http::ServerConnection& client, WebCall call) {
  runtime::EventLoop& control = screen_.control().loop();
  client.tag = next_tag_++;
  const std::uint64_t tag = client.tag;
  const bool crowded = control.inbox_depth() > kInboxBusy;
  const bool posted = !crowded && control.Post([this, tag, call = std::move(call)] {
    call(screen_, [this, tag](absl::StatusOr<std::string> json) {
      (void)loop_.Post([this, tag, json = std::move(json)] { Answer(tag, json); });
    });
  });
  if (!posted) return Refuse(client, 503, "the controller is busy, try again");
  exchanges_[tag] = {&client, WebPost::kNone, {}};
}

void WebFront::Answer(std::uint64_t tag, const absl::StatusOr<std::string>& json) {
  const auto exchange = exchanges_.find(tag);
  if (exchange == exchanges_.end()) return;  // the client has left
  http::ServerConnection& client = *exchange->second.client;
  exchanges_.erase(exchange);
  if (json.ok()) return Reply(client, 200, kJson, "no-store", *json);
  Refuse(client, StatusOf(json.status()), std::string(json.status().message()));
}

void WebFront::BeginHead(http::ServerConnection& client, int status, std::string_view type) {
  client.BeginResponse(status, Reason(status));
  client.AddField("Content-Type", type);
  for (const auto& [name, value] : kProtection) client.AddField(name, value);
  if (status == 401) client.AddField("WWW-Authenticate", "Bearer");
  if (status == 503) client.AddField("Retry-After", "1");
}

void WebFront::Reply(http::ServerConnection& client, int status, std::string_view type,
                     std::string_view cache, std::string_view body) {
  BeginHead(client, status, type);
  client.AddField("Cache-Control", cache);
  client.EndHead(http::Framing::kLength, body.size());
  client.SendBody(body);
  client.EndResponse();
}

void WebFront::Refuse(http::ServerConnection& client, int status, std::string_view why) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("error").BeginObject();
  json.Key("message").Text(why);
  json.End().End();
  Reply(client, status, kJson, "no-store", json.text());
}

}  // namespace ringway::controller
