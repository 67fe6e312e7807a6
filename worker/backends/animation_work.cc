// Films of photos, by the engine's motion and video models.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/animate_order.h"
#include "engine/bundled_model.h"
#include "engine/engine.h"
#include "worker/backends/engine_work.h"

namespace ringway::worker {
namespace {

// What the servers of the OpenAI-style videos API call some settings; what says nothing new is dropped.
// `pace`: frames a second of the model, where the order names none.
void TakeApiNames(std::map<std::string, std::string>& settings, int pace) {
  const auto rename = [&settings](const char* from, const char* to) {
    if (auto found = settings.extract(from)) settings.try_emplace(to, std::move(found.mapped()));
  };
  rename("num_frames", "frames");
  rename("num_inference_steps", "steps");
  if (settings.contains("width") && settings.contains("height")) {
    const std::string width = settings.extract("width").mapped(),
                      height = settings.extract("height").mapped();
    settings.try_emplace("size", absl::StrCat(width, "x", height));
  }
  if (const auto size = settings.extract("size")) {
    int width = 0, height = 0;
    const std::vector<std::string> sides = absl::StrSplit(size.mapped(), 'x');
    const bool read =
        sides.size() == 2 && absl::SimpleAtoi(sides[0], &width) && absl::SimpleAtoi(sides[1], &height);
    settings.try_emplace("side", read ? absl::StrCat(std::max(width, height)) : size.mapped());
  }
  if (const auto seconds = settings.extract("seconds")) {
    double film_s = 0, fps = pace;
    if (const auto given = settings.find("fps"); given != settings.end())
      (void)absl::SimpleAtod(given->second, &fps);
    const bool read = absl::SimpleAtod(seconds.mapped(), &film_s) && film_s > 0 && film_s * fps < 1e6;
    settings.try_emplace(
        "frames",
        read ? absl::StrCat(std::max(1, static_cast<int>(std::lround(film_s * fps)))) : seconds.mapped());
  }
}

// The order's own words first, then the hints that the whole system understands.
std::map<std::string, std::string> SettingsOf(const WorkOrder& order, int pace) {
  std::map<std::string, std::string> settings = order.parameters;
  TakeApiNames(settings, pace);
  if (order.cost.steps != 0) settings.try_emplace("steps", absl::StrCat(order.cost.steps));
  if (order.cost.frames != 0) settings.try_emplace("frames", absl::StrCat(order.cost.frames));
  return settings;
}

class AnimationWork final : public EngineWork {
 public:
  explicit AnimationWork(std::unique_ptr<engine::Engine> engine) : engine_(std::move(engine)) {}

  absl::StatusOr<MadeResult> Make(const WorkOrder& order, const Tell& tell,
                                  const std::stop_token& stop) override {
    const absl::StatusOr<engine::AnimateOrder> read = engine::ReadAnimateOrder(
        order.payload, order.prompt, SettingsOf(order, engine_->frames_per_second()));
    if (!read.ok()) return read.status();
    std::uint32_t told = 0;
    const absl::StatusOr<engine::Animation> animation = engine_->Animate(
        read->request,
        [&](const engine::AnimateProgress& progress) {
          const auto steps = static_cast<std::uint32_t>(progress.steps) + 1;
          const auto step = progress.fraction >= 1 ? steps : static_cast<std::uint32_t>(progress.step);
          if (std::exchange(told, step) != step) tell(step, steps);
        },
        stop);
    if (!animation.ok()) return animation.status();
    absl::StatusOr<std::string> file =
        engine::EncodeAnimation(*animation, read->format, {.threads = engine_->threads(), .stop = stop});
    if (!file.ok()) return file.status();
    return MadeResult{*std::move(file), std::string(engine::ContentTypeOf(read->format)),
                      absl::StrJoin(animation->notes, "; ")};
  }
  PictureTerms pictures() const override { return DecodedPictures(PictureNeed::kRequired); }

 private:
  const std::unique_ptr<engine::Engine> engine_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EngineWork>> OpenAnimationWork(const EngineSettings& settings) {
  std::filesystem::path model = settings.model;
  if (model.empty()) {
    const absl::StatusOr<std::filesystem::path> bundled = engine::FindBundledModel();
    if (!bundled.ok()) return bundled.status();
    model = *bundled;
  }
  auto engine = engine::Engine::Open(model, {.threads = settings.threads});
  if (!engine.ok()) return engine.status();
  return std::make_unique<AnimationWork>(*std::move(engine));
}

}  // namespace ringway::worker
