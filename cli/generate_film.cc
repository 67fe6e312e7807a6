#include "cli/generate_film.h"

#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
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

// The film's file, and how the drawing is told to people and programs.
struct FilmFile {
  const std::string& name;
  engine::AnimationFormat format;
  std::uint64_t seed;
  int threads;
};

void ReportFilm(Session& session, const FilmFile& file, const engine::DrawnFilm& drawn, std::size_t bytes,
                double seconds) {
  const engine::Picture& first = drawn.animation.frames.front();
  const auto frames = static_cast<std::int64_t>(drawn.animation.frames.size());
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("file").Text(file.name).Key("bytes").Integer(static_cast<std::int64_t>(bytes));
    json.Key("width").Integer(first.width).Key("height").Integer(first.height).Key("frames").Integer(frames);
    json.Key("fps").Integer(drawn.frames_per_second).Key("steps").Integer(drawn.steps);
    json.Key("guidance").Number(drawn.guidance);
    if (!drawn.scheduler.empty()) json.Key("scheduler").Text(drawn.scheduler);
    json.Key("seconds").Number(seconds).Key("notes").Texts(drawn.animation.notes).End();
    session.out << json.text() << "\n";
    return;
  }
  for (const std::string& note : drawn.animation.notes) session.err << "note: " << note << "\n";
  std::ostream& told = ResultFile::IsStandardOutput(file.name) ? session.err : session.out;
  const std::string scheduler = drawn.scheduler.empty() ? "" : absl::StrCat(" of ", drawn.scheduler);
  told << file.name << ": " << bytes << " bytes, "
       << absl::StrFormat("%d frames of %d x %d at %d a second, %d steps%s, guidance %g, seed %d, %.2f s\n",
                          frames, first.width, first.height, drawn.frames_per_second, drawn.steps, scheduler,
                          drawn.guidance, file.seed, seconds);
}

int WriteFilm(Session& session, const FilmFile& film, const absl::StatusOr<engine::DrawnFilm>& drawn,
              const ProgressReport& progress) {
  if (!drawn.ok()) return Fail(session, drawn.status());
  const absl::StatusOr<std::string> file =
      engine::EncodeAnimation(drawn->animation, film.format, {.threads = film.threads});
  if (!file.ok()) return Fail(session, file.status());
  if (absl::Status status = WriteResult(film.name, *file, session.out); !status.ok())
    return Fail(session, status);
  ReportFilm(session, film, *drawn, file->size(), progress.elapsed_s());
  return kExitOk;
}

engine::AnimateProgressFn Telling(ProgressReport& progress) {
  return [&progress](const engine::AnimateProgress& p) {
    progress.Tell(static_cast<std::uint32_t>(p.step), static_cast<std::uint32_t>(p.steps), p.fraction);
  };
}

}  // namespace

absl::StatusOr<engine::AnimationFormat> FilmFormat(std::string& out) {
  const engine::AnimationFormat usual = engine::DefaultAnimationFormat();
  const bool mp4 = usual == engine::AnimationFormat::kMp4;
  if (out.empty()) out = mp4 ? "film.mp4" : "film.gif";
  if (ResultFile::IsStandardOutput(out)) return usual;
  const std::string ending = std::filesystem::path(out).extension().string();
  const auto format =
      engine::AnimationFormatOf(absl::AsciiStrToLower(ending.empty() ? ending : ending.substr(1)));
  if (format) return *format;
  return absl::InvalidArgumentError(absl::StrCat("--out is \"", out.substr(0, 100),
                                                 "\"; films are written with an ending of ",
                                                 engine::AnimationFormatNames()));
}

int GenerateFilm(Session& session, FilmOrder order) {
  const absl::StatusOr<engine::AnimationFormat> format = FilmFormat(order.out);
  if (session.json && ResultFile::IsStandardOutput(order.out))
    return Fail(session, BothOnStandardOutput("-o"));
  for (const absl::Status& status : {CheckIdle(order), format.status(), ReadFilmSize(order, order.request)})
    if (!status.ok()) return Fail(session, status);
  EngineLog log(session);  // outlives the engine
  order.engine.log = [&log](const std::string& line) { log.Add(line); };
  const auto engine = engine::FilmEngine::Open(order.model, order.engine);
  if (!engine.ok()) return Fail(session, engine.status());
  ProgressReport progress(session);
  return WriteFilm(session, {order.out, *format, order.request.seed, (*engine)->threads()},
                   (*engine)->Draw(order.request, Telling(progress), {}), progress);
}

int GenerateByMotionAdapter(Session& session, const engine::PictureRequest& request, std::string out,
                            engine::PictureEngine& engine) {
  const absl::StatusOr<engine::AnimationFormat> format = FilmFormat(out);
  if (!format.ok()) return Fail(session, format.status());
  ProgressReport progress(session);
  return WriteFilm(session, {out, *format, request.seed, engine.threads()},
                   engine.Film(request, Telling(progress), {}), progress);
}

}  // namespace ringway::cli
