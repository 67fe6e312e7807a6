// ringway generate --model DIR -p PROMPT [-o FILE.png] ...
#include <filesystem>
#include <memory>
#include <mutex>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/animation.h"
#include "cli/commands.h"
#include "cli/progress_report.h"
#include "cli/result_file.h"
#include "core/json.h"
#include "engine/media/decode.h"
#include "engine/media/encode.h"
#include "engine/picture_engine.h"
#include "engine/sampler/scheduler_config.h"
#include "engine/text/unicode.h"

namespace ringway::cli {
namespace {

struct GenerateOptions {
  engine::PictureRequest request;
  std::string model;
  std::string out = "picture.png";
  std::string size;                   // "512x768", "512"; empty: the model's own
  std::string start_file;             // a picture to start from
  double guidance = -1;               // below 0: not given
  std::vector<std::string> adapters;  // "FILE" or "FILE:STRENGTH"
  engine::EngineOptions engine;
};

absl::Status ReadSize(const std::string& text, engine::PictureRequest& request) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<std::string> sides = absl::StrSplit(text, 'x');
  const bool two = sides.size() == 2;
  if (sides.size() > 2 || !absl::SimpleAtoi(sides.front(), &request.width) ||
      !absl::SimpleAtoi(sides.back(), &request.height) || request.width < 1 || request.height < 1 ||
      (!two && sides.size() != 1))
    return absl::InvalidArgumentError(absl::StrCat(
        "--size is \"", text.substr(0, 100), "\"; allowed: WIDTHxHEIGHT or SIDE, in pixels, as 512x768"));
  return absl::OkStatus();
}

absl::Status ReadStart(const std::string& file, engine::PictureRequest& request) {
  if (file.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> bytes = PhotoFor(file);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<engine::Picture> picture = engine::DecodePicture(*bytes);
  if (!picture.ok())
    return absl::InvalidArgumentError(absl::StrCat("--init ", file, ": ", picture.status().message()));
  request.start = *std::move(picture);
  return absl::OkStatus();
}

// A name that ends in a number after a colon says a strength, unless there is a file of the whole name.
void ReadAdapters(const std::vector<std::string>& words, engine::PictureRequest& request) {
  for (const std::string& word : words) {
    engine::AdapterFile adapter{word};
    const std::size_t colon = word.rfind(':');
    std::error_code error;
    if (colon != std::string::npos && !std::filesystem::exists(word, error) &&
        absl::SimpleAtod(word.substr(colon + 1), &adapter.strength))
      adapter.path = word.substr(0, colon);
    request.adapters.push_back(std::move(adapter));
  }
}

// Words of the command line as a file may hold them: what is no UTF-8 becomes the mark that replaces it.
std::string Readable(std::string_view text) {
  std::string readable;
  while (!text.empty()) engine::AppendUtf8(engine::TakeCharacter(text), readable);
  return readable;
}

std::string ModelName(const std::string& model) {
  const std::filesystem::path path = std::filesystem::path(model).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// What it takes to draw the picture again.
engine::PngTexts Written(const GenerateOptions& options, const engine::DrawnPicture& drawn) {
  const engine::PictureRequest& request = options.request;
  engine::PngTexts texts = {{"Software", absl::StrCat("Ringway ", RINGWAY_VERSION)},
                            {"prompt", Readable(request.prompt)},
                            {"negative prompt", Readable(request.negative)},
                            {"model", Readable(ModelName(options.model))},
                            {"seed", absl::StrCat(request.seed)},
                            {"steps", absl::StrCat(drawn.steps)},
                            {"guidance", absl::StrCat(drawn.guidance)},
                            {"scheduler", drawn.scheduler},
                            {"size", absl::StrCat(drawn.picture.width, "x", drawn.picture.height)}};
  if (request.clip_skip > 0) texts.emplace_back("clip skip", absl::StrCat(request.clip_skip));
  for (const engine::AdapterFile& adapter : request.adapters)
    texts.emplace_back("lora", absl::StrCat(Readable(std::filesystem::path(adapter.path).filename().string()),
                                            ":", adapter.strength));
  if (request.start) {
    texts.emplace_back("init", Readable(std::filesystem::path(options.start_file).filename().string()));
    texts.emplace_back("strength", absl::StrCat(request.strength));
  }
  return texts;
}

void Report(Session& session, const GenerateOptions& options, const engine::DrawnPicture& drawn,
            std::size_t bytes, double seconds) {
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("file").Text(options.out).Key("bytes").Integer(static_cast<std::int64_t>(bytes));
    json.Key("width").Integer(drawn.picture.width).Key("height").Integer(drawn.picture.height);
    json.Key("steps").Integer(drawn.steps).Key("guidance").Number(drawn.guidance);
    json.Key("scheduler").Text(drawn.scheduler).Key("seconds").Number(seconds);
    json.Key("notes").Texts(drawn.notes).End();
    session.out << json.text() << "\n";
    return;
  }
  for (const std::string& note : drawn.notes) session.err << "note: " << note << "\n";
  std::ostream& told = ResultFile::IsStandardOutput(options.out) ? session.err : session.out;
  told << options.out << ": " << bytes << " bytes, "
       << absl::StrFormat("%d x %d, %d steps of %s, guidance %g, seed %d, %.2f s\n", drawn.picture.width,
                          drawn.picture.height, drawn.steps, drawn.scheduler, drawn.guidance,
                          options.request.seed, seconds);
}

absl::Status CheckOut(const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (ResultFile::IsStandardOutput(out) || ending == ".png" || ending.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--out is \"", out.substr(0, 100), "\"; pictures are written as .png"));
}

// What an engine says of its files, from its threads; told at the end, when they have gone.
class EngineLog {
 public:
  explicit EngineLog(Session& session) : session_(session) {}
  ~EngineLog() {
    for (const std::string& line : lines_) session_.err << "note: " << line << "\n";
  }
  EngineLog(const EngineLog&) = delete;
  EngineLog& operator=(const EngineLog&) = delete;
  void Add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }

 private:
  Session& session_;
  std::mutex mutex_;
  std::vector<std::string> lines_;  // a few for each network of the model
};

int Generate(Session& session, GenerateOptions& options) {
  if (session.json && ResultFile::IsStandardOutput(options.out))
    return Fail(session, BothOnStandardOutput("-o"));
  ReadAdapters(options.adapters, options.request);
  if (options.guidance >= 0) options.request.guidance = options.guidance;
  const absl::Status checks[] = {CheckOut(options.out), ReadSize(options.size, options.request),
                                 ReadStart(options.start_file, options.request)};
  for (const absl::Status& status : checks)
    if (!status.ok()) return Fail(session, status);
  EngineLog log(session);  // outlives the engine
  options.engine.log = [&log](const std::string& line) { log.Add(line); };
  const auto engine = engine::PictureEngine::Open(options.model, options.engine);
  if (!engine.ok()) return Fail(session, engine.status());
  ProgressReport progress(session);
  const absl::StatusOr<engine::DrawnPicture> drawn = (*engine)->Draw(
      options.request,
      [&](const engine::AnimateProgress& p) {
        progress.Tell(static_cast<std::uint32_t>(p.step), static_cast<std::uint32_t>(p.steps), p.fraction);
      },
      {});
  if (!drawn.ok()) return Fail(session, drawn.status());
  const absl::StatusOr<std::string> file = engine::EncodePng(drawn->picture, Written(options, *drawn));
  if (!file.ok()) return Fail(session, file.status());
  if (absl::Status status = WriteResult(options.out, *file, session.out); !status.ok())
    return Fail(session, status);
  Report(session, options, *drawn, file->size(), progress.Seconds());
  return kExitOk;
}

}  // namespace

void AddGenerateCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("generate", "draw a picture from a prompt with a Stable Diffusion model, here");
  const auto options = std::make_shared<GenerateOptions>();
  engine::PictureRequest& request = options->request;
  command
      ->add_option("--model", options->model,
                   "diffusers directory of Stable Diffusion 1.x, 2.x or XL, or a single file of 1.x")
      ->required();
  command->add_option("--config", options->engine.configuration,
                      "with a single file: the diffusers directory of the model that it was made of");
  command->add_option("-p,--prompt", request.prompt, "what the picture should show")->required();
  command->add_option("--negative", request.negative, "what it should not show");
  command->add_option("--size", options->size,
                      "WIDTHxHEIGHT in pixels, multiples of 8; the model's own if not given");
  command->add_option("--steps", request.steps, "of the scheduler; 25 if not given, 4 for lcm")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--guidance", options->guidance,
                   "how closely to follow the prompt, 1: not beyond it; 7.5 if not given, 5 for XL")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--seed", request.seed, "another seed, another picture")->capture_default_str();
  command->add_option("--scheduler", request.scheduler,
                      absl::StrCat(engine::SchedulerNames(), "; the checkpoint's own if not given"));
  command->add_option("--init", options->start_file,
                      "PNG, JPEG or WebP to start from; its size, if none is given");
  command->add_option("--strength", request.strength, "with --init: how far from it, above 0, to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--clip-skip", request.clip_skip, "last layers of the text encoder to leave out")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command
      ->add_option("--lora", options->adapters,
                   "FILE or FILE:STRENGTH, a LoRA of kohya's, diffusers' or peft's keys; may be repeated")
      ->allow_extra_args(false);
  command->add_option("-o,--out", options->out, "where the PNG goes, - for standard output")
      ->capture_default_str();
  command->add_option(
      "--packed-weights", options->engine.packed_weights,
      "where to keep packed weights, so that the next opening is fast: a directory of yours, or "
      "model: in the model's own");
  command->add_option("--threads", options->engine.threads, "0: as many as there are processors")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command->add_flag("--full-precision", options->engine.full_precision, "f32 where bf16 would be faster");
  command->callback(
      [&session, options] { session.run = [&session, options] { return Generate(session, *options); }; });
}

}  // namespace ringway::cli
