#include "gateway/image_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/json.h"
#include "gateway/jobs/film_type.h"
#include "proto/job_codec.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

std::uint64_t EncodedBytes(std::uint64_t bytes) { return (bytes + 2) / 3 * 4; }

ImageRefusal RefusalOf(const Fault& fault) {
  return {HttpStatusOf(fault), fault.code, fault.message, fault.retry_after_s, fault.field};
}

std::string KeyOf(const std::string& key, int picture) {
  return key.empty() || picture == 0 ? key : absl::StrCat(key, "#", picture + 1);
}

// What is said of a picture beside its bytes.
std::string OriginJson(const Video& video) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("seed").Text(video.seed).Key("region").Text(video.region);
  json.Key("worker").Text(video.worker).Key("content_type").Text(FilmTypeOf(video.content_type).type);
  json.Key("note");
  if (video.note.empty()) {
    json.Raw("null");
  } else {
    json.Text(video.note);
  }
  json.End();
  return json.text();
}

}  // namespace

void Base64Answer::AddText(std::string_view text) {
  if (parts_.empty() || parts_.back().file != nullptr) parts_.emplace_back();
  parts_.back().text.append(text);
  length_ += text.size();
}

void Base64Answer::AddFile(std::unique_ptr<ResultFile> file, std::uint64_t bytes) {
  if (bytes == 0) return;
  parts_.push_back({.file = std::move(file), .bytes = bytes});
  length_ += EncodedBytes(bytes);
}

std::optional<std::string> Base64Answer::Next() {
  Part& part = parts_[at_];
  if (part.file == nullptr) return std::move(parts_[at_++].text);
  const std::size_t count = std::min<std::uint64_t>(kPieceBytes, part.bytes - part.offset);
  const std::string bytes = part.file->Read(part.offset, count);
  if (bytes.size() != count) return std::nullopt;
  part.offset += count;
  if (part.offset == part.bytes) ++at_;
  return absl::Base64Escape(bytes);
}

std::optional<ImageRefusal> ImageCall::FromKey(const VideoJobs& jobs, const std::string& key,
                                               std::uint64_t fingerprint, const Video*& again,
                                               std::string& known) const {
  const Video* const job = key.empty() ? nullptr : jobs.table().OfKey(key);
  if (job == nullptr) return std::nullopt;
  if (job->fingerprint != fingerprint)
    return ImageRefusal{409, "idempotency_key_reused",
                        "this Idempotency-Key belongs to another request; use another key"};
  if (job->state == State::kDeleted)
    return ImageRefusal{409, "image_deleted", "what this Idempotency-Key asked for was deleted"};
  if (job->state == State::kFailed) {
    again = job;
  } else {
    known = job->id;
  }
  return std::nullopt;
}

std::optional<ImageRefusal> ImageCall::Begin(VideoJobs& jobs, const VideoOrder& order,
                                             const Passage& passage) {
  keyed_ = !passage.key.empty();
  if (KeyOf(passage.key, order.images - 1).size() > wire::kNameBytesMax)
    return ImageRefusal{400, "invalid_request", "Idempotency-Key is too long for several images", 0,
                        "Idempotency-Key"};
  std::uint64_t seed = jobs.DrawSeed();
  if (const auto given = order.parameters.find("seed"); given != order.parameters.end())
    (void)absl::SimpleAtoi(given->second, &seed);  // checked when the request was read
  for (int i = 0; i < order.images; ++i) {
    Passage own = passage;
    own.key = KeyOf(passage.key, i);
    const Video* again = nullptr;
    std::string known;
    if (auto refused = FromKey(jobs, own.key, order.fingerprint, again, known)) return refused;
    if (!known.empty()) {
      ids_.push_back(std::move(known));
      continue;
    }
    VideoOrder one = order;
    one.parameters["seed"] = absl::StrCat(seed + static_cast<std::uint64_t>(i));
    const auto taken = jobs.Take(std::move(one), own, again);
    if (!taken.ok()) {
      const bool full = taken.status().code() == absl::StatusCode::kResourceExhausted;
      return ImageRefusal{full ? 429 : 507, full ? "overloaded" : "storage_failed",
                          std::string(taken.status().message()), 1};
    }
    ids_.push_back(*taken);
  }
  return std::nullopt;
}

bool ImageCall::AllOver(const VideoJobs& jobs) const {
  return std::ranges::all_of(ids_, [&](const std::string& id) {
    const Video* const video = jobs.table().Find(id);
    return video == nullptr || IsOver(video->state);
  });
}

std::optional<ImageRefusal> ImageCall::Refused(const VideoJobs& jobs) const {
  for (const std::string& id : ids_) {
    const Video* const video = jobs.table().Find(id);
    if (video == nullptr || video->state == State::kDeleted)
      return ImageRefusal{410, "result_gone", "the store was full and this image had to make room"};
    if (video->state == State::kFailed) return RefusalOf(video->fault);
  }
  return std::nullopt;
}

std::optional<ImageRefusal> ImageCall::Compose(const VideoJobs& jobs) {
  std::int64_t created_s = ToUnixSeconds(runtime::WallNow());
  if (const Video* first = jobs.table().Find(ids_.front())) created_s = first->created_s;
  answer_.AddText(absl::StrCat("{\"created\":", created_s, ",\"output_format\":\"png\",\"data\":["));
  for (const std::string& id : ids_) {
    const Video* const video = jobs.table().Find(id);
    if (video == nullptr || !video->has_result)
      return ImageRefusal{410, "result_gone", "the store was full and this image had to make room"};
    const auto fd = jobs.store().OpenResult(id);
    if (!fd.ok()) return ImageRefusal{500, "storage_failed", std::string(fd.status().message())};
    answer_.AddText(absl::StrCat(&id == &ids_.front() ? "" : ",", "{\"b64_json\":\""));
    answer_.AddFile(std::make_unique<ResultFile>(*fd), video->result_bytes);
    answer_.AddText(absl::StrCat("\",\"ringway\":", OriginJson(*video), "}"));
  }
  answer_.AddText("]}");
  return std::nullopt;
}

void ImageCall::Forsake(VideoJobs& jobs) const {
  if (keyed_) return;
  for (const std::string& id : ids_) jobs.Forget(id);
}

}  // namespace ringway::gateway
