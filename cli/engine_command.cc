// ringway engine inspect CHECKPOINT | ringway engine bench
#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/commands.h"
#include "cli/picture_size.h"
#include "cli/precision_option.h"
#include "cli/text_table.h"
#include "core/json.h"
#include "engine/bundled_model.h"
#include "engine/checkpoint/inspect.h"
#include "engine/engine.h"
#include "engine/media/drawn_picture.h"
#include "engine/picture_engine.h"
#include "engine/switch_costs.h"
#include "runtime/clock.h"

namespace ringway::cli {
namespace {

struct EngineCommandOptions {
  std::string checkpoint;
  bool tensors = false;
  std::string model;
  int threads = 0;
};

int Inspect(Session& session, const EngineCommandOptions& options) {
  const absl::StatusOr<std::string> text =
      engine::InspectCheckpoint(options.checkpoint, {.list_tensors = options.tensors});
  if (!text.ok()) return Fail(session, text.status());
  session.out << *text;
  return kExitOk;
}

// Where the time of one animation goes.
struct Measured {
  double open_s = 0, solver_s = 0, film_s = 0;
  int steps = 0;
  std::size_t frames = 0;
};

double SecondsSince(Time begin) { return ToDoubleSeconds(runtime::MonotonicNow() - begin); }

absl::StatusOr<Measured> Measure(const std::filesystem::path& model, const engine::EngineOptions& options) {
  constexpr int kRounds = 3;  // the best counts; the first touches memory for the first time
  Measured best;
  Time begin = runtime::MonotonicNow();
  const auto opened = engine::Engine::Open(model, options);
  if (!opened.ok()) return opened.status();
  best.open_s = SecondsSince(begin);
  best.solver_s = best.film_s = 1e9;
  const engine::AnimateRequest request{.picture = engine::DrawPicture(), .prompt = "the boat sways gently"};
  for (int round = 0; round < kRounds; ++round) {
    begin = runtime::MonotonicNow();
    double solver_s = 0;
    const auto animation = (*opened)->Animate(request,
                                              [&](const engine::AnimateProgress& progress) {
                                                if (solver_s == 0 && progress.step == progress.steps)
                                                  solver_s = SecondsSince(begin);
                                                best.steps = progress.steps;
                                              },
                                              {});
    if (!animation.ok()) return animation.status();
    best.solver_s = std::min(best.solver_s, solver_s);
    best.film_s = std::min(best.film_s, SecondsSince(begin) - solver_s);
    best.frames = animation->frames.size();
  }
  return best;
}

int Bench(Session& session, const EngineCommandOptions& options) {
  std::filesystem::path model = options.model;
  if (model.empty()) {
    const auto bundled = engine::FindBundledModel();
    if (!bundled.ok()) return Fail(session, bundled.status());
    model = *bundled;
  }
  JsonWriter json;
  json.BeginArray();
  for (const engine::Precision precision : {engine::Precision::kBF16, engine::Precision::kF32}) {
    const auto m = Measure(model, {.threads = options.threads, .precision = precision});
    if (!m.ok()) return Fail(session, m.status());
    const char* name = precision == engine::Precision::kF32 ? "f32" : "fastest";
    json.BeginObject().Key("precision").Text(name).Key("open_s").Number(m->open_s);
    json.Key("step_s").Number(m->solver_s / m->steps).Key("steps").Integer(m->steps);
    json.Key("frame_s").Number(m->film_s / static_cast<double>(m->frames)).End();
    if (!session.json)
      session.out << absl::StrFormat("%-8s open %.2f s, %d solver steps of %.1f ms, %d frames of %.2f ms\n",
                                     name, m->open_s, m->steps, m->solver_s / m->steps * 1e3, m->frames,
                                     m->film_s / static_cast<double>(m->frames) * 1e3);
  }
  json.End();
  if (session.json) session.out << json.text() << "\n";
  return kExitOk;
}

struct ProfileOptions {
  std::string model, size, prompt = "a lighthouse at dusk";
  int steps = 0, rounds = 2;
  bool switches = false;
  std::string other, lora;
  engine::EngineOptions engine;
};

// The rows of a profile, with their shares of the whole picture and of the processor's peak.
std::string ProfileTable(const engine::Profile& profile, bool colour) {
  double all_s = 0;
  for (const engine::ProfileEntry& entry : profile.entries) all_s += entry.runs * entry.seconds;
  TextTable table({{"PART"},
                   {"OPERATION"},
                   {"RUNS", Align::kRight},
                   {"KERNELS", Align::kRight},
                   {"MS/RUN", Align::kRight},
                   {"OF PICTURE", Align::kRight},
                   {"GFLOP/S", Align::kRight},
                   {"OF PEAK", Align::kRight}});
  const auto row = [&](const std::string& part, const std::string& operation, int runs, int kernels,
                       double seconds, double flops, Style style) {
    const double rate = seconds > 0 ? flops / seconds : 0;
    table.Add(
        {{part, style},
         {operation, style},
         {absl::StrCat(runs), style},
         {absl::StrCat(kernels), style},
         {absl::StrFormat("%.2f", seconds * 1e3), style},
         {absl::StrFormat("%.1f %%", 100 * runs * seconds / std::max(all_s, 1e-12)), style},
         {rate > 0 ? absl::StrFormat("%.1f", rate / 1e9) : "-", style},
         {rate > 0 && profile.peak_flops > 0 ? absl::StrFormat("%.0f %%", 100 * rate / profile.peak_flops)
                                             : "-",
          style}});
  };
  for (std::size_t i = 0; i < profile.entries.size();) {
    const engine::ProfileEntry& first = profile.entries[i];
    std::size_t end = i;
    double seconds = 0, flops = 0;
    int kernels = 0;
    for (; end < profile.entries.size() && profile.entries[end].part == first.part; ++end) {
      seconds += profile.entries[end].seconds;
      flops += profile.entries[end].flops;
      kernels += profile.entries[end].kernels;
    }
    row(first.part, "all", first.runs, kernels, seconds, flops, Style::kBold);
    for (; i < end; ++i)
      row("", profile.entries[i].operation, profile.entries[i].runs, profile.entries[i].kernels,
          profile.entries[i].seconds, profile.entries[i].flops, Style::kPlain);
  }
  return absl::StrCat(
      table.Render(colour),
      absl::StrFormat("%d x %d, %d steps: %.2f s by these; peak in %s %.0f GFLOP/s, measured here\n",
                      profile.width, profile.height, profile.steps, all_s, profile.bf16 ? "bf16" : "f32",
                      profile.peak_flops / 1e9));
}

// As it was computed: bf16 is f32 where the processor does not multiply it.
std::string_view PrecisionOf(const engine::Profile& profile) {
  const bool f32 = profile.precision == engine::Precision::kBF16 && !profile.bf16;
  return engine::kPrecisionNames[static_cast<std::size_t>(f32 ? engine::Precision::kF32 : profile.precision)];
}

std::string ProfileJson(const engine::Profile& profile) {
  JsonWriter json;
  json.BeginObject().Key("width").Integer(profile.width).Key("height").Integer(profile.height);
  json.Key("steps").Integer(profile.steps).Key("precision").Text(PrecisionOf(profile));
  json.Key("peak_flops").Number(profile.peak_flops).Key("entries").BeginArray();
  for (const engine::ProfileEntry& entry : profile.entries) {
    json.BeginObject().Key("part").Text(entry.part).Key("operation").Text(entry.operation);
    json.Key("runs")
        .Integer(entry.runs)
        .Key("kernels")
        .Integer(entry.kernels)
        .Key("seconds")
        .Number(entry.seconds);
    json.Key("flops").Number(entry.flops).End();
  }
  json.End().End();
  return json.text();
}

int ProfileSwitches(Session& session, const ProfileOptions& options, const engine::PictureRequest& request) {
  engine::SwitchWishes wishes;
  wishes.model = {options.model, options.engine.configuration};
  wishes.other.path = options.other;
  wishes.adapter = options.lora;
  wishes.packed = options.engine.packed_weights;
  wishes.width = request.width;
  wishes.height = request.height;
  wishes.rounds = options.rounds;
  wishes.options = options.engine;
  const absl::StatusOr<std::vector<engine::SwitchCost>> costs = engine::MeasureSwitches(wishes);
  if (!costs.ok()) return Fail(session, costs.status());
  if (session.json) {
    JsonWriter json;
    json.BeginArray();
    for (const engine::SwitchCost& cost : *costs) {
      json.BeginObject().Key("from").Text(cost.from).Key("to").Text(cost.to);
      json.Key("first_s").Number(cost.first.seconds).Key("again_s").Number(cost.again.seconds);
      json.Key("first_processor_s").Number(cost.first.processor_s);
      json.Key("again_processor_s").Number(cost.again.processor_s).End();
    }
    session.out << json.End().text() << "\n";
    return kExitOk;
  }
  TextTable table({{"FROM"},
                   {"TO"},
                   {"FIRST MS", Align::kRight},
                   {"AGAIN MS", Align::kRight},
                   {"PROCESSOR MS", Align::kRight},
                   {"AGAIN", Align::kRight}});
  const auto ms = [](double seconds) { return absl::StrFormat("%.2f", seconds * 1e3); };
  for (const engine::SwitchCost& cost : *costs)
    table.Add({{cost.from},
               {cost.to},
               {ms(cost.first.seconds)},
               {ms(cost.again.seconds)},
               {ms(cost.first.processor_s)},
               {ms(cost.again.processor_s)}});
  session.out << table.Render(session.colour) << "until the first step could run; no step is taken\n";
  return kExitOk;
}

int ProfileModel(Session& session, const ProfileOptions& options) {
  if (!engine::PictureEngine::Opens(options.model))
    return Fail(session, absl::InvalidArgumentError(
                             absl::StrCat(options.model,
                                          ": is no model that draws pictures from prompts; `ringway engine "
                                          "bench --model` measures those that animate photos")));
  engine::PictureRequest request{.prompt = options.prompt, .steps = options.steps};
  if (absl::Status read = ReadPictureSize(options.size, request); !read.ok()) return Fail(session, read);
  if (options.switches) return ProfileSwitches(session, options, request);
  if (!options.other.empty() || !options.lora.empty() || !options.engine.packed_weights.empty())
    return Fail(session, absl::InvalidArgumentError(
                             "--other, --lora and --packed-weights have an effect with --switches alone"));
  const auto opened = engine::PictureEngine::Open(options.model, options.engine);
  if (!opened.ok()) return Fail(session, opened.status());
  const absl::StatusOr<engine::Profile> profile = (*opened)->Measure(request, options.rounds);
  if (!profile.ok()) return Fail(session, profile.status());
  if (session.json)
    session.out << ProfileJson(*profile) << "\n";
  else
    session.out << ProfileTable(*profile, session.colour);
  return kExitOk;
}

void AddProfileCommand(flags::Command command, Session& session) {
  const auto options = std::make_shared<ProfileOptions>();
  flags::Command profile =
      command.Subcommand("profile", "where the time of a picture goes: by part and kind of operation");
  profile.Add("MODEL", options->model, "diffusers directory, or a single file with --config").Required();
  profile.Add("--config", options->engine.configuration, "with a single file: its diffusers directory");
  profile.Add("--size", options->size, "WIDTHxHEIGHT; the model's own if not given");
  profile.Add("--steps", options->steps, "of the picture").In(1, 1000);
  profile.Add("--rounds", options->rounds, "each operation is run so often, the best counts")
      .In(1, 100)
      .ShowDefault();
  profile.Add("--threads", options->engine.threads, "0: as many as there are processors").In(0, 256);
  AddPrecision(profile, options->engine);
  profile.AddFlag("--switches", options->switches,
                  "instead: what each kind of switch costs until the first step could run");
  profile.Add("--other", options->other,
              "with --switches: another model to switch with; the same once more if not given");
  profile.Add("--lora", options->lora, "with --switches: a LoRA to turn on and off");
  profile.Add("--packed-weights", options->engine.packed_weights,
              "with --switches: where packed weights are kept; not measured if not given");
  profile.OnChosen(
      [&session, options] { session.run = [&session, options] { return ProfileModel(session, *options); }; });
}

}  // namespace

void AddEngineCommand(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("engine", "look into a checkpoint, or measure the bundled engine");
  command.RequireSubcommand();
  const auto options = std::make_shared<EngineCommandOptions>();
  flags::Command inspect = command.Subcommand("inspect", "the parts of a model: classes, sizes, types");
  inspect.Add("CHECKPOINT", options->checkpoint, "model directory, component or .safetensors file")
      .Required();
  inspect.AddFlag("--tensors", options->tensors, "list every tensor");
  inspect.OnChosen(
      [&session, options] { session.run = [&session, options] { return Inspect(session, *options); }; });
  flags::Command bench = command.Subcommand("bench", "how long opening, a solver step and a frame take here");
  bench.Add("--model", options->model, "model directory; the bundled one if not given");
  bench.Add("--threads", options->threads, "0: as many as there are processors").In(0, 256);
  AddProfileCommand(command, session);
  bench.OnChosen(
      [&session, options] { session.run = [&session, options] { return Bench(session, *options); }; });
}

}  // namespace ringway::cli
