#include "controller/daemon/prometheus_source.h"

#include <set>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdlib>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/json_reader.h"
#include "runtime/address.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"

namespace ringway::controller {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace beast_http = boost::beast::http;
using Tcp = asio::ip::tcp;

std::string PercentEncoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.' || c == '~';
    if (plain) {
      out.push_back(c);
    } else {
      absl::StrAppendFormat(&out, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// A vector of one sample for each region, in five levels; kAnswerBytesMax bounds the text.
constexpr JsonLimits kAnswerLimits = {.depth_max = 16, .values_max = 200'000};

const Json* Field(const Json* value, const char* name) {
  return value == nullptr ? nullptr : value->Find(name);
}

std::string Text(const Json* value) {
  return value != nullptr && value->string() != nullptr ? *value->string() : "";
}

// strtod takes what Prometheus writes: decimal numbers, NaN, +Inf, -Inf.
std::optional<double> Number(const Json* sample) {
  if (sample == nullptr || sample->array() == nullptr || sample->array()->size() != 2) return std::nullopt;
  const std::string text = Text(&(*sample->array())[1]);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

// One GET, start to end. Keeps itself alive while it runs; calls `done` once.
class Get : public std::enable_shared_from_this<Get> {
 public:
  using Done = std::function<void(absl::StatusOr<std::string>)>;
  Get(asio::io_context& context, const PrometheusSettings& settings, std::string target, Done done)
      : where_(absl::StrCat("Prometheus at ", settings.host, ":", settings.port)),
        resolver_(context),
        stream_(context),
        done_(std::move(done)) {
    request_.method(beast_http::verb::get);
    request_.target(target);
    request_.version(11);
    request_.set(beast_http::field::host, settings.host);
    request_.set(beast_http::field::user_agent, "ringway-controller");
    request_.set(beast_http::field::connection, "close");
    parser_.body_limit(PrometheusSource::kAnswerBytesMax);
  }

  void Run(const PrometheusSettings& settings) {
    resolver_.async_resolve(
        settings.host, settings.port,
        [self = shared_from_this()](beast::error_code error, Tcp::resolver::results_type to) {
          if (error) return self->Fail("resolve", error);
          self->Connect(to);
        });
  }

 private:
  void Connect(const Tcp::resolver::results_type& to) {
    stream_.expires_after(absl::ToChronoMilliseconds(PrometheusSource::kQueryMax));
    stream_.async_connect(to, [self = shared_from_this()](beast::error_code error, const Tcp::endpoint&) {
      if (error) return self->Fail("connect", error);
      beast_http::async_write(self->stream_, self->request_, [self](beast::error_code failed, std::size_t) {
        if (failed) return self->Fail("ask", failed);
        self->Read();
      });
    });
  }
  void Read() {
    beast_http::async_read(stream_, buffer_, parser_,
                           [self = shared_from_this()](beast::error_code error, std::size_t) {
                             if (error) return self->Fail("read the answer", error);
                             // Errors come as JSON too, with a status of 4xx or 5xx.
                             self->done_(self->parser_.get().body());
                           });
  }
  void Fail(const char* what, beast::error_code error) {
    done_(absl::UnavailableError(absl::StrCat(where_, ": cannot ", what, ": ", error.message())));
  }

  const std::string where_;
  Tcp::resolver resolver_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  beast_http::request<beast_http::empty_body> request_;
  beast_http::response_parser<beast_http::string_body> parser_;
  Done done_;
};

}  // namespace

absl::StatusOr<std::vector<RegionValue>> ParseQueryAnswer(std::string_view json) {
  const absl::StatusOr<Json> parsed = Json::Parse(json, "the answer of Prometheus", kAnswerLimits);
  if (!parsed.ok() || parsed->object() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("Prometheus did not answer with a JSON object",
                                                   parsed.ok() ? "" : ": ",
                                                   parsed.ok() ? "" : parsed.status().message()));
  }
  const Json& answer = *parsed;
  if (Text(Field(&answer, "status")) != "success") {
    return absl::InvalidArgumentError(
        absl::StrCat("Prometheus refuses the query: ", Text(Field(&answer, "error"))));
  }
  const Json* data = Field(&answer, "data");
  if (Text(Field(data, "resultType")) != "vector") {
    return absl::InvalidArgumentError(absl::StrCat("the query gives a '", Text(Field(data, "resultType")),
                                                   "', an instant vector by region is needed"));
  }
  std::vector<RegionValue> values;
  std::set<std::string> regions;
  const Json* result = Field(data, "result");
  if (result == nullptr || result->array() == nullptr) return values;
  for (const Json& series : *result->array()) {
    RegionValue value{.region = Text(Field(Field(&series, "metric"), "region")), .value = 0};
    const std::optional<double> number = Number(Field(&series, "value"));
    if (value.region.empty()) {
      return absl::InvalidArgumentError(
          "a series has no label 'region'; write for example `sum by (region) (...)`");
    }
    if (!number)
      return absl::InvalidArgumentError(absl::StrCat("the value of region ", value.region, " is no number"));
    value.value = *number;
    // One of them is wrong, and which is not said: neither is taken.
    if (!regions.insert(value.region).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two series have the label region=\"", value.region,
                       "\"; aggregate them in the query, for example with `sum by (region) (...)`"));
    }
    values.push_back(std::move(value));
  }
  return values;
}

absl::Status ParsePrometheusUrl(const std::string& url, PrometheusSettings& settings) {
  constexpr std::string_view kScheme = "http://";
  std::string rest = url;
  if (rest.starts_with(kScheme)) rest.erase(0, kScheme.size());
  while (!rest.empty() && rest.back() == '/') rest.pop_back();
  if (rest.find(':') == std::string::npos) rest += ":9090";
  auto address = runtime::ParseAddress(rest);
  if (!address.ok() || rest.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("'", url, "' is not like http://host:9090"));
  }
  settings.host = address->host;
  settings.port = absl::StrCat(address->port);
  return absl::OkStatus();
}

struct PrometheusSource::State : std::enable_shared_from_this<State> {
  State(PrometheusSettings s, Answer answer)
      : settings(std::move(s)),
        deliver(std::move(answer)),
        loop("prometheus"),
        alarm(loop, [this] { Round(); }) {}

  void Round() {
    next = 0;
    round_at = runtime::MonotonicNow();
    AskNext();
  }
  void AskNext() {
    if (next >= queries.size()) {
      busy = false;
      alarm.Arm(std::max(round_at + settings.period, runtime::MonotonicNow()));
      return;
    }
    busy = true;
    const PrometheusQuery query = queries[next++];
    const std::string target = absl::StrCat("/api/v1/query?query=", PercentEncoded(query.promql));
    auto get = std::make_shared<Get>(loop.context(), settings, target,
                                     [this, query](absl::StatusOr<std::string> body) {
                                       if (body.ok()) {
                                         deliver(query, ParseQueryAnswer(*body));
                                       } else {
                                         deliver(query, body.status());
                                       }
                                       AskNext();
                                     });
    get->Run(settings);
  }

  const PrometheusSettings settings;
  const Answer deliver;
  std::vector<PrometheusQuery> queries;
  std::size_t next = 0;
  bool busy = false;
  Time round_at;
  runtime::EventLoop loop;
  runtime::Alarm alarm;
};

PrometheusSource::PrometheusSource(PrometheusSettings settings, Answer deliver)
    : state_(std::make_shared<State>(std::move(settings), std::move(deliver))) {
  state_->loop.Start();
}

PrometheusSource::~PrometheusSource() { state_->loop.Stop(); }

void PrometheusSource::Ask(std::vector<PrometheusQuery> queries) {
  (void)state_->loop.Post([state = state_.get(), queries = std::move(queries)]() mutable {
    state->queries = std::move(queries);
    // A round under way goes on with what is left of the new list.
    if (!state->busy) state->Round();
  });
}

}  // namespace ringway::controller
