#include "engine/picture_engine.h"

#include <algorithm>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/host_backend.h"
#include "engine/packed_weights.h"
#include "engine/pipelines/picture_pipeline.h"
#include "engine/pipelines/single_file.h"

namespace ringway::engine {
namespace {

constexpr int kPictureThreadsMax = 256;

}  // namespace

PictureEngine::PictureEngine() = default;
PictureEngine::~PictureEngine() = default;

bool PictureEngine::Opens(const std::filesystem::path& model) {
  std::error_code error;
  if (std::filesystem::is_regular_file(model, error)) return true;
  const absl::StatusOr<ModelDirectory> directory = ModelDirectory::Open(model);
  return directory.ok() && PicturePipeline::Opens(directory->pipeline);
}

absl::StatusOr<Profile> PictureEngine::Measure(const PictureRequest& request, int rounds) {
  absl::StatusOr<Profile> profile = pipeline_->Measure(request, rounds);
  if (!profile.ok()) return profile;
  profile->peak_flops = backend_->PeakFlops(profile->bf16 ? DType::kBF16 : DType::kF32);
  return profile;
}

PictureEngine::Residency PictureEngine::residency() const {
  const OpenModel& open = pipeline_->open();
  return {open.packed_bytes(), open.derived_weights()};
}

absl::Status PictureEngine::Prepare(const PictureRequest& request) { return pipeline_->Prepare(request); }

absl::Status PictureEngine::Load() { return pipeline_->Load(); }

absl::StatusOr<std::unique_ptr<PictureEngine>> PictureEngine::Open(const std::filesystem::path& model,
                                                                   const EngineOptions& options) {
  std::error_code error;
  const bool single = std::filesystem::is_regular_file(model, error);
  if (single && options.configuration.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        model.string(),
        ": is a single file, which has neither configurations nor a tokenizer; name the diffusers "
        "directory of the model that it was made of (--config DIR): its weights need not be there"));
  const absl::StatusOr<ModelDirectory> directory =
      ModelDirectory::Open(single ? std::filesystem::path(options.configuration) : model);
  if (!directory.ok()) return directory.status();
  OpenModel::Opener opener;
  if (single) opener = [model](const Component& component) { return OpenFromSingleFile(model, component); };
  std::unique_ptr<PictureEngine> engine(new PictureEngine());
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  engine->threads_ = std::clamp(options.threads > 0 ? options.threads : processors, 1, kPictureThreadsMax);
  engine->backend_ = MakeHostBackend(engine->threads_);
  auto pipeline = PicturePipeline::Open(
      {*directory, *engine->backend_, engine->threads_, options.precision,
       std::make_shared<OpenModel>(*engine->backend_, OpenPackedCache(model, options), opener),
       options.coder_bytes_max});
  if (!pipeline.ok()) return pipeline.status();
  engine->pipeline_ = *std::move(pipeline);
  return engine;
}

absl::StatusOr<DrawnPicture> PictureEngine::Draw(const PictureRequest& request,
                                                 const AnimateProgressFn& on_progress, std::stop_token stop) {
  ProgressTeller progress(on_progress);
  absl::StatusOr<DrawnPicture> drawn = pipeline_->Draw(request, progress, stop);
  if (drawn.ok()) progress.Finish();
  return drawn;
}

absl::StatusOr<DrawnFilm> PictureEngine::Film(const PictureRequest& request,
                                              const AnimateProgressFn& on_progress, std::stop_token stop) {
  ProgressTeller progress(on_progress);
  absl::StatusOr<DrawnFilm> film = pipeline_->Film(request, progress, stop);
  if (film.ok()) progress.Finish();
  return film;
}

}  // namespace ringway::engine
