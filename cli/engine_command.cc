// ringway engine inspect CHECKPOINT | ringway engine bench
#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/commands.h"
#include "core/json.h"
#include "engine/bundled_model.h"
#include "engine/checkpoint/inspect.h"
#include "engine/engine.h"
#include "engine/media/drawn_picture.h"
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

double SecondsSince(absl::Time begin) { return absl::ToDoubleSeconds(runtime::MonotonicNow() - begin); }

absl::StatusOr<Measured> Measure(const std::filesystem::path& model, const engine::EngineOptions& options) {
  constexpr int kRounds = 3;  // the best counts; the first touches memory for the first time
  Measured best;
  absl::Time begin = runtime::MonotonicNow();
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
  for (const bool full : {false, true}) {
    const auto m = Measure(model, {.threads = options.threads, .full_precision = full});
    if (!m.ok()) return Fail(session, m.status());
    const char* name = full ? "f32" : "fastest";
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

}  // namespace

void AddEngineCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("engine", "look into a checkpoint, or measure the bundled engine");
  command->require_subcommand(1);
  const auto options = std::make_shared<EngineCommandOptions>();
  CLI::App* inspect = command->add_subcommand("inspect", "the parts of a model: classes, sizes, types");
  inspect->add_option("CHECKPOINT", options->checkpoint, "model directory, component or .safetensors file")
      ->required();
  inspect->add_flag("--tensors", options->tensors, "list every tensor");
  inspect->callback(
      [&session, options] { session.run = [&session, options] { return Inspect(session, *options); }; });
  CLI::App* bench = command->add_subcommand("bench", "how long opening, a solver step and a frame take here");
  bench->add_option("--model", options->model, "model directory; the bundled one if not given");
  bench->add_option("--threads", options->threads, "0: as many as there are processors")
      ->check(CLI::Range(0, 256));
  bench->callback(
      [&session, options] { session.run = [&session, options] { return Bench(session, *options); }; });
}

}  // namespace ringway::cli
