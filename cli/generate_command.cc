// ringway generate [--model DIR] -p PROMPT [--motion-adapter DIR] [-o FILE.png | -o FILE.mp4] ...
// ringway generate [--model DIR] --prompts FILE [-o FOLDER] ...
// ringway generate --list
#include <filesystem>
#include <memory>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/animation.h"
#include "cli/bundled_list.h"
#include "cli/commands.h"
#include "cli/engine_log.h"
#include "cli/generate_film.h"
#include "cli/picture_size.h"
#include "cli/precision_option.h"
#include "cli/progress_report.h"
#include "cli/prompt_list.h"
#include "cli/result_file.h"
#include "core/json.h"
#include "engine/bundled_pictures.h"
#include "engine/media/decode.h"
#include "engine/media/encode.h"
#include "engine/picture_engine.h"
#include "engine/picture_order.h"
#include "engine/sampler/scheduler_config.h"

namespace ringway::cli {
namespace {

struct GenerateOptions {
  engine::PictureRequest request;
  std::string model = engine::kScenes;  // a name of bundled_pictures.h, or a path
  bool list = false;                    // what is bundled, and draw nothing
  std::string out;                      // empty: picture.png, film.mp4; of a list of prompts a folder
  std::string list_file;                // prompts, one a line; empty: the request's
  std::string size;                     // "512x768", "512"; empty: the model's own
  std::string start_file;               // a picture to start from
  double guidance = -1;                 // below 0: not given
  std::vector<std::string> adapters;    // "FILE" or "FILE:STRENGTH"
  std::string mask_file;
  bool strength_given = false;
  std::vector<std::string> controls, control_pictures, control_windows;  // one picture and window a control
  std::vector<std::string> words;                                        // "WORD=FILE" or "FILE"
  std::string preview, preview_out = "preview.png";
  double coder_mib = 0;
  int frames = 0, frames_per_second = 0;   // of a film
  std::vector<std::string> only_pictures;  // options that were given, and that films know nothing of
  engine::EngineOptions engine;
};

// What only pictures are drawn with.
constexpr const char* kPictureOptions[] = {
    "--prompts",   "--motion-adapter", "--config",      "--scheduler",     "--init",
    "--strength",  "--mask",           "--control",     "--control-image", "--control-window",
    "--embedding", "--preview",        "--preview-out", "--clip-skip",     "--lora"};

FilmOrder FilmOrderOf(const GenerateOptions& options) {
  FilmOrder order{{}, options.model, options.size, options.out, options.only_pictures, options.engine};
  order.request.prompt = options.request.prompt;
  order.request.negative = options.request.negative;
  order.request.seed = options.request.seed;
  order.request.steps = options.request.steps;
  order.request.frames = options.frames;
  order.request.frames_per_second = options.frames_per_second;
  if (options.guidance >= 0) order.request.guidance = options.guidance;
  return order;
}

absl::Status CheckNoFilm(const GenerateOptions& options) {
  const bool asked = options.frames != 0 || options.frames_per_second != 0;
  if (!asked || !options.request.motion.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      options.model,
      ": draws pictures, so --frames and --fps have no effect without --motion-adapter; leave out"));
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

absl::Status ReadMask(const std::string& file, engine::PictureRequest& request) {
  if (file.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> bytes = PhotoFor(file);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<engine::Picture> mask = engine::DecodeMask(*bytes);
  if (!mask.ok())
    return absl::InvalidArgumentError(absl::StrCat("--mask ", file, ": ", mask.status().message()));
  request.mask = *std::move(mask);
  return absl::OkStatus();
}

absl::Status ReadWindow(const std::string& text, engine::ControlRequest& control) {
  const std::vector<std::string> ends = absl::StrSplit(text, ',');
  if (ends.size() == 2 && absl::SimpleAtod(ends[0], &control.begin) &&
      absl::SimpleAtod(ends[1], &control.end))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--control-window is \"", text.substr(0, 100),
                                                 "\"; allowed: START,END, shares of the way, as 0,0.5"));
}

absl::Status ReadControls(const GenerateOptions& options, engine::PictureRequest& request) {
  if (options.controls.size() != options.control_pictures.size() ||
      options.control_windows.size() > options.controls.size())
    return absl::InvalidArgumentError(
        "every --control has a --control-image, and at most one --control-window, in the same order");
  for (std::size_t i = 0; i < options.controls.size(); ++i) {
    engine::ControlRequest control;
    const engine::NamedStrength named = engine::SplitStrength(options.controls[i]);
    std::error_code error;
    const bool whole = std::filesystem::exists(options.controls[i], error);
    control.network = engine::BundledControlOr(whole ? options.controls[i] : named.name);
    if (!whole) control.strength = named.strength;
    const absl::StatusOr<std::string> bytes = PhotoFor(options.control_pictures[i]);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<engine::Picture> picture = engine::DecodePicture(*bytes);
    if (!picture.ok())
      return absl::InvalidArgumentError(
          absl::StrCat("--control-image ", options.control_pictures[i], ": ", picture.status().message()));
    control.picture = *std::move(picture);
    if (i < options.control_windows.size())
      if (absl::Status read = ReadWindow(options.control_windows[i], control); !read.ok()) return read;
    request.controls.push_back(std::move(control));
  }
  return absl::OkStatus();
}

// FILE means the file's own name.
void ReadWords(const std::vector<std::string>& words, engine::PictureRequest& request) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      request.words.push_back({std::filesystem::path(word).stem().string(), word});
    else
      request.words.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
}

// A preview that cannot be written is told once, at the end: the picture is what was asked for.
void ShowPreviews(GenerateOptions& options, absl::Status& written) {
  if (options.preview.empty()) return;
  options.request.preview = options.preview;
  options.request.on_preview = [&options, &written](int step, const engine::Picture& picture) {
    const absl::StatusOr<std::string> file =
        engine::EncodePng(picture, {{"preview of step", absl::StrCat(step)}});
    std::ostringstream nowhere;
    const absl::Status status = file.ok() ? WriteResult(options.preview_out, *file, nowhere) : file.status();
    if (written.ok()) written = status;
  };
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
    adapter.path = engine::BundledAdapterOr(adapter.path);
    request.adapters.push_back(std::move(adapter));
  }
}

std::string ModelName(const std::string& model) {
  const std::filesystem::path path = std::filesystem::path(model).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
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

absl::Status CheckFolder(GenerateOptions& options) {
  if (!options.request.motion.empty())
    return absl::InvalidArgumentError("--prompts draws pictures; leave out --motion-adapter");
  if (ResultFile::IsStandardOutput(options.out))
    return absl::InvalidArgumentError("--out is \"-\"; with --prompts it names a folder");
  if (options.out.empty()) options.out = "pictures";
  return absl::OkStatus();
}

absl::Status CheckOut(GenerateOptions& options) {
  if (!options.list_file.empty()) return CheckFolder(options);
  if (!options.request.motion.empty()) return FilmFormat(options.out).status();
  if (options.out.empty()) options.out = "picture.png";
  const std::string& out = options.out;
  const std::string ending = std::filesystem::path(out).extension().string();
  if (ResultFile::IsStandardOutput(out) || ending == ".png" || ending.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--out is \"", out.substr(0, 100), "\"; pictures are written as .png"));
}

// From a request that is ready to a file and what is told of it. An exit code.
int DrawOne(Session& session, GenerateOptions& options, const std::string& model_name,
            engine::PictureEngine& engine) {
  absl::Status preview_written;
  ShowPreviews(options, preview_written);
  ProgressReport progress(session);
  const absl::StatusOr<engine::DrawnPicture> drawn = engine.Draw(
      options.request,
      [&](const engine::AnimateProgress& p) {
        progress.Tell(static_cast<std::uint32_t>(p.step), static_cast<std::uint32_t>(p.steps), p.fraction);
      },
      {});
  if (!drawn.ok()) return Fail(session, drawn.status());
  const absl::StatusOr<std::string> file = engine::EncodePng(
      drawn->picture,
      engine::DrawnTexts(options.request, *drawn, absl::StrCat("Ringway ", RINGWAY_VERSION), model_name,
                         std::filesystem::path(options.start_file).filename().string()));
  if (!file.ok()) return Fail(session, file.status());
  if (absl::Status status = WriteResult(options.out, *file, session.out); !status.ok())
    return Fail(session, status);
  if (!preview_written.ok()) session.err << "note: --preview: " << preview_written.message() << "\n";
  Report(session, options, *drawn, file->size(), progress.elapsed_s());
  return kExitOk;
}

// A picture a prompt, each by the seed after the last one's. An exit code, of the first that fails.
int DrawEach(Session& session, const GenerateOptions& options, const std::vector<std::string>& prompts,
             const std::string& model_name, engine::PictureEngine& engine) {
  if (absl::Status made = MakeFolder(options.out); !made.ok()) return Fail(session, made);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    GenerateOptions each = options;
    each.request.prompt = prompts[i];
    each.request.seed += i;
    each.out = NumberedPicture(options.out, i + 1);
    if (const int code = DrawOne(session, each, model_name, engine); code != kExitOk) return code;
  }
  return kExitOk;
}

int DrawFilm(Session& session, GenerateOptions& options, engine::PictureEngine& engine) {
  absl::Status preview_written;
  ShowPreviews(options, preview_written);
  return GenerateByMotionAdapter(session, options.request, options.out, engine);
}

int Generate(Session& session, GenerateOptions& options) {
  if (options.list) return ListBundled(session);
  const std::string model_name = ModelName(options.model);
  const absl::StatusOr<std::filesystem::path> model = engine::FindPictureModel(options.model);
  if (!model.ok()) return Fail(session, model.status());
  options.model = model->string();
  options.engine.coder_bytes_max = static_cast<std::size_t>(options.coder_mib * (1 << 20));
  if (engine::FilmEngine::Opens(options.model)) return GenerateFilm(session, FilmOrderOf(options));
  if (session.json && ResultFile::IsStandardOutput(options.out))
    return Fail(session, BothOnStandardOutput("-o"));
  ReadAdapters(options.adapters, options.request);
  if (options.guidance >= 0) options.request.guidance = options.guidance;
  ReadWords(options.words, options.request);
  if (!options.mask_file.empty() && !options.strength_given) options.request.strength = 1;
  options.request.frames = options.frames;
  options.request.frames_per_second = options.frames_per_second;
  absl::StatusOr<std::vector<std::string>> prompts = std::vector<std::string>();
  if (!options.list_file.empty()) prompts = ReadPrompts(options.list_file);
  const absl::Status checks[] = {prompts.status(),
                                 CheckOut(options),
                                 CheckNoFilm(options),
                                 ReadPictureSize(options.size, options.request),
                                 ReadStart(options.start_file, options.request),
                                 ReadMask(options.mask_file, options.request),
                                 ReadControls(options, options.request)};
  for (const absl::Status& status : checks)
    if (!status.ok()) return Fail(session, status);
  EngineLog log(session);  // outlives the engine
  options.engine.log = [&log](const std::string& line) { log.Add(line); };
  const auto engine = engine::PictureEngine::Open(options.model, options.engine);
  if (!engine.ok()) return Fail(session, engine.status());
  if (!options.request.motion.empty()) return DrawFilm(session, options, **engine);
  return prompts->empty() ? DrawOne(session, options, model_name, **engine)
                          : DrawEach(session, options, *prompts, model_name, **engine);
}

}  // namespace

namespace {

void AddModel(flags::Command command, GenerateOptions& options) {
  command
      .Add("--model", options.model,
           "diffusers directory of Stable Diffusion 1.x, 2.x or XL, or of LTX-Video for films, or a "
           "single file of 1.x; or a bundled model: scenes, scenes-teacher")
      .ShowDefault();
  command.Add("--prompts", options.list_file,
              "a file of prompts, one a line: draws each, line 7 to 0007.png of the folder -o, by the "
              "seed 6 after --seed");
  command.AddFlag("--list", options.list, "tell which models, LoRAs and control networks are bundled here");
}

void AddFilms(flags::Command command, GenerateOptions& options) {
  command.Add("--motion-adapter", options.request.motion,
              "directory of a motion adapter (AnimateDiff) for a model of pictures: draws a film");
  command
      .Add("--frames", options.frames,
           "of a film: one more than a multiple of 8, 161 if not given; of a motion adapter's at most as "
           "many as it has positions, 16 if not given")
      .In(1, 1024);
  command
      .Add("--fps", options.frames_per_second,
           "frames a second of a film; the model is told; 25 if not given, 8 with a motion adapter")
      .In(1, 100);
}

void AddGuides(flags::Command command, GenerateOptions& options) {
  command.Add("--mask", options.mask_file,
              "with --init: a picture that is white, or a PNG that is transparent, where it is drawn "
              "anew; black stays as it is");
  command
      .Add(
          "--control", options.controls,
          "DIR or DIR:STRENGTH, a control network in diffusers' layout, or the bundled model's edges; may be "
          "repeated")
      .OneEach();
  command.Add("--control-image", options.control_pictures, "the picture that it follows").OneEach();
  command
      .Add("--control-window", options.control_windows,
           "START,END: on which part of the way it does, as shares; 0,1 if not given")
      .OneEach();
  command
      .Add("--embedding", options.words,
           "WORD=FILE, or FILE for its own name: a word of prompts that was learnt (textual inversion); "
           "may be repeated")
      .OneEach();
  command.Add("--preview", options.preview,
              "directory of a tiny autoencoder (TAESD) that shows the picture after each step");
  command.Add("--preview-out", options.preview_out, "where the newest preview goes").ShowDefault();
  command
      .Add("--vae-memory", options.coder_mib,
           "MiB that the autoencoder may take at a time; larger pictures are drawn in tiles [4096], "
           "larger films "
           "are refused [16384]")
      .In(0.0, 1e6);
}

}  // namespace

void AddGenerateCommand(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("generate", "draw a picture or a film from a prompt, here");
  const auto options = std::make_shared<GenerateOptions>();
  engine::PictureRequest& request = options->request;
  AddModel(command, *options);
  command.Add("--config", options->engine.configuration,
              "with a single file: the diffusers directory of the model that it was made of");
  command.Add("-p,--prompt", request.prompt, "what the picture should show").Excludes("--prompts");
  command.Add("--negative", request.negative, "what it should not show");
  command.Add("--size", options->size,
              "WIDTHxHEIGHT in pixels, multiples of 8, of 32 for films; the model's own if not given");
  command
      .Add("--steps", request.steps,
           "of the scheduler; what the model says if not given, else 25, 4 for lcm, 50 for films")
      .In(1, 1000);
  command
      .Add("--guidance", options->guidance,
           "how closely to follow the prompt, 1: not beyond it; what the model says if not given, "
           "else 7.5, 5 for "
           "XL, 3 for films")
      .In(0.0, 100.0);
  command.Add("--seed", request.seed, "another seed, another picture").ShowDefault();
  command.Add("--scheduler", request.scheduler,
              absl::StrCat(engine::SchedulerNames(), "; the checkpoint's own if not given"));
  command.Add("--init", options->start_file, "PNG, JPEG or WebP to start from; its size, if none is given");
  command
      .AddNumber(
          "--strength",
          [options](const double& strength) {
            options->request.strength = strength;
            options->strength_given = true;
          },
          "with --init: how far from it, above 0, to 1; 0.8 if not given, 1 with --mask")
      .In(0.0, 1.0);
  AddGuides(command, *options);
  AddFilms(command, *options);
  command.Add("--clip-skip", request.clip_skip, "last layers of the text encoder to leave out")
      .In(0, 64)
      .ShowDefault();
  command
      .Add("--lora", options->adapters,
           "FILE or FILE:STRENGTH, a LoRA of kohya's, diffusers' or peft's keys, or of the bundled model's "
           "sketch, sepia and mosaic; may be repeated")
      .OneEach();
  command.Add("-o,--out", options->out,
              "where the PNG or the film goes, - for standard output; the ending chooses a film's format; "
              "picture.png or film.mp4 if not given; with --prompts a folder, pictures if not given");
  command.Add("--packed-weights", options->engine.packed_weights,
              "where to keep packed weights, so that the next opening is fast: a directory of yours, or "
              "model: in the model's own");
  command.Add("--threads", options->engine.threads, "0: as many as there are processors")
      .In(0, 256)
      .ShowDefault();
  AddPrecision(command, options->engine);
  command.OnChosen([&session, options, command] {
    const bool list = options->list || command.Given("--prompts");
    if (!list && !command.Given("--prompt")) flags::Missing("--prompt");
    for (const char* name : kPictureOptions)
      if (command.Given(name)) options->only_pictures.emplace_back(name);
    session.run = [&session, options] { return Generate(session, *options); };
  });
}

}  // namespace ringway::cli
