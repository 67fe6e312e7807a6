#include "engine/engine.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/host_backend.h"
#include "engine/packed_weights.h"
#include "engine/pipelines/motion_pipeline.h"
#include "engine/pipelines/video_pipeline.h"

namespace ringway::engine {
namespace {

constexpr int kThreadsMax = 256;
constexpr std::size_t kPromptBytesMax = 64 << 10;

absl::Status Within(const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " is ", value, "; allowed are ", low, " to ", high));
}

absl::Status Check(const AnimateRequest& request) {
  if (request.picture.width < 2 || request.picture.height < 2)
    return absl::InvalidArgumentError("the picture must be at least 2 x 2 pixels");
  const absl::Status checks[] = {
      Within("steps", request.steps, 0, 1000), Within("frames", request.frames, 0, 480),
      Within("side_max", request.side_max == 0 ? 16 : request.side_max, 16, 4096),
      Within("frames_per_second", request.frames_per_second, 0, 100),
      Within("the prompt's bytes", static_cast<std::int64_t>(request.prompt.size()), 0, kPromptBytesMax)};
  for (const absl::Status& status : checks)
    if (!status.ok()) return status;
  return request.region ? CheckRegion(*request.region) : absl::OkStatus();
}

}  // namespace

Engine::Engine() = default;
Engine::~Engine() = default;

absl::StatusOr<std::unique_ptr<Engine>> Engine::Open(const std::filesystem::path& model,
                                                     const EngineOptions& options) {
  const absl::StatusOr<ModelDirectory> directory = ModelDirectory::Open(model);
  if (!directory.ok()) return directory.status();
  std::unique_ptr<Engine> engine(new Engine());
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int threads = std::clamp(options.threads > 0 ? options.threads : processors, 1, kThreadsMax);
  engine->threads_ = threads;
  engine->backend_ = MakeHostBackend(threads);
  const PipelineContext context{
      *directory, *engine->backend_, threads, options.precision,
      std::make_shared<OpenModel>(*engine->backend_, OpenPackedCache(model, options))};
  absl::StatusOr<std::unique_ptr<Pipeline>> pipeline;
  if (directory->pipeline == MotionPipeline::kClass)
    pipeline = MotionPipeline::Open(context);
  else if (directory->pipeline == VideoPipeline::kClass)
    pipeline = VideoPipeline::Open(context);
  else
    pipeline = absl::InvalidArgumentError(
        absl::StrCat(model.string(), ": model_index.json names the class \"", directory->pipeline,
                     "\"; allowed: ", MotionPipeline::kClass, ", ", VideoPipeline::kClass,
                     " (pictures from prompts are drawn by `ringway generate`)"));
  if (!pipeline.ok()) return pipeline.status();
  engine->pipeline_ = *std::move(pipeline);
  engine->description_ = engine->pipeline_->Describe();
  return engine;
}

int Engine::frames_per_second() const { return pipeline_->FramesPerSecond(); }

absl::StatusOr<Animation> Engine::Animate(const AnimateRequest& request, const AnimateProgressFn& on_progress,
                                          std::stop_token stop) {
  if (absl::Status status = Check(request); !status.ok()) return status;
  ProgressTeller progress(on_progress);
  absl::StatusOr<Animation> animation = pipeline_->Animate(request, progress, stop);
  if (!animation.ok()) return animation;
  const int pace = request.frames_per_second > 0 ? request.frames_per_second : frames_per_second();
  animation->delay_ms = static_cast<int>(std::lround(1000.0 / pace));
  progress.Finish();
  return animation;
}

}  // namespace ringway::engine
