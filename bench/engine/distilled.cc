// What distillation is worth on one picture: the student at 8 steps of one pass against the teacher at 32
// steps of three, the fifth of the article's optimisations. Timed are the diffusion alone, from the request
// to the last solver step, and the whole film, whose warped frames cost both the same.
//
// The teacher is weights/teacher with guidance switched on in a copy of its scheduler's settings. The student
// is what Ringway ships; it has the teacher's shape, so its weights do not matter to the time.
#include <stdlib.h>  // mkdtemp

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "engine/bundled_model.h"
#include "engine/engine.h"

namespace ringway::bench {
namespace {

namespace fs = std::filesystem;
using engine::AnimateProgress;
using engine::Engine;

constexpr char kScheduler[] = "scheduler/scheduler_config.json";

// Three passes at every level.
constexpr char kGuidedEverywhere[] = R"({"image_guidance_scale":1.5,"guidance_scale":2.0})";

// A copy of the model that is sampled so.
fs::path WithGuidance(const fs::path& model) {
  std::string folder = (fs::temp_directory_path() / "ringway-bench-XXXXXX").string();
  RINGWAY_CHECK(mkdtemp(folder.data()) != nullptr);
  fs::copy(model, folder, fs::copy_options::recursive);
  std::ofstream(fs::path(folder) / kScheduler) << kGuidedEverywhere;
  return folder;
}

engine::Picture Chequered() {
  engine::Picture picture = engine::Picture::Blank(512, 384);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      for (int c = 0; c < 3; ++c)
        picture.At(x, y)[c] = static_cast<std::uint8_t>((x / 32 + y / 32) % 2 * 128 + (x + y * c) % 96);
  return picture;
}

struct Seconds {
  double diffusion = 1e9, film = 1e9;
};

// The fastest of `rounds`, each part by itself, after one that warms up.
Seconds FastestOf(Engine& engine, int steps, int rounds) {
  Seconds fastest;
  const engine::AnimateRequest request{.picture = Chequered(), .prompt = "zoom in", .steps = steps};
  for (int round = 0; round <= rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const auto since = [begin] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    double diffusion = 0;
    const auto told = [&](const AnimateProgress& p) {
      if (diffusion == 0 && p.step == steps) diffusion = since();
    };
    RINGWAY_CHECK(engine.Animate(request, told, std::stop_token()).ok());
    if (round == 0) continue;
    fastest.diffusion = std::min(fastest.diffusion, diffusion);
    fastest.film = std::min(fastest.film, since());
  }
  return fastest;
}

}  // namespace

void MeasureDistilled(const RunOptions& options, Claims& claims) {
  const auto bundled = engine::FindBundledModel();
  RINGWAY_CHECK(bundled.ok());
  const fs::path guided = WithGuidance(bundled->parent_path() / "teacher");
  const engine::EngineOptions how{.threads = options.threads};
  const auto teacher = Engine::Open(guided, how), student = Engine::Open(*bundled, how);
  fs::remove_all(guided);  // mapped or read; the names are not needed any more
  RINGWAY_CHECK(teacher.ok() && student.ok());
  const int rounds = options.quick ? 1 : 3;
  const Seconds slow = FastestOf(**teacher, 32, rounds), fast = FastestOf(**student, 8, rounds);
  claims.AtLeast(
      "student_8x1_against_teacher_32x3", slow.diffusion / fast.diffusion, 10,
      absl::StrFormat(
          "diffusion %.0f ms -> %.0f ms; with the film's 48 frames of 512 x 384 %.0f ms -> %.0f ms (%.1fx)",
          slow.diffusion * 1e3, fast.diffusion * 1e3, slow.film * 1e3, fast.film * 1e3,
          slow.film / fast.film));
}

}  // namespace ringway::bench
