#include "cli/animation.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/job_call.h"
#include "cli/progress_report.h"
#include "core/json.h"
#include "engine/animate_order.h"
#include "engine/bundled_model.h"
#include "engine/media/drawn_picture.h"
#include "proto/table_codec.h"
#include "topology/problems.h"

namespace ringway::cli {
namespace {

constexpr std::uintmax_t kPhotoBytesMax = 64u << 20;

absl::StatusOr<std::filesystem::path> ModelOf(const AnimateJob& job) {
  if (!job.model.empty()) return std::filesystem::path(job.model);
  return engine::FindBundledModel();
}

v1::JobHeader HeaderOf(const AnimateJob& job, std::size_t photo_bytes) {
  v1::JobHeader header;
  header.set_wire_version(wire::kWireVersion);
  header.set_tier(job.tier);
  header.set_prompt(job.prompt);
  if (photo_bytes > 0) header.set_content_type("image/*");
  if (job.still) header.set_frames(1);
  header.set_payload_bytes(photo_bytes);
  for (const auto& [name, value] : job.settings) (*header.mutable_parameters())[name] = value;
  return header;
}

}  // namespace

absl::StatusOr<std::string> PhotoFor(const std::string& file) {
  if (file.empty()) {
    engine::Animation still;
    still.frames.push_back(engine::DrawPicture());
    return engine::EncodeApng(still);
  }
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) return absl::NotFoundError(absl::StrCat(file, ": cannot be opened"));
  if (size > kPhotoBytesMax)
    return absl::InvalidArgumentError(absl::StrCat(file, ": has ", size, " bytes; at most ", kPhotoBytesMax));
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return std::move(bytes).str();
}

absl::StatusOr<AnimateResult> AnimateHere(Session& session, const AnimateJob& job, const std::string& photo) {
  const absl::StatusOr<engine::AnimateOrder> order =
      engine::ReadAnimateOrder(photo, job.prompt, job.settings);
  if (!order.ok()) return order.status();
  const absl::StatusOr<std::filesystem::path> model = ModelOf(job);
  if (!model.ok()) return model.status();
  const auto engine = engine::Engine::Open(*model, {.threads = job.threads});
  if (!engine.ok()) return engine.status();
  AnimateResult result;
  ProgressReport progress(session);
  const absl::StatusOr<engine::Animation> animation = (*engine)->Animate(
      order->request,
      [&](const engine::AnimateProgress& p) {
        progress.Tell(static_cast<std::uint32_t>(p.step), static_cast<std::uint32_t>(p.steps), p.fraction);
      },
      {});
  if (!animation.ok()) return animation.status();
  absl::StatusOr<std::string> file =
      engine::EncodeAnimation(*animation, order->format, {.threads = (*engine)->threads()});
  if (!file.ok()) return file.status();
  result.file = *std::move(file);
  result.seconds = progress.elapsed_s();
  result.notes = animation->notes;
  const engine::Picture& first = animation->frames.front();
  result.story = absl::StrFormat("%d frames of %d x %d, %s, %.2f s", animation->frames.size(), first.width,
                                 first.height, (*engine)->description(), result.seconds);
  return result;
}

absl::StatusOr<AnimateResult> AnimateThroughRouter(Session& session, const AnimateJob& job,
                                                   const std::string& photo) {
  AnimateResult result;
  ProgressReport progress(session);
  const JobEvents events{
      .accepted =
          [&](const v1::Accepted& accepted) {
            session.err << "started on " << accepted.worker() << " in " << accepted.region() << "\n";
          },
      .progress =
          [&](const v1::Progress& p) {
            progress.Tell(p.step(), p.steps(), static_cast<double>(p.step()) / std::max(1u, p.steps()));
          },
      .chunk =
          [&](std::string_view bytes) {
            result.file += bytes;
            return true;
          },
  };
  std::istringstream payload(photo);
  const absl::StatusOr<v1::End> end = RunJob(session.router, HeaderOf(job, photo.size()), &payload, events);
  if (!end.ok()) return end.status();
  if (end->outcome() != "done") {
    const std::string message = absl::StrCat(end->outcome(), ": ", end->message());
    return end->outcome() == "rejected" ? absl::InvalidArgumentError(message) : absl::InternalError(message);
  }
  result.seconds = progress.elapsed_s();
  if (!end->message().empty()) result.notes.push_back(end->message());
  const v1::JobTrace& trace = end->trace();
  result.story =
      absl::StrFormat("made by %s in %s through %s: waited %.2f s, served in %.2f s", trace.worker(),
                      trace.region(), trace.router(), trace.wait_s(), trace.service_s());
  return result;
}

std::string ResultJson(const AnimateResult& result, const std::string& out) {
  JsonWriter json;
  json.BeginObject().Key("file").Text(out).Key("bytes").Integer(
      static_cast<std::int64_t>(result.file.size()));
  json.Key("seconds").Number(result.seconds).Key("story").Text(result.story);
  json.Key("notes").Texts(result.notes).End();
  return json.text() + "\n";
}

}  // namespace ringway::cli
