#include "cli/generate_film.h"

#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/engine_log.h"
#include "cli/picture_size.h"
#include "cli/progress_report.h"
#include "cli/result_file.h"
#include "core/json.h"
#include "engine/media/encode.h"

namespace ringway::cli {
namespace {

absl::StatusOr<engine::AnimationFormat> FormatOf(std::string& out) {
  const engine::AnimationFormat usual = engine::DefaultAnimationFormat();
  const bool mp4 = usual == engine::AnimationFormat::kMp4;
  if (out.empty()) out = mp4 ? "film.mp4" : "film.gif";
  if (ResultFile::IsStandardOutput(out)) return usual;
  const std::string ending = std::filesystem::path(out).extension().string();
  const auto format = engine::AnimationFormatOf(ending.empty() ? ending : ending.substr(1));
  if (format) return *format;
  return absl::InvalidArgumentError(absl::StrCat("--out is \"", out.substr(0, 100),
                                                 "\"; films are written with an ending of ",
                                                 engine::AnimationFormatNames()));
}

absl::Status ReadFilmSize(const FilmOrder& order, engine::FilmRequest& request) {
  engine::PictureRequest sides;
  if (absl::Status status = ReadPictureSize(order.size, sides); !status.ok()) return status;
  request.width = sides.width;
  request.height = sides.height;
  return absl::OkStatus();
}

absl::Status CheckIdle(const FilmOrder& order) {
  if (order.idle.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(absl::StrJoin(order.idle, ", "), ": no effect with a model that makes films; leave out"));
}

void ReportFilm(Session& session, const FilmOrder& order, const engine::DrawnFilm& drawn, std::size_t bytes,
                double seconds) {
  const engine::Picture& first = drawn.animation.frames.front();
  const auto frames = static_cast<std::int64_t>(drawn.animation.frames.size());
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("file").Text(order.out).Key("bytes").Integer(static_cast<std::int64_t>(bytes));
    json.Key("width").Integer(first.width).Key("height").Integer(first.height).Key("frames").Integer(frames);
    json.Key("fps").Integer(drawn.frames_per_second).Key("steps").Integer(drawn.steps);
    json.Key("guidance").Number(drawn.guidance).Key("seconds").Number(seconds);
    json.Key("notes").Texts(drawn.animation.notes).End();
    session.out << json.text() << "\n";
    return;
  }
  for (const std::string& note : drawn.animation.notes) session.err << "note: " << note << "\n";
  std::ostream& told = ResultFile::IsStandardOutput(order.out) ? session.err : session.out;
  told << order.out << ": " << bytes << " bytes, "
       << absl::StrFormat("%d frames of %d x %d at %d a second, %d steps, guidance %g, seed %d, %.2f s\n",
                          frames, first.width, first.height, drawn.frames_per_second, drawn.steps,
                          drawn.guidance, order.request.seed, seconds);
}

}  // namespace

int GenerateFilm(Session& session, FilmOrder order) {
  const absl::StatusOr<engine::AnimationFormat> format = FormatOf(order.out);
  if (session.json && ResultFile::IsStandardOutput(order.out))
    return Fail(session, BothOnStandardOutput("-o"));
  for (const absl::Status& status : {CheckIdle(order), format.status(), ReadFilmSize(order, order.request)})
    if (!status.ok()) return Fail(session, status);
  EngineLog log(session);  // outlives the engine
  order.engine.log = [&log](const std::string& line) { log.Add(line); };
  const auto engine = engine::FilmEngine::Open(order.model, order.engine);
  if (!engine.ok()) return Fail(session, engine.status());
  ProgressReport progress(session);
  const absl::StatusOr<engine::DrawnFilm> drawn = (*engine)->Draw(
      order.request,
      [&](const engine::AnimateProgress& p) {
        progress.Tell(static_cast<std::uint32_t>(p.step), static_cast<std::uint32_t>(p.steps), p.fraction);
      },
      {});
  if (!drawn.ok()) return Fail(session, drawn.status());
  const absl::StatusOr<std::string> file =
      engine::EncodeAnimation(drawn->animation, *format, {.threads = (*engine)->threads()});
  if (!file.ok()) return Fail(session, file.status());
  if (absl::Status status = WriteResult(order.out, *file, session.out); !status.ok())
    return Fail(session, status);
  ReportFilm(session, order, *drawn, file->size(), progress.Seconds());
  return kExitOk;
}

}  // namespace ringway::cli
