// A stock Stable Video Diffusion directory: diffuses pixels, from a photo, without words.
//
// After Blattmann et al. (arXiv:2311.15127) and diffusers' pipeline. The photo is encoded twice: by the
// autoencoder (with a little noise) into latents that every frame reads beside its own noise, and by CLIP's
// picture encoder into the one token of context. The solver is DPM-Solver++(2M), even in log-SNR, in the
// variance-preserving scale, which for these weights is their own (EDM) scale times alpha: sigma_EDM =
// exp(-lambda), the network's time is a quarter of its logarithm, and its prediction is the velocity.
// Guidance takes two passes a step and grows from the first frame to the last. The decoder looks along time
// and takes frames in pieces. The prompt is not used, and a region is refused: these weights know neither.
// Plans depend on the size of the film, weights do not: another size freezes plans, and packs nothing.
#ifndef RINGWAY_ENGINE_PIPELINES_VIDEO_PIPELINE_H_
#define RINGWAY_ENGINE_PIPELINES_VIDEO_PIPELINE_H_

#include "engine/networks/clip.h"
#include "engine/networks/vae.h"
#include "engine/pipelines/pipeline.h"
#include "engine/sampler/dpm_solver.h"

namespace ringway::engine {

class VideoPipeline final : public Pipeline {
 public:
  static constexpr char kClass[] = "StableVideoDiffusionPipeline";
  static absl::StatusOr<std::unique_ptr<Pipeline>> Open(const PipelineContext& context);

  absl::StatusOr<Animation> Animate(const AnimateRequest& request, ProgressTeller& progress,
                                    const std::stop_token& stop) override;
  std::string Describe() const override;
  int FramesPerSecond() const override;

 private:
  struct Size {
    std::int64_t width = 0, height = 0, frames = 0, chunk = 0;  // pixels; frames decoded together
    friend bool operator==(const Size&, const Size&) = default;
  };
  explicit VideoPipeline(const PipelineContext& context)
      : model_(context.model),
        context_{model_, context.backend, context.threads, context.precision, context.open} {}
  absl::Status ReadConfigs();
  std::int64_t Halvings() const { return vae_.halvings(); }
  absl::StatusOr<Size> SizeFor(const AnimateRequest& request) const;
  absl::Status Prepare(const Size& size);
  std::vector<float> Embed(const Picture& picture);
  std::vector<float> Encode(const Picture& picture, std::uint64_t seed);
  void Denoise(double lambda, std::span<const float> x, std::span<const float> photo,
               std::span<const float> embedding, std::span<float> clean);
  absl::Status Diffuse(const AnimateRequest& request, int steps, std::span<float> x, ProgressTeller& progress,
                       const std::stop_token& stop);
  absl::StatusOr<Animation> Decode(const AnimateRequest& request, std::span<const float> latents, int steps,
                                   ProgressTeller& progress, const std::stop_token& stop);

  ModelDirectory model_;
  PipelineContext context_;
  SvdUNetConfig unet_config_;
  VaeConfig vae_;
  ClipConfig clip_;
  double sigma_first_ = 700, sigma_last_ = 0.002;
  std::int64_t frames_ = 14;
  Size size_;  // of the plans
  std::unique_ptr<Plan> embedder_, encoder_, unet_, decoder_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_VIDEO_PIPELINE_H_
