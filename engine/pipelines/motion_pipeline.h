// The bundled model: diffuses how a photo moves, then moves the photo.
//
// The idea is that of "Generative Image Dynamics" (Li et al., CVPR 2024): the network never draws a pixel. A
// small photo (64 x 64), the region as a matte and the prompt become planes that the denoiser reads beside
// the noisy field; the denoiser is Stable Video Diffusion's UNet class, small; it predicts the clean field. N
// steps look at N levels even in log-SNR and the last look is the answer, so the solver advances N - 1 times.
// The contract (shapes, orders, units) is that of tools/training/README.md. With guidance every step takes
// three passes: nothing given, the photo, photo and prompt; a model whose scales are both 1 takes one. All of
// the network runs at Open's frozen sizes, about a millisecond a pass; the film (motion/film.h) is most of
// the time of a large one.
#ifndef RINGWAY_ENGINE_PIPELINES_MOTION_PIPELINE_H_
#define RINGWAY_ENGINE_PIPELINES_MOTION_PIPELINE_H_

#include <array>

#include "engine/motion/field.h"
#include "engine/networks/motion_conditioner.h"
#include "engine/pipelines/pipeline.h"
#include "engine/sampler/dpm_solver.h"
#include "engine/text/word_tokenizer.h"

namespace ringway::engine {

struct MotionSchedule {
  double log_snr_first = -12, log_snr_last = 3;
  double time_first = 1000, time_last = 0;
  int steps = 8;
  // Fresh noise at every step. It untangles waves, but makes the camera's moves too strong: with
  // affine_is_steady what is affine in place follows the deterministic equation all the same.
  bool stochastic = false, affine_is_steady = false;
  // Deviation of what all cells of a frame have in common of the first noise, by component, as a multiple of
  // what it is in white noise. Above 1 it gives back the variety that a network loses which takes faint
  // evidence for less than it is (cf. S_noise of Karras et al., arXiv:2206.00364). With a region what moves
  // is not in all cells, and the noise stays white.
  std::array<float, 2> first_mean = {1, 1};
  // How far all noise leans to one direction of travel (motion/leaning.h), from 0 to 1. With a region not.
  float wave_lean = 0;
  GuidanceScales scales;

  double TimeOf(double log_snr) const {
    return time_last + (log_snr_last - log_snr) / (log_snr_last - log_snr_first) * (time_first - time_last);
  }
  // The weights of the three passes, which sum to 1: none + image (picture - none) + text (both - picture).
  float none() const { return 1 - scales.image; }
  float picture() const { return scales.image - scales.text; }
  float both() const { return scales.text; }
  int passes() const { return (none() != 0) + (picture() != 0) + (both() != 0); }
};
absl::StatusOr<MotionSchedule> ReadMotionSchedule(Config config);

class MotionPipeline final : public Pipeline {
 public:
  static constexpr char kClass[] = "MotionFieldPipeline";
  static absl::StatusOr<std::unique_ptr<Pipeline>> Open(const PipelineContext& context);

  absl::StatusOr<Animation> Animate(const AnimateRequest& request, ProgressTeller& progress,
                                    const std::stop_token& stop) override;
  std::string Describe() const override;
  int FramesPerSecond() const override { return 24; }

  // The field alone, packed as the network gives it, from this standard normal noise, which it uses up. The
  // request's seed gives the fresh noise of a stochastic schedule.
  absl::StatusOr<std::vector<float>> Diffuse(const AnimateRequest& request, std::vector<float> noise,
                                             ProgressTeller& progress, const std::stop_token& stop);
  const MotionFieldConfig& field_config() const { return field_; }

 private:
  // What one pass of the denoiser is told, and how much its answer counts.
  struct Pass {
    float weight = 1;
    std::vector<float> context, planes;
    float added[3];
  };
  explicit MotionPipeline(const PipelineContext& context) : threads_(context.threads) {}
  absl::Status ReadConfigs(const ModelDirectory& model);
  absl::Status FreezeNetworks(const PipelineContext& context);
  Pass Tell(const AnimateRequest& request, bool picture, bool text, float weight);
  std::vector<Pass> PassesFor(const AnimateRequest& request);
  // Adds the pass's share of the clean field.
  void Denoise(const Pass& pass, double log_snr, std::span<const float> x, std::span<float> clean);
  absl::StatusOr<Animation> Draw(const AnimateRequest& request, const MotionField& field, int steps,
                                 ProgressTeller& progress, const std::stop_token& stop) const;

  int threads_;
  MotionFieldConfig field_;
  MotionConditionerConfig conditioner_config_;
  MotionSchedule schedule_;
  std::optional<WordTokenizer> tokenizer_;
  std::unique_ptr<Plan> text_, conditioner_, unet_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_MOTION_PIPELINE_H_
