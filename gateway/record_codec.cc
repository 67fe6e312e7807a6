#include "gateway/record_codec.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/str_format.h"
#include "gateway/jobs/video_id.h"
#include "ringway/v1/videos.pb.h"
#include "runtime/state_file.h"

namespace ringway::gateway {
namespace {

constexpr std::array<State, 4> kShown = {State::kQueued, State::kRunning, State::kCompleted, State::kFailed};
constexpr char kDeletedName[] = "deleted";
constexpr absl::string_view kObjectLine = "ringway-video 1 ";

std::optional<State> StateOf(const std::string& name) {
  if (name == kDeletedName) return State::kDeleted;
  for (const State state : kShown) {
    if (StateName(state) == name) return state;
  }
  return std::nullopt;
}

}  // namespace

std::string EncodeVideo(const Video& video) {
  v1::VideoRecord record;
  record.set_id(video.id);
  record.set_state(video.state == State::kDeleted ? kDeletedName : std::string(StateName(video.state)));
  record.set_run(video.run);
  record.set_created_s(video.created_s);
  record.set_ended_s(video.ended_s);
  record.set_expires_s(video.expires_s);
  record.set_model(video.model);
  record.set_prompt(video.prompt);
  record.set_size(video.size);
  record.set_seconds(video.seconds);
  record.set_key(video.key);
  record.set_fingerprint(video.fingerprint);
  record.set_webhook_url(video.webhook_url);
  record.set_step(video.step);
  record.set_steps(video.steps);
  record.set_progress(video.progress);
  record.set_region(video.region);
  record.set_worker(video.worker);
  record.set_fault_code(video.fault.code);
  record.set_fault_message(video.fault.message);
  record.set_fault_field(video.fault.field);
  record.set_content_type(video.content_type);
  record.set_note(video.note);
  record.set_seed(video.seed);
  record.set_result_bytes(video.result_bytes);
  record.set_has_result(video.has_result);
  record.set_webhook_owed(video.webhook_owed);
  record.set_shared(video.shared);
  return record.SerializeAsString();
}

absl::StatusOr<Video> DecodeVideo(const std::string& bytes) {
  v1::VideoRecord record;
  if (!record.ParseFromString(bytes)) return absl::DataLossError("not a record");
  const auto state = StateOf(record.state());
  if (!state || !ParseVideoId(record.id())) return absl::DataLossError("not the record of a video");
  Video video;
  video.id = record.id();
  video.state = *state;
  video.run = std::max(record.run(), 1u);
  video.created_s = record.created_s();
  video.ended_s = record.ended_s();
  video.expires_s = record.expires_s();
  video.model = record.model();
  video.prompt = record.prompt();
  video.size = record.size();
  video.seconds = record.seconds();
  video.key = record.key();
  video.fingerprint = record.fingerprint();
  video.webhook_url = record.webhook_url();
  video.step = record.step();
  video.steps = record.steps();
  video.progress = std::clamp(record.progress(), 0, 100);
  video.region = record.region();
  video.worker = record.worker();
  video.fault = {
      .code = record.fault_code(), .message = record.fault_message(), .field = record.fault_field()};
  video.content_type = record.content_type();
  video.note = record.note();
  video.seed = record.seed();
  video.result_bytes = record.result_bytes();
  video.has_result = record.has_result();
  video.webhook_owed = record.webhook_owed();
  video.shared = record.shared();
  return video;
}

std::string EncodeRecordObject(const Video& video) {
  const std::string record = EncodeVideo(video);
  return absl::StrFormat("%s%08x\n%s", kObjectLine, runtime::Crc32c(record), record);
}

absl::StatusOr<Video> DecodeRecordObject(std::string_view object) {
  const std::size_t head = kObjectLine.size() + 9;
  if (!object.starts_with(std::string_view(kObjectLine.data(), kObjectLine.size())) || object.size() < head ||
      object[head - 1] != '\n')
    return absl::DataLossError("not a record of this release or the one before");
  const std::string record(object.substr(head));
  if (object.substr(0, head) != absl::StrFormat("%s%08x\n", kObjectLine, runtime::Crc32c(record)))
    return absl::DataLossError("the checksum is wrong");
  return DecodeVideo(record);
}

}  // namespace ringway::gateway
