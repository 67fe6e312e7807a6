#include "gateway/video_jobs.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/film_facts.h"
#include "gateway/jobs/video_id.h"
#include "proto/table_codec.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

// Ids of two lives of a router, or of two routers of one name, must not meet.
std::uint64_t RandomSeed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) ^ device();
}

v1::JobHeader HeaderOf(const Video& video, const VideoOrder& order, const Passage& passage) {
  v1::JobHeader header;
  header.set_wire_version(wire::kWireVersion);
  header.set_request_id(video.id);
  header.set_tier(passage.tier);
  header.set_model(order.model);
  header.set_idempotency_key(passage.key);
  header.set_deadline_s(order.deadline_s);
  header.set_steps(order.steps);
  header.set_pixels(order.pixels);
  header.set_frames(order.frames);
  header.set_content_type(order.picture_type);
  header.set_prompt(order.prompt);
  for (const auto& [name, value] : order.parameters) (*header.mutable_parameters())[name] = value;
  header.set_payload_bytes(order.picture.size());
  header.set_traceparent(passage.traceparent);
  header.set_tracestate(passage.tracestate);
  return header;
}

Fault FaultOf(const v1::End& end, bool started) {
  Fault fault{.code = "worker_failed", .message = end.message(), .retry_after_s = end.retry_after_s()};
  if (end.outcome() == "rejected") {
    fault.code = "invalid_request";
    fault.field = FieldNamedBy(end.message());
  }
  if (end.outcome() == "shed" || end.outcome() == "busy") fault.code = "overloaded";
  if (end.outcome() == "timeout") fault.code = "deadline_infeasible";
  if (end.outcome() == "cancelled") fault.code = "cancelled";
  if (started && fault.code == "overloaded") fault.code = "worker_failed";
  return fault;
}

}  // namespace

VideoJobs::VideoJobs(runtime::EventLoop& loop, const VideosSettings& settings, const runtime::Logger& log,
                     NewsSink& news)
    : loop_(loop),
      settings_(settings),
      log_(log),
      news_(news),
      table_(settings.limits),
      store_(settings.store),
      rng_(RandomSeed()) {}

absl::Status VideoJobs::Open() {
  std::vector<std::string> complaints;
  auto videos = store_.Open(complaints);
  if (!videos.ok()) return videos.status();
  for (const std::string& complaint : complaints) log_.Warning(complaint);
  // The youngest first: it is the oldest for which there may be no room.
  std::sort(videos->begin(), videos->end(), [](const Video& a, const Video& b) { return a.id > b.id; });
  for (Video& video : *videos) Apply(Recovered{std::move(video)});
  if (!videos->empty()) log_.Info(absl::StrCat("videos: ", table_.size(), " jobs are on record"));
  Apply(ClockPassed{});
  return absl::OkStatus();
}

// ---- the table's turns ----

void VideoJobs::Apply(JobEvent event) {
  later_.push_back(std::move(event));
  if (std::exchange(applying_, true)) return;
  std::vector<JobAction> actions;
  while (!later_.empty()) {
    const JobEvent next = std::move(later_.front());
    later_.pop_front();
    actions.clear();
    table_.Step(runtime::WallNow(), next, actions);
    for (const JobAction& action : actions) Do(action);
  }
  applying_ = false;
}

void VideoJobs::Do(const JobAction& action) {
  if (const auto* keep = std::get_if<KeepRecord>(&action)) {
    Keep(keep->id);
  } else if (const auto* record = std::get_if<DropRecord>(&action)) {
    store_.DropRecord(record->id);
  } else if (const auto* result = std::get_if<DropResult>(&action)) {
    store_.DropResult(result->id);
  } else if (const auto* cancel = std::get_if<CancelRun>(&action)) {
    if (const auto run = runs_.find(cancel->id); run != runs_.end()) {
      run->second->Cancel();
      runs_.erase(run);
    }
  } else if (const auto* webhook = std::get_if<CallWebhook>(&action)) {
    if (const Video* video = table_.Find(webhook->id)) news_.OnWebhookDue(*video);
  } else if (const auto* share = std::get_if<Share>(&action)) {
    if (shared_ != nullptr) shared_->Share(share->id);
  } else if (const auto* unshare = std::get_if<Unshare>(&action)) {
    if (shared_ != nullptr) shared_->Unshare(unshare->id);
  } else if (const auto* publish = std::get_if<Publish>(&action)) {
    if (const Video* video = table_.Find(publish->id)) news_.OnNews(*video, publish->event);
  }
}

void VideoJobs::Keep(const std::string& id) {
  const Video* video = table_.Find(id);
  if (video == nullptr) return;  // dropped again in the same turn
  kept_ = store_.Keep(*video);
  if (!kept_.ok()) log_.Error(absl::StrCat("videos: ", kept_.message()));
}

void VideoJobs::OnTick() {
  if (table_.NextWake() <= runtime::WallNow()) Apply(ClockPassed{});
}

void VideoJobs::CancelAll() {
  for (const auto& [id, stream] : runs_) stream->Cancel();
  runs_.clear();
}

// ---- jobs ----

absl::StatusOr<std::string> VideoJobs::Take(VideoOrder order, const Passage& passage, const Video* again) {
  if (!table_.Admits()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("this router has ", table_.live(), " jobs of its APIs at a time, and no more"));
  }
  Video video;
  video.created_s = ToUnixSeconds(runtime::WallNow());
  video.id = again != nullptr ? again->id
                              : VideoId{.created_s = video.created_s,
                                        .draw = rng_.Next() & 0xffffffffffff,
                                        .owner = settings_.router,
                                        .image = order.images > 0}
                                    .Text();
  // Who named none is told which one it was.
  video.model = order.model.empty() ? passage.tier : order.model;
  video.prompt = order.prompt;
  video.size = order.size;
  video.seconds = order.seconds;
  video.key = passage.key;
  video.fingerprint = order.fingerprint;
  video.webhook_url = order.webhook_url;
  if (const auto seed = order.parameters.find("seed"); order.images > 0 && seed != order.parameters.end())
    video.seed = seed->second;
  Apply(Asked{video});
  if (!kept_.ok()) {
    const absl::Status why = kept_;
    Apply(Forgotten{video.id});
    return why;
  }
  Run(video, std::move(order), passage);
  return video.id;
}

void VideoJobs::Run(const Video& video, VideoOrder order, const Passage& passage) {
  payload_bytes_ += order.picture.size();
  streams_.fetch_add(1);
  v1::JobHeader header = HeaderOf(video, order, passage);
  auto* stream = new SubmitStream(video.id, std::move(header), std::move(order.picture), loop_, *this);
  runs_[video.id] = stream;
  stream->Call(*ingress_);
}

bool VideoJobs::IsCurrent(const SubmitStream& stream) const {
  const auto run = runs_.find(stream.id());
  return run != runs_.end() && run->second == &stream;
}

void VideoJobs::OnDown(SubmitStream& stream, const v1::JobDown& message) {
  if (!IsCurrent(stream) || stream.ended) return;
  switch (message.kind_case()) {
    case v1::JobDown::kAccepted:
      return Apply(Started{stream.id(), message.accepted().region(), message.accepted().worker()});
    case v1::JobDown::kProgress:
      return Apply(Progressed{stream.id(), message.progress().step(), message.progress().steps()});
    case v1::JobDown::kChunk:
      return OnChunk(stream, message.chunk());
    case v1::JobDown::kEnd:
      return OnEnd(stream, message.end());
    case v1::JobDown::kHttp:  // of plain requests; a video's worker speaks gRPC
    case v1::JobDown::KIND_NOT_SET:
      return;  // something newer than this release
  }
}

void VideoJobs::OnChunk(const SubmitStream& stream, const std::string& bytes) {
  const std::string id = stream.id();
  if (const absl::Status written = store_.Append(id, bytes); !written.ok()) {
    log_.Error(absl::StrCat("videos: ", written.message()));
    Apply(Ended{.id = id, .fault = {.code = "storage_failed", .message = std::string(written.message())}});
    return Do(CancelRun{id});
  }
  Apply(ResultGrew{id, bytes.size()});
}

void VideoJobs::OnEnd(SubmitStream& stream, const v1::End& end) {
  stream.ended = true;
  const std::string id = stream.id();
  runs_.erase(id);
  const Video* video = table_.Find(id);
  if (video == nullptr) return;
  const bool started = video->state == State::kRunning || !end.trace().worker().empty();
  if (end.outcome() != "done") {
    const bool refused = video->state == State::kQueued || end.outcome() == "rejected";
    return Apply(Ended{.id = id, .fault = FaultOf(end, started), .refused = refused});
  }
  if (!end.trace().worker().empty()) Apply(Started{id, end.trace().region(), end.trace().worker()});
  Ended ended{.id = id, .content_type = end.content_type(), .note = end.message()};
  if (const absl::Status sealed = store_.Seal(id); !sealed.ok()) {
    ended.fault = {.code = "storage_failed", .message = std::string(sealed.message())};
  } else if (const auto fd = store_.OpenResult(id); fd.ok() && !IsImageId(id)) {
    const ResultFile film(*fd);
    const FilmFacts facts =
        FactsOf(end.content_type(), video->result_bytes,
                [&film](std::uint64_t offset, std::size_t count) { return film.Read(offset, count); });
    ended.size = facts.Size();
    ended.seconds = facts.SecondsText();
  }
  Apply(std::move(ended));
}

void VideoJobs::OnOver(SubmitStream& stream, const grpc::Status& status) {
  payload_bytes_ -= stream.payload_bytes();
  streams_.fetch_sub(1);
  if (!IsCurrent(stream)) return;
  // No end came: this router's own ingress refused the call, or is going down.
  runs_.erase(stream.id());
  const bool full = status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
  Apply(Ended{
      .id = stream.id(),
      .fault = {.code = full ? "overloaded" : "router_restarted",
                .message = full ? "this router serves its maximum of jobs"
                                : absl::StrCat("the router broke the job off: ", status.error_message()),
                .retry_after_s = 1},
      .refused = full});
}

}  // namespace ringway::gateway
