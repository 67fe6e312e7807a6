// Pictures of prompts, by the engine's diffusion models.
#include <filesystem>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/bundled_pictures.h"
#include "engine/media/picture.h"
#include "engine/model_store.h"
#include "engine/picture_engine.h"
#include "engine/picture_order.h"
#include "worker/backends/engine_work.h"

namespace ringway::worker {
namespace {

std::string ModelNameOf(const std::string& model) {
  const std::filesystem::path path = std::filesystem::path(model).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

class PictureWork final : public EngineWork {
 public:
  PictureWork(const EngineSettings& settings, std::unique_ptr<engine::ModelStore> store)
      : settings_(settings),
        files_{settings.adapters, settings.controls, settings.words},
        store_(std::move(store)) {}

  absl::StatusOr<MadeResult> Make(const WorkOrder& order, const Tell& tell,
                                  const std::stop_token& stop) override {
    const absl::StatusOr<engine::PictureRequest> request =
        engine::ReadPictureOrder(order.payload, order.prompt, SettingsOf(order), files_);
    if (!request.ok()) return request.status();
    if (absl::Status fits = CheckSize(*request); !fits.ok()) return fits;
    try {
      const std::string name = NameOf(order.model);
      const auto engine = store_->Get(name);
      if (engine.status().code() == absl::StatusCode::kNotFound)
        return absl::InvalidArgumentError(engine.status().message());
      if (!engine.ok()) return engine.status();
      return Draw(**engine, name, *request, tell, stop);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError(
          "this worker has not the memory for this picture; ask for a smaller one");
    }
  }
  PictureTerms pictures() const override { return DecodedPictures(PictureNeed::kOptional); }

 private:
  // The order's own words first, then the hints that the whole system understands.
  static std::map<std::string, std::string> SettingsOf(const WorkOrder& order) {
    std::map<std::string, std::string> settings = order.parameters;
    if (order.cost.steps != 0 && !settings.contains("num_inference_steps"))
      settings.try_emplace("steps", absl::StrCat(order.cost.steps));
    return settings;
  }

  absl::Status CheckSize(const engine::PictureRequest& request) const {
    std::int64_t width = request.width, height = request.height;
    if (width == 0 && request.start) {
      width = request.start->width;
      height = request.start->height;
    }
    if (width * height <= settings_.pixels_max) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("size: the picture would have ", width, " x ", height,
                                                   " pixels; this worker draws at most ",
                                                   settings_.pixels_max, ": say a smaller size"));
  }

  // Of the store's model that a job means.
  std::string NameOf(const std::string& asked) const {
    return settings_.models.empty() || asked.empty() || asked == settings_.own_name
               ? ModelNameOf(settings_.model)
               : asked;
  }

  absl::StatusOr<MadeResult> Draw(engine::PictureEngine& engine, const std::string& name,
                                  const engine::PictureRequest& request, const Tell& tell,
                                  const std::stop_token& stop) {
    std::uint32_t told = 0;
    const absl::StatusOr<engine::DrawnPicture> drawn = engine.Draw(
        request,
        [&](const engine::AnimateProgress& progress) {
          const auto steps = static_cast<std::uint32_t>(progress.steps) + 1;
          const auto step = progress.fraction >= 1 ? steps : static_cast<std::uint32_t>(progress.step);
          if (std::exchange(told, step) != step) tell(step, steps);
        },
        stop);
    if (!drawn.ok()) return drawn.status();
    absl::StatusOr<std::string> file =
        engine::EncodePng(drawn->picture, engine::DrawnTexts(request, *drawn, "Ringway", name, ""));
    if (!file.ok()) return file.status();
    return MadeResult{*std::move(file), "image/png", absl::StrJoin(drawn->notes, "; ")};
  }

  const EngineSettings settings_;
  const engine::PictureFiles files_;
  const std::unique_ptr<engine::ModelStore> store_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EngineWork>> OpenPictureWork(const EngineSettings& asked) {
  EngineSettings settings = asked;
  const std::string own = ModelNameOf(settings.model);
  const auto directory = engine::FindPictureModel(settings.model);
  if (!directory.ok()) return directory.status();
  // What comes with the bundled model, where the operator registers nothing of the name.
  if (engine::IsBundledPictureModel(settings.model)) {
    settings.adapters.merge(engine::BundledAdapters());
    settings.controls.merge(engine::BundledControls());
  }
  std::map<std::string, engine::StoredModel> models;
  models[own] = {directory->string(), settings.configuration};
  for (const auto& [name, path] : settings.models) {
    if (!engine::PictureEngine::Opens(path))
      return absl::InvalidArgumentError(
          absl::StrCat("--engine-models ", name, ": ", path, ": is no model that draws pictures"));
    if (!models.emplace(name, engine::StoredModel{path, settings.configuration}).second)
      return absl::InvalidArgumentError(
          absl::StrCat("--engine-models: the name '", name, "' is that of --engine-model; choose another"));
  }
  auto store =
      engine::ModelStore::Make(std::move(models), settings.memory_bytes_max, {.threads = settings.threads});
  if (!store.ok()) return store.status();
  // Weights that are wrong are found now and not by the first job, which would also have to wait for them.
  if (const auto first = (*store)->Get(own); !first.ok()) return first.status();
  return std::make_unique<PictureWork>(settings, *std::move(store));
}

PictureTerms DecodedPictures(PictureNeed need) {
  return {.need = need,
          .pixels_max = engine::kPicturePixelsMax,
          .types = {"image/png", "image/jpeg", "image/webp"}};
}

absl::StatusOr<std::unique_ptr<EngineWork>> OpenEngineWork(const EngineSettings& settings) {
  const bool draws = engine::IsBundledPictureModel(settings.model) ||
                     (!settings.model.empty() && engine::PictureEngine::Opens(settings.model));
  if (draws) return OpenPictureWork(settings);
  const bool pictures_only = !settings.adapters.empty() || !settings.controls.empty() ||
                             !settings.words.empty() || !settings.configuration.empty() ||
                             !settings.models.empty();
  const bool bundled = settings.model.empty() && engine::FindScenes().ok();
  if (pictures_only && !bundled)
    return absl::InvalidArgumentError(
        "--engine-lora, --engine-control, --engine-word, --engine-models and --engine-config are for models "
        "that draw pictures; this one animates them: name one with --engine-model, as scenes");
  return settings.model.empty() ? OpenBundledWork(settings) : OpenAnimationWork(settings);
}

}  // namespace ringway::worker
