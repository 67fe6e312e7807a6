#include "engine/film_engine.h"

#include <algorithm>
#include <thread>

#include "engine/host_backend.h"
#include "engine/packed_weights.h"
#include "engine/pipelines/film_pipeline.h"

namespace ringway::engine {
namespace {

constexpr int kFilmThreadsMax = 256;

}  // namespace

FilmEngine::FilmEngine() = default;
FilmEngine::~FilmEngine() = default;

bool FilmEngine::Opens(const std::filesystem::path& model) {
  const absl::StatusOr<ModelDirectory> directory = ModelDirectory::Open(model);
  return directory.ok() && directory->pipeline == FilmPipeline::kClass;
}

absl::StatusOr<std::unique_ptr<FilmEngine>> FilmEngine::Open(const std::filesystem::path& model,
                                                             const EngineOptions& options) {
  const absl::StatusOr<ModelDirectory> directory = ModelDirectory::Open(model);
  if (!directory.ok()) return directory.status();
  std::unique_ptr<FilmEngine> engine(new FilmEngine());
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  engine->threads_ = std::clamp(options.threads > 0 ? options.threads : processors, 1, kFilmThreadsMax);
  engine->backend_ = MakeHostBackend(engine->threads_);
  auto pipeline =
      FilmPipeline::Open({*directory, *engine->backend_, engine->threads_, options.precision,
                          std::make_shared<OpenModel>(*engine->backend_, OpenPackedCache(model, options)),
                          options.coder_bytes_max});
  if (!pipeline.ok()) return pipeline.status();
  engine->pipeline_ = *std::move(pipeline);
  return engine;
}

absl::StatusOr<DrawnFilm> FilmEngine::Draw(const FilmRequest& request, const AnimateProgressFn& on_progress,
                                           std::stop_token stop) {
  ProgressTeller progress(on_progress);
  absl::StatusOr<DrawnFilm> drawn = pipeline_->Draw(request, progress, stop);
  if (drawn.ok()) progress.Finish();
  return drawn;
}

}  // namespace ringway::engine
