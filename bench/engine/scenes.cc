// What distillation is worth from the request to the bytes of a PNG: the bundled student (8 steps without
// guidance) against its teacher (32 steps, each of two passes) in turn, the same sentences and seeds.
//
// Served: both are open and have drawn before, as in a worker. Started: the model is opened for the one
// picture, as `ringway generate` does, with packed weights kept in a folder; without one, each start packs
// them anew, which both pay alike and which weighs more beside 8 passes than beside 64.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/stopwatch.h"
#include "core/check.h"
#include "engine/bundled_pictures.h"
#include "engine/media/encode.h"
#include "engine/picture_engine.h"
#include "tests/engine/checkpoint_files.h"

namespace ringway::bench {
namespace {

constexpr double kFaster = 6;
constexpr int kPictures = 12, kQuickPictures = 3;
constexpr const char* kPrompt = "two red boats on the sea on the left at dusk under a cloudy sky";

std::unique_ptr<engine::PictureEngine> Opened(const char* name, int threads, const std::string& packed = {}) {
  const auto folder = engine::FindPictureModel(name);
  RINGWAY_CHECK(folder.ok());
  auto opened = engine::PictureEngine::Open(*folder, {.threads = threads, .packed_weights = packed});
  RINGWAY_CHECK(opened.ok());
  return *std::move(opened);
}

void DrawPng(engine::PictureEngine& with) {
  const auto drawn = with.Draw({.prompt = kPrompt}, {}, {});
  RINGWAY_CHECK(drawn.ok());
  RINGWAY_CHECK(engine::EncodePng(drawn->picture).ok());
}

std::string Remark(const Pair& pair, std::string_view what) {
  return absl::StrFormat("teacher %.0f ms, student %.0f ms, %s", pair.first * 1e3, pair.second * 1e3, what);
}

}  // namespace

void MeasureScenes(const RunOptions& options, Claims& claims) {
  if (const auto found = engine::FindScenes(); !found.ok()) {
    claims.Remark(absl::StrCat("scenes: not measured: ", found.status().message()));
    return;
  }
  const int rounds = options.quick ? kQuickPictures : kPictures;
  const auto teacher = Opened(engine::kScenesTeacher, options.threads);
  const auto student = Opened(engine::kScenes, options.threads);
  const Pair served = FastestOfEach([&] { DrawPng(*teacher); }, [&] { DrawPng(*student); }, rounds);
  claims.AtLeast("student_against_teacher_served", served.ratio(), kFaster, Remark(served, "models open"));
  const auto start = [&](const char* name, const std::string& packed) {
    return [&options, name, packed] { DrawPng(*Opened(name, options.threads, packed)); };
  };
  const engine::ScratchFolder folder;
  const Pair started = FastestOfEach(start(engine::kScenesTeacher, folder.path().string()),
                                     start(engine::kScenes, folder.path().string()), rounds);
  claims.AtLeast("student_against_teacher_started", started.ratio(), kFaster,
                 Remark(started, "opened for the picture, packed weights kept"));
  const Pair bare = FastestOfEach(start(engine::kScenesTeacher, {}), start(engine::kScenes, {}), rounds);
  claims.Remark(
      Remark(bare, absl::StrFormat("opened for the picture, nothing kept: %.2f times", bare.ratio())));
}

}  // namespace ringway::bench
