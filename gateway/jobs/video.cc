#include "gateway/jobs/video.h"

#include "core/json.h"

namespace ringway::gateway {
namespace {

JsonWriter& TextOrNull(JsonWriter& json, std::string_view text) {
  return text.empty() ? json.Raw("null") : json.Text(text);
}

JsonWriter& TimeOrNull(JsonWriter& json, std::int64_t seconds) {
  return seconds == 0 ? json.Raw("null") : json.Integer(seconds);
}

}  // namespace

std::string_view StateName(State state) {
  switch (state) {
    case State::kQueued:
      return "queued";
    case State::kRunning:
      return "in_progress";
    case State::kCompleted:
      return "completed";
    case State::kFailed:
    case State::kDeleted:
      break;
  }
  return "failed";
}

int HttpStatusOf(const Fault& fault) {
  if (fault.code == "invalid_request") return 400;
  if (fault.code == "overloaded" || fault.code == "deadline_infeasible") return 429;
  if (fault.code == "no_backend" || fault.code == "router_restarted") return 503;
  if (fault.code == "result_too_large" || fault.code == "storage_failed") return 507;
  if (fault.code == "cancelled") return 409;
  return 502;
}

std::string_view ErrorTypeOf(int http_status) {
  if (http_status == 401) return "authentication_error";
  if (http_status == 404) return "not_found_error";
  if (http_status == 429) return "rate_limit_error";
  if (http_status == 503) return "service_unavailable_error";
  return http_status < 500 ? "invalid_request_error" : "server_error";
}

std::string ErrorJson(int http_status, std::string_view code, std::string_view message,
                      std::string_view field) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("error").BeginObject();
  json.Key("message").Text(message).Key("type").Text(ErrorTypeOf(http_status));
  TextOrNull(json.Key("param"), field);
  json.Key("code").Text(code).End().End();
  return json.text();
}

std::string DeletedJson(std::string_view id) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("id").Text(id).Key("object").Text("video.deleted").Key("deleted").Flag(true).End();
  return json.text();
}

std::string VideoJson(const Video& video, std::string_view router) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("id").Text(video.id).Key("object").Text("video").Key("model").Text(video.model);
  json.Key("status").Text(StateName(video.state)).Key("progress").Integer(video.progress);
  json.Key("created_at").Integer(video.created_s);
  TimeOrNull(json.Key("completed_at"), video.state == State::kCompleted ? video.ended_s : 0);
  TimeOrNull(json.Key("expires_at"), video.expires_s);
  json.Key("prompt").Text(video.prompt);
  TextOrNull(json.Key("size"), video.size);
  TextOrNull(json.Key("seconds"), video.seconds);
  json.Key("remixed_from_video_id").Raw("null").Key("error");
  if (video.fault.code.empty()) {
    json.Raw("null");
  } else {
    json.BeginObject().Key("code").Text(video.fault.code).Key("message").Text(video.fault.message);
    TextOrNull(json.Key("param"), video.fault.field).End();
  }
  json.Key("ringway").BeginObject().Key("router").Text(router);
  TextOrNull(json.Key("region"), video.region);
  TextOrNull(json.Key("worker"), video.worker);
  json.Key("step").Integer(video.step).Key("steps").Integer(video.steps);
  TextOrNull(json.Key("content_type"), video.content_type);
  TextOrNull(json.Key("note"), video.note);
  json.Key("bytes").Integer(static_cast<std::int64_t>(video.result_bytes));
  json.Key("shared").Flag(video.shared).End().End();
  return json.text();
}

}  // namespace ringway::gateway
