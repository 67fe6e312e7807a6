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
  static constexpr double kSameLevel = 1e-6;  // the grid's rounding
  bool stochastic = false;                    // fresh noise at every step
  // Deviation of the noise at levels up to s_noise_last. Karras et al. (arXiv:2206.00364) call it S_noise;
  // above 1 it gives back the variety that a network loses which takes faint evidence for less than it is. It
  // is hardest of hearing for what all cells of a frame share, which group norms take out: s_noise_mean is
  // the deviation of that, as a multiple of what it is in white noise.
  double s_noise = 1, s_noise_mean = 1, s_noise_last = 3;
  // Guidance is for levels from guide_first to guide_last alone (Kynkaanniemi et al., arXiv:2404.07724).
  GuidanceScales scales;
  double guide_first = -12, guide_last = 3;

  double TimeOf(double log_snr) const {
    return time_last + (log_snr_last - log_snr) / (log_snr_last - log_snr_first) * (time_first - time_last);
  }
  bool IsLoudAt(double log_snr) const { return log_snr <= s_noise_last + kSameLevel; }
  // How much the answers given nothing, the picture, and picture and prompt count; they sum to 1.
  std::array<float, 3> WeightsAt(double log_snr) const {
    const bool guided = guide_first <= log_snr + kSameLevel && log_snr <= guide_last + kSameLevel;
    const GuidanceScales s = guided ? scales : GuidanceScales();
    return {1 - s.image, s.image - s.text, s.text};
  }
  // Passes of the network a step, where it is guided.
  int passes() const { return (scales.image != 1) + (scales.image != scales.text) + (scales.text != 0); }
};
absl::StatusOr<MotionSchedule> ReadMotionSchedule(Config config);

class MotionPipeline final : public Pipeline {
 public:
  static constexpr char kClass[] = "MotionFieldPipeline";
  static absl::StatusOr<std::unique_ptr<Pipeline>> Open(const PipelineContext& context);

  absl::StatusOr<Animation> Animate(const AnimateRequest& request, ProgressTeller& progress,
                                    const std::stop_token& stop) override;
  std::string Describe() const override;

  // The field alone, packed as the network gives it, from this standard normal noise, which it uses up. The
  // request's seed gives the fresh noise of a stochastic schedule.
  absl::StatusOr<std::vector<float>> Diffuse(const AnimateRequest& request, std::vector<float> noise,
                                             ProgressTeller& progress, const std::stop_token& stop);
  const MotionFieldConfig& field_config() const { return field_; }

 private:
  // What one pass of the denoiser is told.
  struct Pass {
    std::vector<float> context, planes;
    float added[3];
  };
  explicit MotionPipeline(const PipelineContext& context) : threads_(context.threads) {}
  absl::Status ReadConfigs(const ModelDirectory& model);
  absl::Status FreezeNetworks(const PipelineContext& context);
  Pass Tell(const AnimateRequest& request, bool picture, bool text);
  // Adds the pass's share of the clean field.
  void Denoise(const Pass& pass, float weight, double log_snr, std::span<const float> x,
               std::span<float> clean);
  // Standard normal noise becomes what the schedule adds at this level; none stays none.
  void MakeLouderAt(double log_snr, std::span<float> noise) const;
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
