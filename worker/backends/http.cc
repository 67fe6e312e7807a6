#include "worker/backends/http.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"

namespace ringway::worker {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

constexpr std::size_t kHttpMessageBytesMax = 512;
constexpr std::uint32_t kHeaderBytesMax = 64 << 10;

http::request<http::string_body> MakeRequest(const UpstreamUrl& upstream, WorkOrder order) {
  http::request<http::string_body> request(http::verb::post, upstream.target, 11);
  request.set(http::field::host, upstream.HostHeader());
  request.set(http::field::user_agent, "ringway-worker");
  request.set(http::field::connection, "close");
  if (!order.request_id.empty()) request.set("X-Request-Id", order.request_id);
  if (!order.traceparent.empty()) request.set("traceparent", order.traceparent);
  if (!order.tracestate.empty()) request.set("tracestate", order.tracestate);
  if (order.payload.empty()) {
    request.set(http::field::content_type, "application/json");
    request.body() = JsonBody(order);
  } else {
    request.set(http::field::content_type,
                order.content_type.empty() ? "application/octet-stream" : order.content_type);
    request.body() = std::move(order.payload);
  }
  request.prepare_payload();
  return request;
}

std::string ToString(beast::string_view text) { return std::string(text.data(), text.size()); }

}  // namespace

std::string JsonBody(const WorkOrder& order) {
  google::protobuf::Struct body;
  auto& fields = *body.mutable_fields();
  for (const auto& [name, value] : order.parameters) {
    double number = 0;
    // Parameters are text on the wire; servers want numbers as numbers.
    if (absl::SimpleAtod(value, &number)) {
      fields[name].set_number_value(number);
    } else {
      fields[name].set_string_value(value);
    }
  }
  if (!order.model.empty()) fields["model"].set_string_value(order.model);
  if (!order.prompt.empty()) fields["prompt"].set_string_value(order.prompt);
  std::string text;
  const auto written = google::protobuf::util::MessageToJsonString(body, &text);
  RINGWAY_CHECK(written.ok());
  return text;
}

// One request and its answer. Alive while an operation of it is under way.
class HttpBackend::Exchange : public std::enable_shared_from_this<HttpBackend::Exchange> {
 public:
  Exchange(asio::io_context& context, const HttpSettings& settings, WorkOrder order, WorkSink& sink)
      : settings_(settings),
        sink_(&sink),
        resolver_(context),
        stream_(context),
        request_(MakeRequest(settings.upstream, std::move(order))) {
    parser_.header_limit(kHeaderBytesMax);
    parser_.body_limit(settings_.body_bytes_max);
  }

  void Begin() {
    resolver_.async_resolve(
        settings_.upstream.host, settings_.upstream.port,
        [self = shared_from_this()](beast::error_code failed, Tcp::resolver::results_type hosts) {
          self->Connect(failed, hosts);
        });
  }

  void Cancel() {
    cancelled_ = true;
    resolver_.cancel();
    stream_.cancel();
    stream_.close();
  }

  // The sink is going away with the backend: end without a word.
  void Silence() {
    sink_ = nullptr;
    Cancel();
  }

 private:
  void Connect(beast::error_code failed, const Tcp::resolver::results_type& hosts) {
    if (failed || cancelled_) return NotStarted(failed);
    stream_.expires_after(absl::ToChronoMilliseconds(settings_.connect_max));
    stream_.async_connect(hosts, [self = shared_from_this()](beast::error_code failed, const Tcp::endpoint&) {
      self->Send(failed);
    });
  }

  void Send(beast::error_code failed) {
    if (failed || cancelled_) return NotStarted(failed);
    stream_.expires_after(absl::ToChronoMilliseconds(settings_.answer_max));
    http::async_write(stream_, request_, [self = shared_from_this()](beast::error_code failed, std::size_t) {
      self->ReadHeader(failed);
    });
  }

  // A server may refuse before it has read the whole request, so a failed write does not keep us from
  // listening.
  void ReadHeader(beast::error_code write_failed) {
    if (cancelled_ || write_failed == beast::error::timeout) return Broken(write_failed);
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](beast::error_code failed, std::size_t) {
                              if (failed) return self->Broken(failed);
                              self->ReadBody();
                            });
  }

  void ReadBody() {
    if (cancelled_) return Broken({});
    if (parser_.is_done()) return Answered();
    auto& body = parser_.get().body();
    body.data = piece_.data();
    body.size = piece_.size();
    http::async_read(
        stream_, buffer_, parser_,
        [self = shared_from_this()](beast::error_code failed, std::size_t) { self->TakePiece(failed); });
  }

  void TakePiece(beast::error_code failed) {
    if (failed == http::error::need_buffer) failed = {};
    if (failed || cancelled_) return Broken(failed);
    const std::size_t bytes = piece_.size() - parser_.get().body().size;
    if (bytes > 0 && IsSuccess()) {
      sink_->OnResult(std::string(piece_.data(), bytes));
    } else if (complaint_.size() < kHttpMessageBytesMax) {
      complaint_.append(piece_.data(), std::min(bytes, kHttpMessageBytesMax - complaint_.size()));
    }
    ReadBody();
  }

  bool IsSuccess() { return parser_.get().result_int() / 100 == 2; }

  void Answered() {
    const auto& answer = parser_.get();
    const unsigned status = answer.result_int();
    if (IsSuccess()) {
      return End({.outcome = Outcome::kDone, .content_type = ToString(answer[http::field::content_type])});
    }
    WorkEnd end{.outcome = Outcome::kFailed,
                .message = absl::StrCat("the server behind this worker answered ", status, ": ", complaint_)};
    if (status == 429 || status == 503) {
      end.outcome = Outcome::kBusy;
      double seconds = 0;
      const std::string hint = ToString(answer[http::field::retry_after]);
      if (absl::SimpleAtod(hint, &seconds) && seconds > 0 && seconds < 3600) {
        end.retry_after = Seconds(seconds);
      }
    } else if (status / 100 == 4) {
      end.outcome = Outcome::kRejected;
    }
    End(std::move(end));
  }

  void NotStarted(beast::error_code failed) {
    if (cancelled_) return End({.outcome = Outcome::kCancelled});
    End({.outcome = Outcome::kBusy,
         .message =
             absl::StrCat("cannot reach the server behind this worker at ", settings_.upstream.HostHeader(),
                          ": ", failed.message(), "; nothing was started")});
  }

  void Broken(beast::error_code failed) {
    if (cancelled_) return End({.outcome = Outcome::kCancelled});
    const std::string why =
        failed == beast::error::timeout
            ? absl::StrCat("gave no whole answer within ", absl::FormatDuration(settings_.answer_max))
            : absl::StrCat("broke off: ", failed.message());
    End({.outcome = Outcome::kFailed, .message = absl::StrCat("the server behind this worker ", why)});
  }

  void End(WorkEnd end) {
    stream_.close();
    if (WorkSink* sink = std::exchange(sink_, nullptr)) sink->OnEnd(std::move(end));
  }

  const HttpSettings& settings_;
  WorkSink* sink_;
  bool cancelled_ = false;
  Tcp::resolver resolver_;
  beast::tcp_stream stream_;
  http::request<http::string_body> request_;
  beast::flat_buffer buffer_{kHeaderBytesMax + kPieceBytes};
  http::response_parser<http::buffer_body> parser_;
  std::array<char, kPieceBytes> piece_;
  std::string complaint_;  // the beginning of an error's body
};

HttpBackend::~HttpBackend() {
  if (auto exchange = exchange_.lock()) exchange->Silence();
}

void HttpBackend::Start(WorkOrder order, WorkSink& sink) {
  RINGWAY_CHECK(exchange_.expired());
  auto exchange = std::make_shared<Exchange>(loop_.context(), settings_, std::move(order), sink);
  exchange_ = exchange;
  exchange->Begin();
}

void HttpBackend::Cancel() {
  if (auto exchange = exchange_.lock()) exchange->Cancel();
}

}  // namespace ringway::worker
