#include "controller/daemon/prometheus_source.h"

#include <set>
#include <utility>

#include <cstdlib>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/json_reader.h"
#include "runtime/address.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"
#include "runtime/http/client_call.h"

namespace ringway::controller {
namespace {

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

struct PrometheusSource::State {
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
      call.reset();
      alarm.Arm(std::max(round_at + settings.period, runtime::MonotonicNow()));
      return;
    }
    const PrometheusQuery query = queries[next++];
    http::ClientRequest request{.host = settings.host,
                                .port = settings.port,
                                .target = absl::StrCat("/api/v1/query?query=", PercentEncoded(query.promql)),
                                .fields = {{"User-Agent", "ringway-controller"}},
                                .connect_max = kQueryMax,
                                .answer_max = kQueryMax,
                                .body_bytes_max = kAnswerBytesMax};
    call.emplace(loop, std::move(request), [this, query](const http::ClientAnswer& answer) {
      deliver(query, Heard(answer));
      AskNext();
    });
  }
  // Errors come as JSON too, with a status of 4xx or 5xx.
  absl::StatusOr<std::vector<RegionValue>> Heard(const http::ClientAnswer& answer) const {
    if (answer.whole) return ParseQueryAnswer(answer.body);
    return absl::UnavailableError(absl::StrCat("Prometheus at ", settings.host, ":", settings.port,
                                               answer.reached ? " " : " cannot be reached: ", answer.why));
  }

  const PrometheusSettings settings;
  const Answer deliver;
  std::vector<PrometheusQuery> queries;
  std::size_t next = 0;
  Time round_at;
  runtime::EventLoop loop;
  runtime::Alarm alarm;
  std::optional<http::ClientCall> call;  // nothing: between two rounds
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
    if (!state->call) state->Round();
  });
}

}  // namespace ringway::controller
