// From a prompt to a film by a diffusion transformer: stock directories of the LTX-Video class.
//
// T5 makes rows of the prompt, and of what is not wanted (caption_encoder.h); the transformer predicts the
// velocity from both at once, and classifier-free guidance (arXiv:2207.12598) leads from the second to the
// first; Euler's method goes from noise to latents along levels that are shifted by the number of latents
// (sampler/flow.h); the autoencoder draws all frames at once, because its convolutions look along time both
// ways. The transformer is told where a latent lies in seconds and pixels, so the same prompt at another pace
// is another film. Plans depend on the size, weights do not. Paint is Draw with the noise given and the
// numbers not yet rounded to bytes: what tests compare.
#ifndef RINGWAY_ENGINE_PIPELINES_FILM_PIPELINE_H_
#define RINGWAY_ENGINE_PIPELINES_FILM_PIPELINE_H_

#include "engine/film_engine.h"
#include "engine/networks/film_transformer.h"
#include "engine/networks/film_vae.h"
#include "engine/pipelines/caption_encoder.h"
#include "engine/sampler/flow.h"

namespace ringway::engine {

class FilmPipeline {
 public:
  static constexpr char kClass[] = "LTXPipeline";
  static constexpr std::int64_t kLatentsMax = 1 << 16;  // of a film
  static constexpr std::size_t kDecoderBytesMax = std::size_t{16} << 30;

  static absl::StatusOr<std::unique_ptr<FilmPipeline>> Open(const PipelineContext& context);

  absl::StatusOr<DrawnFilm> Draw(const FilmRequest& request, ProgressTeller& progress,
                                 const std::stop_token& stop);
  // frames x height x width x 3 numbers, -1 black and 1 white, not clamped. `noise`: a number for each
  // channel of each latent, frame by frame and line by line.
  absl::StatusOr<std::vector<float>> Paint(const FilmRequest& request, std::span<const float> noise,
                                           ProgressTeller& progress, const std::stop_token& stop);

 private:
  // A request with everything chosen.
  struct Order {
    FilmVaeSize latents;
    int width = 0, height = 0, frames = 0, frames_per_second = 0, steps = 0;
    double guidance = 1;

    bool guided() const { return guidance > 1; }
    std::int64_t batch() const { return guided() ? 2 : 1; }
    std::int64_t count() const { return latents.frames * latents.height * latents.width; }
  };
  explicit FilmPipeline(const PipelineContext& context)
      : model_(context.model), context_{model_,          context.backend,
                                        context.threads, context.precision,
                                        context.open,    context.coder_bytes_max} {}
  absl::Status ReadConfigs();
  absl::Status CheckParts() const;
  absl::StatusOr<Order> OrderOf(const FilmRequest& request) const;
  absl::Status CheckDecoder(const Order& order) const;
  absl::Status Prepare(const Order& order);
  // What prompts and places say, into the inputs of the transformer's plan.
  void Tell(const FilmRequest& request, const Order& order);
  // The guided velocity of x at a level.
  void Predict(const Order& order, double level, std::span<const float> x, std::span<float> velocity);
  absl::StatusOr<std::vector<float>> Paint(const FilmRequest& request, const Order& order,
                                           std::vector<float> x, ProgressTeller& progress,
                                           const std::stop_token& stop);

  ModelDirectory model_;
  PipelineContext context_;
  FilmTransformerConfig transformer_config_;
  FilmVaeConfig vae_;
  FlowConfig flow_;
  std::optional<CaptionEncoder> captions_;
  FrozenPart transformer_{"transformer"}, decoder_{"vae"};
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_FILM_PIPELINE_H_
