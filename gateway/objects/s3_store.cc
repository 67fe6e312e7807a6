#include "gateway/objects/s3_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/objects/s3_answers.h"
#include "gateway/objects/xml_text.h"
#include "runtime/clock.h"

namespace ringway::gateway::objects {
namespace {

constexpr std::size_t kAnswerHeaderBytesMax = 16 << 10;
// In ticks of a quarter of a second.
constexpr std::uint32_t kKeptConnectTicks = 12, kKeptIdleTicks = 40, kKeptStallTicks = 40;
// A denied call may have company that is denied too: the file is not read for each of them.
constexpr Duration kCredentialsPause = Seconds(1);

}  // namespace

S3Store::S3Store(runtime::EventLoop& loop, S3Settings settings)
    : loop_(loop), settings_(std::move(settings)), resolver_(loop.context()) {}

S3Store::~S3Store() { Close(); }

void S3Store::Close() {
  *alive_ = false;
  for (const Request& request : std::exchange(requests_, {})) request->Abandon();
  for (const auto& connection : std::exchange(idle_, {})) connection->Abandon();
}

std::string S3Store::name() const {
  return absl::StrCat("http://", settings_.place.authority, "/", settings_.place.bucket, "/",
                      settings_.place.prefix);
}

std::string S3Store::PathOf(const std::string& key) const {
  return absl::StrCat("/", settings_.place.bucket, "/", settings_.place.prefix, key);
}

// ---- calls ----

ObjectStore::Call S3Store::Put(const std::string& key, ObjectSource source, Done done) {
  return Begin({.method = "PUT", .path = PathOf(key), .source = std::move(source)},
               [done = std::move(done)](const absl::Status& status, const auto&) { done(status); });
}

ObjectStore::Call S3Store::Get(const std::string& key, std::uint64_t first, std::uint64_t count,
                               ObjectSink& sink) {
  return Begin({.path = PathOf(key),
                .range = absl::StrCat("bytes=", first, "-", first + count - 1),
                .expected = count,
                .sink = &sink},
               {});
}

ObjectStore::Call S3Store::GetSmall(const std::string& key, GotSmall done) {
  return Begin({.path = PathOf(key)},
               [done = std::move(done)](const absl::Status& status, const S3Request::Answer& answer) {
                 if (!status.ok()) return done(status);
                 done(answer.body);
               });
}

ObjectStore::Call S3Store::Head(const std::string& key, GotSize done) {
  return Begin({.method = "HEAD", .path = PathOf(key)},
               [done = std::move(done)](const absl::Status& status, const S3Request::Answer& answer) {
                 if (!status.ok()) return done(status);
                 done(answer.length);
               });
}

ObjectStore::Call S3Store::Delete(const std::string& key, Done done) {
  return Begin({.method = "DELETE", .path = PathOf(key)},
               [done = std::move(done)](const absl::Status& status, const auto&) {
                 done(absl::IsNotFound(status) ? absl::OkStatus() : status);
               });
}

ObjectStore::Call S3Store::List(const std::string& prefix, const std::string& after, std::size_t count,
                                GotList done) {
  const std::string& ours = settings_.place.prefix;
  S3Request::Plan plan{
      .path = absl::StrCat("/", settings_.place.bucket),
      .query = {{"list-type", "2"}, {"max-keys", absl::StrCat(count)}, {"prefix", ours + prefix}},
      .collected_max = kXmlBytesMax};
  if (!after.empty()) plan.query["start-after"] = ours + after;
  return Begin(std::move(plan),
               [done = std::move(done), ours, prefix, after](const absl::Status& status, const auto& answer) {
                 if (!status.ok()) return done(status);
                 auto list = ReadList(answer.body, ours + prefix, after.empty() ? "" : ours + after);
                 if (!list) return done(absl::DataLossError("it answers with something that is no list"));
                 for (std::string& key : list->keys) key.erase(0, ours.size());
                 done(*std::move(list));
               });
}

// ---- the way of a request ----

ObjectStore::Call S3Store::Begin(S3Request::Plan plan, S3Request::Ended ended) {
  auto request =
      std::make_shared<S3Request>(std::move(plan), std::move(ended),
                                  [this, alive = alive_](const Request& over, const absl::Status& status,
                                                         std::shared_ptr<http::OriginConnection> connection) {
                                    if (*alive) OnOver(over, status, std::move(connection));
                                  });
  const bool full = requests_.size() >= kCallsMax;
  requests_.insert(request);
  boost::asio::post(loop_.context(), [this, request, full, alive = alive_] {
    if (!*alive || request->over()) return;
    if (full) return request->Fail(absl::UnavailableError("too many calls to it are under way"));
    Hash(request);
  });
  return request;
}

// A piece a turn: other clients' bytes move in between.
void S3Store::Hash(const Request& request) {
  if (request->over()) return;
  if (request->HashMore()) {
    if (!request->over()) Dispatch(request, false);
    return;
  }
  boost::asio::post(loop_.context(), [this, request, alive = alive_] {
    if (*alive) Hash(request);
  });
}

void S3Store::Dispatch(const Request& request, bool fresh) {
  if (endpoint_) return SendOn(request, fresh);
  resolver_.async_resolve(
      settings_.place.host, settings_.place.port,
      [this, request, fresh, alive = alive_](const boost::system::error_code& failed, const auto& hosts) {
        if (!*alive || request->over()) return;
        if (failed || hosts.empty()) {
          return request->Fail(absl::UnavailableError(
              absl::StrCat(settings_.place.host, " cannot be resolved: ", failed.message())));
        }
        endpoint_ = hosts.begin()->endpoint();
        SendOn(request, fresh);
      });
}

void S3Store::SendOn(const Request& request, bool fresh) {
  if (stale_) RefreshCredentials();
  std::shared_ptr<http::OriginConnection> connection;
  while (!fresh && connection == nullptr && !idle_.empty()) {
    if (idle_.back()->ready()) connection = idle_.back();
    idle_.pop_back();
  }
  const bool reused = connection != nullptr;
  if (!reused)
    connection = std::make_shared<http::OriginConnection>(loop_.context(), *endpoint_, kAnswerHeaderBytesMax);
  request->again = [this, weak = std::weak_ptr<S3Request>(request), alive = alive_] {
    if (const Request again = weak.lock(); again != nullptr && *alive) Dispatch(again, true);
  };
  request->Send(std::move(connection), HeadOf(*request), reused);
}

std::string S3Store::HeadOf(const S3Request& request) const {
  const S3Request::Plan& plan = request.plan();
  const Time now = runtime::WallNow();
  SignedRequest signed_request{.method = plan.method,
                               .path = plan.path,
                               .query = plan.query,
                               .fields = {{"host", settings_.place.authority},
                                          {"x-amz-content-sha256", request.body_sha256()},
                                          {"x-amz-date", AmzDate(now)}},
                               .body_sha256 = request.body_sha256()};
  if (!settings_.credentials.session_token.empty())
    signed_request.fields["x-amz-security-token"] = settings_.credentials.session_token;
  if (!plan.range.empty()) signed_request.fields["range"] = plan.range;
  std::string head = absl::StrCat(plan.method, " ", UriEncoded(plan.path, true),
                                  plan.query.empty() ? "" : "?", CanonicalQuery(plan.query), " HTTP/1.1\r\n");
  for (const auto& [name, value] : signed_request.fields) absl::StrAppend(&head, name, ": ", value, "\r\n");
  absl::StrAppend(&head, "Authorization: ",
                  Authorization(signed_request, settings_.credentials, settings_.region, now), "\r\n");
  if (plan.method == "PUT")
    absl::StrAppend(&head, "Content-Type: application/octet-stream\r\nContent-Length: ", plan.source.bytes,
                    "\r\n");
  return head + "\r\n";
}

void S3Store::OnOver(const Request& request, const absl::Status& status,
                     std::shared_ptr<http::OriginConnection> connection) {
  requests_.erase(request);
  stale_ = stale_ || absl::IsPermissionDenied(status);
  if (connection == nullptr) {
    // The server may have moved.
    endpoint_.reset();
    return;
  }
  if (!connection->ready()) return;
  if (idle_.size() < kIdleMax) return idle_.push_back(std::move(connection));
  connection->Abandon();
}

void S3Store::RefreshCredentials() {
  const Time now = runtime::MonotonicNow();
  if (settings_.credentials_file.empty() || now - read_at_ < kCredentialsPause) return;
  read_at_ = now;
  stale_ = false;
  // A file that is being replaced may be missing for a moment: the old ones stay until there are others.
  if (auto read = LoadCredentials(settings_.credentials_file); read.ok())
    settings_.credentials = *std::move(read);
}

void S3Store::OnTick(Time now) {
  for (const Request& request : std::set<Request>(requests_)) request->OnTick(now);
  for (const auto& connection : idle_) connection->OnTick(kKeptConnectTicks, kKeptIdleTicks, kKeptStallTicks);
  std::erase_if(idle_, [](const auto& connection) { return !connection->ready(); });
}

}  // namespace ringway::gateway::objects
