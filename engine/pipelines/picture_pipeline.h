// From a prompt to a picture by a latent diffusion model (Rombach et al., arXiv:2112.10752), of stock
// directories of Stable Diffusion 1.x, 2.x and XL.
//
// CLIP's text encoders (prompt_encoder.h) make a context of the prompt and one of what is not wanted; the
// UNet predicts from both at once, and classifier-free guidance (Ho and Salimans, arXiv:2207.12598) leads
// from the second to the first; the scheduler of the checkpoint, or the one asked for, steps from noise to
// latents; the autoencoder draws them. A picture to start from is encoded (the mean of its latents) and
// noised to where its strength says. Latent consistency models are told the strength of guidance instead and
// take one pass a step. Control networks (control_parts.h) add to the UNet what a picture says; a mask keeps
// a part of the picture to start from (repaint.h); a motion adapter (motion_part.h) makes the pictures of one
// run frames of a film; a picture that does not fit into memory is decoded in
// tiles (latent_coder.h). Plans depend on the size, weights do not: another size freezes plans, and packs
// nothing. Paint is Draw with the noise given and the numbers not yet rounded to bytes: what tests compare.
#ifndef RINGWAY_ENGINE_PIPELINES_PICTURE_PIPELINE_H_
#define RINGWAY_ENGINE_PIPELINES_PICTURE_PIPELINE_H_

#include "engine/networks/autoencoder.h"
#include "engine/networks/unet_sd.h"
#include "engine/picture_engine.h"
#include "engine/pipelines/control_parts.h"
#include "engine/pipelines/frozen_part.h"
#include "engine/pipelines/latent_coder.h"
#include "engine/pipelines/motion_part.h"
#include "engine/pipelines/preview_part.h"
#include "engine/pipelines/prompt_encoder.h"
#include "engine/pipelines/repaint.h"
#include "engine/sampler/scheduler.h"

namespace ringway::engine {

class PicturePipeline {
 public:
  static constexpr std::int64_t kPixelsMax = 2048 * 2048;
  static constexpr std::int64_t kFilmPixelsMax = 4 * kPixelsMax;  // of all its frames
  // Fills with standard normal numbers; draw 0 is the first noise, draw k that of step k - 1.
  using NoiseFn = std::function<void(std::uint64_t draw, std::span<float>)>;

  // `pipeline_class`: "_class_name" of model_index.json.
  static bool Opens(const std::string& pipeline_class);
  static absl::StatusOr<std::unique_ptr<PicturePipeline>> Open(const PipelineContext& context);
  absl::Status Load();
  // Everything that a request needs before its first step, and no step of it.
  absl::Status Prepare(const PictureRequest& request);
  const OpenModel& open() const { return *context_.open; }
  // What a step without a control network runs; null before the first picture.
  const Plan* plain_plan() const { return unet_.made(); }
  absl::StatusOr<Profile> Measure(const PictureRequest& request, int rounds);

  absl::StatusOr<DrawnPicture> Draw(const PictureRequest& request, ProgressTeller& progress,
                                    const std::stop_token& stop);
  absl::StatusOr<DrawnFilm> Film(const PictureRequest& request, ProgressTeller& progress,
                                 const std::stop_token& stop);
  // height x width x 3 numbers, -1 black and 1 white, not clamped.
  absl::StatusOr<std::vector<float>> Paint(const PictureRequest& request, const NoiseFn& noise,
                                           ProgressTeller& progress, const std::stop_token& stop);

 private:
  // A request with everything chosen.
  struct Order {
    std::int64_t width = 0, height = 0;
    double guidance = 1;
    SchedulerConfig scheduler;
    NoiseGrid grid;
    int steps = 0;
    std::int64_t frames = 1;
    AdapterChoices adapters = {};

    bool guided() const { return guidance > 1; }
  };
  // The picture to start from, where there is one.
  struct Start {
    std::vector<float> photo;    // -1 to 1
    std::vector<float> latents;  // in the scale that the UNet knows
    std::optional<Repaint> repaint = {};
    std::vector<float> told = {};  // to a UNet for inpainting
  };
  explicit PicturePipeline(const PipelineContext& context)
      : model_(context.model), context_{model_,          context.backend,
                                        context.threads, context.precision,
                                        context.open,    context.coder_bytes_max} {}
  absl::Status ReadConfigs(bool xl);
  absl::Status CheckParts() const;
  absl::Status CheckVae() const;
  double UsualGuidance(const SchedulerConfig& scheduler) const;
  int UsualSteps(const SchedulerConfig& scheduler) const;
  absl::StatusOr<Order> OrderOf(const PictureRequest& request) const;
  absl::Status ChooseSize(const PictureRequest& request, Order& order) const;
  absl::Status CheckWishes(const PictureRequest& request) const;
  absl::Status CheckFilm(const PictureRequest& request) const;
  std::vector<std::string> Notes(const PictureRequest& request, const Order& order) const;

  absl::Status PrepareAll(const PictureRequest& request, Order& order);
  absl::Status PrepareUNets(const PictureRequest& request, const Order& order);
  absl::Status OpenMotion(const PictureRequest& request, Order& order);
  absl::Status ChooseAdapters(const PictureRequest& request, Order& order);
  // What the prompts say, into the inputs of the UNet's plans.
  void Tell(const PictureRequest& request, const Order& order);
  std::vector<float> Encode(std::span<const float> photo);
  Start StartOf(const PictureRequest& request, const Order& order);
  // Of step `step` of `steps`.
  void Denoise(const Order& order, const Scheduler& scheduler, int step, const Start& start,
               std::span<const float> x, std::span<float> clean);
  // The plan that a step without a control network runs.
  Plan& StepPlan() { return filming_ ? motion_.plan() : unet_.plan(); }
  // From noise to latents in the autoencoder's scale, of all frames of a film.
  absl::StatusOr<std::vector<float>> Diffuse(const PictureRequest& request, Order& order,
                                             const NoiseFn& noise, ProgressTeller& progress,
                                             const std::stop_token& stop, Start& start);
  absl::StatusOr<std::vector<float>> Paint(const PictureRequest& request, Order& order, const NoiseFn& noise,
                                           ProgressTeller& progress, const std::stop_token& stop,
                                           Start& start);
  // Rounded to bytes; Internal where a number is not finite.
  absl::StatusOr<Picture> Rounded(const Order& order, std::span<const float> painted) const;
  // A UNet that sees a mask and a photo beside the noise.
  bool repaints() const { return unet_config_.layout.in_channels > vae_.latent_channels(); }

  ModelDirectory model_;
  PipelineContext context_;
  SdUNetConfig unet_config_;
  Autoencoder vae_;
  SchedulerConfig scheduler_;
  std::optional<PromptEncoder> prompts_;
  bool zeros_for_nothing_ = true;                        // XL: what an empty negative prompt says is zeros
  std::int64_t latent_height_ = 64, latent_width_ = 64;  // that the model was trained on
  FrozenPart unet_{"unet"}, controlled_unet_{"unet"};    // without and with inputs for control networks
  MotionPart motion_;
  bool plain_ = true, controlled_ = false, filming_ = false;  // which of them the request runs
  LatentCoder coder_;
  ControlParts controls_;
  PreviewPart preview_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_PICTURE_PIPELINE_H_
