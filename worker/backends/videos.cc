#include "worker/backends/videos.h"

#include <utility>  // before Boost

#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "core/json_reader.h"
#include "runtime/clock.h"

namespace ringway::worker {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using ErrorCode = beast::error_code;

constexpr Duration kDeleteLimit = Seconds(2);
constexpr Duration kPollLimit = Seconds(10);
constexpr std::size_t kVideosMessageBytesMax = 512;
const VideoBody kNoBody;

// One answer; status 0: none came.
struct Answer {
  unsigned status = 0;
  bool connected = false;  // the request may have reached the server
  std::string body;        // of JSON, or of an error
  std::string content_type;
  std::string retry_after;
};

std::string FieldText(beast::string_view text) { return {text.data(), text.size()}; }

// A job as such servers describe it; kReplyBytesMax bounds the text.
constexpr JsonLimits kReplyLimits = {.depth_max = 16, .values_max = 16384};

// Null when it is no JSON that a right answer could be.
Json ObjectOf(const std::string& json) {
  auto object = Json::Parse(json, "the answer", kReplyLimits);
  return object.ok() ? *std::move(object) : Json();
}

std::string TextIn(const Json& object, const char* name) {
  const Json* found = object.Find(name);
  return found == nullptr || found->string() == nullptr ? "" : *found->string();
}

double NumberIn(const Json& object, const char* name) {
  const Json* found = object.Find(name);
  return found == nullptr ? 0 : found->number();
}

std::string MessageIn(const Json& object) {
  const Json* found = object.Find("error");
  return found == nullptr ? "" : TextIn(*found, "message");
}

}  // namespace

// One order, from its submission to its end.
class VideosBackend::Course : public std::enable_shared_from_this<Course> {
 public:
  Course(asio::io_context& context, const VideosUpstream& settings, WorkOrder order, WorkSink& sink)
      : settings_(settings),
        order_(std::move(order)),
        sink_(&sink),
        context_(context),
        pause_(context),
        give_up_(runtime::MonotonicNow() + settings.http.answer_max) {}

  void Begin() {
    asio::co_spawn(
        context_, [self = shared_from_this()] { return self->Go(); }, asio::detached);
  }
  void Cancel() {
    cancelled_ = true;
    pause_.cancel();
    if (stream_) stream_->cancel();
  }
  void Silence() {
    sink_ = nullptr;
    Cancel();
  }

 private:
  asio::awaitable<void> Go() {
    const VideoBody body = settings_.json ? JsonVideoBody(order_) : FormBody(order_);
    const Answer made = co_await Ask(http::verb::post, "", body, settings_.http.answer_max, false);
    if (made.status / 100 != 2) co_return End(RefusedAs(made));
    const std::string id = TextIn(ObjectOf(made.body), "id");
    if (id.empty()) co_return End(Failure("named no id"));
    WorkEnd end = co_await Watch("/" + id);
    if (cancelled_) {
      cancelled_ = false;  // this one is not cut off
      (void)co_await Ask(http::verb::delete_, "/" + id, kNoBody, kDeleteLimit, false);
      end = WorkEnd();
      end.outcome = Outcome::kCancelled;
    }
    End(std::move(end));
  }

  asio::awaitable<WorkEnd> Watch(std::string path) {
    while (!cancelled_ && runtime::MonotonicNow() < give_up_) {
      const Answer answer = co_await Ask(http::verb::get, path, kNoBody, kPollLimit, false);
      if (cancelled_) break;
      if (answer.status / 100 == 4 && answer.status != 429) co_return Failure("lost the job: " + answer.body);
      const Json job = ObjectOf(answer.body);
      const std::string status = answer.status == 200 ? TextIn(job, "status") : "";
      if (status == "completed") co_return co_await Download(path + "/content");
      if (status == "failed") co_return Failure("failed: " + MessageIn(job));
      if (const double progress = NumberIn(job, "progress"); status == "in_progress" && progress > 0) {
        if (sink_ != nullptr) sink_->OnProgress(static_cast<std::uint32_t>(std::min(progress, 100.0)), 100);
      }
      ErrorCode ignored;
      pause_.expires_after(absl::ToChronoMilliseconds(settings_.poll_pause));
      co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    co_return Failure(absl::StrCat("was not done within ", absl::FormatDuration(settings_.http.answer_max)));
  }

  asio::awaitable<WorkEnd> Download(std::string path) {
    const Answer film =
        co_await Ask(http::verb::get, path, kNoBody, give_up_ - runtime::MonotonicNow(), true);
    if (film.status != 200) co_return Failure(absl::StrCat("did not hand out its film: ", film.body));
    WorkEnd end;
    end.content_type = film.content_type;
    co_return end;
  }

  // `film`: the body of a 200 goes to the sink. A broken connection is status 0.
  asio::awaitable<Answer> Ask(http::verb verb, std::string path, const VideoBody& body, Duration limit,
                              bool film) {
    Answer answer;
    ErrorCode failed;
    const auto token = [&failed] { return asio::redirect_error(asio::use_awaitable, failed); };
    Tcp::resolver resolver(context_);
    const UpstreamUrl& to = settings_.http.upstream;
    const auto hosts = co_await resolver.async_resolve(to.host, to.port, token());
    if (failed || cancelled_) co_return answer;
    stream_.emplace(context_);
    stream_->expires_after(absl::ToChronoMilliseconds(std::min(limit, settings_.http.connect_max)));
    co_await stream_->async_connect(hosts, token());
    if (failed || cancelled_) co_return answer;
    answer.connected = true;
    stream_->expires_after(absl::ToChronoMilliseconds(limit));
    http::request<http::string_body> request = Request(verb, path, body);
    co_await http::async_write(*stream_, request, token());
    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(film ? settings_.http.body_bytes_max : kReplyBytesMax);
    // A server may refuse before it has read everything, so a failed write does not keep us from listening.
    co_await http::async_read_header(*stream_, buffer, parser, token());
    if (failed || cancelled_) co_return answer;
    const auto& head = parser.get();
    answer.content_type = FieldText(head[http::field::content_type]);
    answer.retry_after = FieldText(head[http::field::retry_after]);
    std::array<char, kPieceBytes> piece;
    while (!parser.is_done()) {
      parser.get().body().data = piece.data();
      parser.get().body().size = piece.size();
      co_await http::async_read(*stream_, buffer, parser, token());
      if (failed == http::error::need_buffer) failed = {};
      if (failed || cancelled_) co_return answer;
      const std::string_view bytes(piece.data(), piece.size() - parser.get().body().size);
      if (film && head.result_int() == 200) {
        if (sink_ != nullptr && !bytes.empty()) sink_->OnResult(std::string(bytes));
      } else {
        answer.body.append(bytes);
      }
    }
    answer.status = head.result_int();
    co_return answer;
  }

  http::request<http::string_body> Request(http::verb verb, const std::string& path,
                                           const VideoBody& body) const {
    const UpstreamUrl& to = settings_.http.upstream;
    const std::string base = to.target == "/" ? "" : to.target;
    http::request<http::string_body> request(verb, base + "/v1/videos" + path, 11);
    request.set(http::field::host, to.HostHeader());
    request.set(http::field::user_agent, "ringway-worker");
    request.set(http::field::connection, "close");
    if (!order_.request_id.empty()) request.set("X-Request-Id", order_.request_id);
    if (!order_.traceparent.empty()) request.set("traceparent", order_.traceparent);
    if (!order_.tracestate.empty()) request.set("tracestate", order_.tracestate);
    if (!body.content_type.empty()) request.set(http::field::content_type, body.content_type);
    request.body() = body.bytes;
    request.prepare_payload();
    return request;
  }

  WorkEnd RefusedAs(const Answer& answer) const {
    if (cancelled_) return {.outcome = Outcome::kCancelled};
    if (!answer.connected) {
      return {.outcome = Outcome::kBusy,
              .message = absl::StrCat("cannot reach the server behind this worker at ",
                                      settings_.http.upstream.HostHeader(), "; nothing was started")};
    }
    WorkEnd end = Failure(
        absl::StrCat("answered ", answer.status, ": ", answer.body.substr(0, kVideosMessageBytesMax)));
    double seconds = 0;
    if (answer.status == 429 || answer.status == 503) {
      end.outcome = Outcome::kBusy;
      if (absl::SimpleAtod(answer.retry_after, &seconds) && seconds > 0 && seconds < 3600) {
        end.retry_after = Seconds(seconds);
      }
    } else if (answer.status / 100 == 4) {
      end.outcome = Outcome::kRejected;
    }
    return end;
  }

  static WorkEnd Failure(const std::string& why) {
    return {.outcome = Outcome::kFailed, .message = absl::StrCat("the server behind this worker ", why)};
  }

  void End(WorkEnd end) {
    if (WorkSink* sink = std::exchange(sink_, nullptr)) sink->OnEnd(std::move(end));
  }

  const VideosUpstream settings_;  // a copy: the course outlives its backend by a turn
  const WorkOrder order_;
  WorkSink* sink_;
  asio::io_context& context_;
  asio::steady_timer pause_;
  const Time give_up_;
  std::optional<beast::tcp_stream> stream_;  // of the request that is under way
  bool cancelled_ = false;
};

VideosBackend::~VideosBackend() {
  if (auto course = course_.lock()) course->Silence();
}

void VideosBackend::Start(WorkOrder order, WorkSink& sink) {
  RINGWAY_CHECK(course_.expired());
  auto course = std::make_shared<Course>(loop_.context(), settings_, std::move(order), sink);
  course_ = course;
  course->Begin();
}

void VideosBackend::Cancel() {
  if (auto course = course_.lock()) course->Cancel();
}

}  // namespace ringway::worker
