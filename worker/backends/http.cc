#include "worker/backends/http.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"

namespace ringway::worker {
namespace {

constexpr std::size_t kHttpMessageBytesMax = 512;

http::ClientRequest RequestFor(const HttpSettings& settings, WorkOrder order) {
  http::ClientRequest request = RequestTo(settings, order);
  request.method = "POST";
  request.target = settings.upstream.target;
  std::string type = order.content_type.empty() ? "application/octet-stream" : order.content_type;
  if (order.payload.empty()) type = "application/json";
  request.fields.emplace_back("Content-Type", std::move(type));
  request.body = order.payload.empty() ? JsonBody(order) : std::move(order.payload);
  return request;
}

bool IsSuccess(int status) { return status / 100 == 2; }

}  // namespace

http::ClientRequest RequestTo(const HttpSettings& settings, const WorkOrder& order) {
  http::ClientRequest request{.host = settings.upstream.host,
                              .port = settings.upstream.port,
                              .fields = {{"User-Agent", "ringway-worker"}},
                              .connect_max = settings.connect_max,
                              .answer_max = settings.answer_max,
                              .body_bytes_max = settings.body_bytes_max};
  const std::pair<const char*, const std::string*> passed_on[] = {{"X-Request-Id", &order.request_id},
                                                                  {"traceparent", &order.traceparent},
                                                                  {"tracestate", &order.tracestate}};
  for (const auto& [name, value] : passed_on) {
    if (!value->empty()) request.fields.emplace_back(name, *value);
  }
  return request;
}

WorkEnd NotReached(const HttpSettings& settings, const std::string& why) {
  return {.outcome = Outcome::kBusy,
          .message = absl::StrCat("cannot reach the server behind this worker at ",
                                  http::HostField(settings.upstream.host, settings.upstream.port), ": ", why,
                                  "; nothing was started")};
}

WorkEnd RefusedWith(const http::ClientAnswer& answer, std::string_view complaint) {
  WorkEnd end{.outcome = Outcome::kFailed,
              .message = absl::StrCat("the server behind this worker answered ", answer.status, ": ",
                                      absl::string_view(complaint.data(), complaint.size()))};
  if (answer.status == 429 || answer.status == 503) {
    end.outcome = Outcome::kBusy;
    double seconds = 0;
    if (absl::SimpleAtod(answer.Value("Retry-After"), &seconds) && seconds > 0 && seconds < 3600) {
      end.retry_after = Seconds(seconds);
    }
  } else if (answer.status / 100 == 4) {
    end.outcome = Outcome::kRejected;
  }
  return end;
}

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

void HttpBackend::Start(WorkOrder order, WorkSink& sink) {
  RINGWAY_CHECK(!call_);
  sink_ = &sink;
  cancelled_ = false;
  complaint_.clear();
  call_.emplace(
      loop_, RequestFor(settings_, std::move(order)),
      [this](const http::ClientAnswer& answer) {
        call_.reset();
        sink_->OnEnd(EndOf(answer));
      },
      [this](int status, std::string_view piece) {
        if (IsSuccess(status)) {
          sink_->OnResult(std::string(piece));
        } else {
          complaint_.append(piece.substr(0, kHttpMessageBytesMax - complaint_.size()));
        }
        return true;
      });
}

WorkEnd HttpBackend::EndOf(const http::ClientAnswer& answer) const {
  if (cancelled_ && !answer.whole) return {.outcome = Outcome::kCancelled};
  if (!answer.reached) return NotReached(settings_, answer.why);
  if (!answer.whole) {
    return {.outcome = Outcome::kFailed,
            .message = absl::StrCat("the server behind this worker ", answer.why)};
  }
  if (!IsSuccess(answer.status)) return RefusedWith(answer, complaint_);
  return {.outcome = Outcome::kDone, .content_type = answer.Value("Content-Type")};
}

void HttpBackend::Cancel() {
  if (!call_) return;
  cancelled_ = true;
  call_->Cancel();
}

}  // namespace ringway::worker
