#include "worker/backends/videos.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "core/json_reader.h"
#include "runtime/clock.h"

namespace ringway::worker {
namespace {

constexpr Duration kDeleteLimit = Seconds(2);
constexpr Duration kPollLimit = Seconds(10);
constexpr std::size_t kVideosMessageBytesMax = 512;
constexpr int kOk = 200;
constexpr int kTooMany = 429;

// A broken connection is 0.
int StatusOf(const http::ClientAnswer& answer) { return answer.whole ? answer.status : 0; }

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

WorkEnd Failure(const std::string& why) {
  return {.outcome = Outcome::kFailed, .message = absl::StrCat("the server behind this worker ", why)};
}

}  // namespace

void VideosBackend::Start(WorkOrder order, WorkSink& sink) {
  RINGWAY_CHECK(sink_ == nullptr);
  order_ = std::move(order);
  sink_ = &sink;
  cancelled_ = deleting_ = false;
  job_.clear();
  give_up_ = runtime::MonotonicNow() + settings_.http.answer_max;
  const VideoBody body = settings_.json ? JsonVideoBody(order_) : FormBody(order_);
  http::ClientRequest request = Request("POST", settings_.http.answer_max);
  request.fields.emplace_back("Content-Type", body.content_type);
  request.body = body.bytes;
  Ask(std::move(request), &VideosBackend::OnCreated);
}

void VideosBackend::OnCreated(const http::ClientAnswer& answer) {
  if (StatusOf(answer) / 100 != 2) return End(RefusedAs(answer));
  const std::string id = TextIn(ObjectOf(answer.body), "id");
  if (id.empty()) return End(Failure("named no id"));
  job_ = "/" + id;
  Poll();
}

WorkEnd VideosBackend::RefusedAs(const http::ClientAnswer& answer) const {
  if (cancelled_) return {.outcome = Outcome::kCancelled};
  if (!answer.reached) return NotReached(settings_.http, answer.why);
  if (!answer.whole) return Failure(answer.why);
  return RefusedWith(answer, answer.body.substr(0, kVideosMessageBytesMax));
}

void VideosBackend::Poll() {
  if (cancelled_) return Delete();
  if (runtime::MonotonicNow() >= give_up_) {
    return End(
        Failure(absl::StrCat("was not done within ", absl::FormatDuration(settings_.http.answer_max))));
  }
  Ask(Request("GET", kPollLimit), &VideosBackend::OnPolled);
}

void VideosBackend::OnPolled(const http::ClientAnswer& answer) {
  if (cancelled_) return Delete();
  const int code = StatusOf(answer);
  if (code / 100 == 4 && code != kTooMany) return End(Failure("lost the job: " + answer.body));
  const Json job = ObjectOf(answer.body);
  const std::string status = code == kOk ? TextIn(job, "status") : "";
  if (status == "completed") return Download();
  if (status == "failed") return End(Failure("failed: " + MessageIn(job)));
  if (const double progress = NumberIn(job, "progress"); status == "in_progress" && progress > 0) {
    sink_->OnProgress(static_cast<std::uint32_t>(std::min(progress, 100.0)), 100);
  }
  pause_.Arm(runtime::MonotonicNow() + settings_.poll_pause);
}

void VideosBackend::Download() {
  http::ClientRequest request = Request("GET", give_up_ - runtime::MonotonicNow());
  request.target += "/content";
  request.body_bytes_max = settings_.http.body_bytes_max;
  Ask(std::move(request), &VideosBackend::OnFilm, [this](int status, std::string_view piece) {
    if (status != kOk) return false;
    sink_->OnResult(std::string(piece));
    return true;
  });
}

void VideosBackend::OnFilm(const http::ClientAnswer& answer) {
  if (cancelled_) return Delete();
  if (StatusOf(answer) != kOk) {
    return End(Failure(
        absl::StrCat("did not hand out its film: ", answer.whole ? answer.body : "it " + answer.why)));
  }
  End({.outcome = Outcome::kDone, .content_type = answer.Value("Content-Type")});
}

// Nobody asks what comes of it: a server that does not know the method ends the job by itself.
void VideosBackend::Delete() {
  deleting_ = true;
  Ask(Request("DELETE", kDeleteLimit), &VideosBackend::OnDeleted);
}

void VideosBackend::OnDeleted(const http::ClientAnswer&) { End({.outcome = Outcome::kCancelled}); }

http::ClientRequest VideosBackend::Request(const char* method, Duration limit) const {
  const std::string& base = settings_.http.upstream.target;
  http::ClientRequest request = RequestTo(settings_.http, order_);
  request.method = method;
  request.target = absl::StrCat(base == "/" ? "" : base, "/v1/videos", job_);
  request.answer_max = limit;
  request.body_bytes_max = kReplyBytesMax;
  return request;
}

void VideosBackend::Ask(http::ClientRequest request, Next next, http::ClientCall::Take take) {
  call_.emplace(
      loop_, std::move(request),
      [this, next](const http::ClientAnswer& answer) {
        call_.reset();
        (this->*next)(answer);
      },
      std::move(take));
}

void VideosBackend::Cancel() {
  if (sink_ == nullptr || deleting_) return;
  cancelled_ = true;
  if (call_) return call_->Cancel();
  pause_.Arm(runtime::MonotonicNow());
}

void VideosBackend::End(WorkEnd end) {
  order_ = {};
  std::exchange(sink_, nullptr)->OnEnd(std::move(end));
}

}  // namespace ringway::worker
