// What a worker makes that was given no model: films of photos, and pictures of prompts where the weights for
// them are there.
//
// Which of the two an order means it says by the hint `frames`: 1, as the images API sends it, is a still, if
// no setting speaks of a film; or by the model's name, "scenes". Both models lie in memory.
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "engine/bundled_pictures.h"
#include "worker/backends/engine_work.h"

namespace ringway::worker {
namespace {

constexpr const char* kFilmSettings[] = {"frames", "num_frames", "seconds", "fps"};

bool IsStill(const WorkOrder& order) {
  if (order.model == engine::kScenes) return true;
  return order.cost.frames == 1 && std::ranges::none_of(kFilmSettings, [&](const char* name) {
           return order.parameters.contains(name);
         });
}

class BundledWork final : public EngineWork {
 public:
  BundledWork(std::unique_ptr<EngineWork> films, std::unique_ptr<EngineWork> pictures)
      : films_(std::move(films)), pictures_(std::move(pictures)) {}

  absl::StatusOr<MadeResult> Make(const WorkOrder& order, const Tell& tell,
                                  const std::stop_token& stop) override {
    if (IsStill(order)) return pictures_->Make(order, tell, stop);
    if (order.payload.empty())
      return absl::InvalidArgumentError(
          "input_reference: this model animates a picture, and none is given; a picture alone is drawn by "
          "POST /v1/images/generations, or with the model scenes");
    return films_->Make(order, tell, stop);
  }
  PictureTerms pictures() const override { return DecodedPictures(PictureNeed::kOptional); }

 private:
  const std::unique_ptr<EngineWork> films_, pictures_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EngineWork>> OpenBundledWork(const EngineSettings& settings) {
  auto films = OpenAnimationWork(settings);
  if (!films.ok() || !engine::FindScenes().ok()) return films;
  EngineSettings drawing = settings;
  drawing.model = engine::kScenes;
  auto pictures = OpenPictureWork(drawing);
  if (!pictures.ok()) return pictures.status();
  return std::make_unique<BundledWork>(*std::move(films), *std::move(pictures));
}

}  // namespace ringway::worker
