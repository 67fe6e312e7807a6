#include "engine/pipelines/film_pipeline.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/pipelines/component_config.h"
#include "engine/sampler/dpm_solver.h"

namespace ringway::engine {
namespace {

// What the released model's own pipeline does where nothing is asked for.
constexpr int kFilmWidth = 704, kFilmHeight = 512, kFilmFrames = 161, kFilmSteps = 50, kFilmPace = 25;
constexpr double kFilmGuidance = 3;
constexpr double kFilmShareOfSolver = 0.9;  // of the work
constexpr int kFilmPaceMax = 100, kFilmStepsMax = 1000;
constexpr double kFilmGuidanceMax = 100, kMebibyte = 1 << 20;

absl::Status FilmStopped() { return absl::CancelledError("the film was cancelled"); }

std::uint8_t FilmByte(float x) {
  return static_cast<std::uint8_t>(std::clamp(std::lround((x + 1.0f) * 127.5f), 0L, 255L));
}

}  // namespace

absl::StatusOr<std::unique_ptr<FilmPipeline>> FilmPipeline::Open(const PipelineContext& context) {
  if (context.model.pipeline != kClass)
    return absl::InvalidArgumentError(absl::StrCat((context.model.root / "model_index.json").string(),
                                                   ": \"_class_name\" is \"", context.model.pipeline,
                                                   "\"; allowed: ", kClass));
  std::unique_ptr<FilmPipeline> pipeline(new FilmPipeline(context));
  if (absl::Status status = pipeline->ReadConfigs(); !status.ok()) return status;
  if (absl::Status status = pipeline->CheckParts(); !status.ok()) return status;
  return pipeline;
}

absl::Status FilmPipeline::ReadConfigs() {
  absl::Status status = ReadInto(model_, "transformer", "LTXVideoTransformer3DModel",
                                 ReadFilmTransformerConfig, transformer_config_);
  if (status.ok()) status = ReadInto(model_, "vae", "AutoencoderKLLTXVideo", ReadFilmVaeConfig, vae_);
  if (!status.ok()) return status;
  absl::StatusOr<CaptionEncoder> captions = CaptionEncoder::Read(model_);
  if (!captions.ok()) return captions.status();
  captions_ = *std::move(captions);
  const absl::StatusOr<Component> scheduler = NeedComponent(model_, "scheduler", FlowConfig::kClass);
  if (!scheduler.ok()) return scheduler.status();
  absl::StatusOr<Config> settings = ReadComponentConfig(*scheduler);
  if (!settings.ok()) return settings.status();
  absl::StatusOr<FlowConfig> flow = ReadFlowConfig(*std::move(settings), scheduler->class_name);
  if (!flow.ok()) return flow.status();
  flow_ = *std::move(flow);
  return absl::OkStatus();
}

absl::Status FilmPipeline::CheckParts() const {
  const std::string file = (model_.root / "transformer/config.json").string();
  if (transformer_config_.caption_channels != captions_->channels())
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": \"caption_channels\" is ", transformer_config_.caption_channels,
                     ", but \"d_model\" of ", (model_.root / "text_encoder/config.json").string(), " is ",
                     captions_->channels(), "; these parts are of different models"));
  if (transformer_config_.in_channels != vae_.latent_channels ||
      transformer_config_.out_channels != vae_.latent_channels)
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": \"in_channels\" is ", transformer_config_.in_channels, " and \"out_channels\" is ",
        transformer_config_.out_channels, ", but \"latent_channels\" of ",
        (model_.root / "vae/config.json").string(), " is ", vae_.latent_channels));
  return absl::OkStatus();
}

absl::StatusOr<FilmPipeline::Order> FilmPipeline::OrderOf(const FilmRequest& request) const {
  Order order;
  order.width = request.width > 0 ? request.width : kFilmWidth;
  order.height = request.height > 0 ? request.height : kFilmHeight;
  order.frames = request.frames > 0 ? request.frames : kFilmFrames;
  order.frames_per_second = request.frames_per_second > 0 ? request.frames_per_second : kFilmPace;
  order.steps = request.steps > 0 ? request.steps : kFilmSteps;
  order.guidance = request.guidance.value_or(kFilmGuidance);
  const std::int64_t side = vae_.side_of_latent(), span = vae_.frames_of_latent();
  if (order.width % side != 0 || order.height % side != 0)
    return absl::InvalidArgumentError(absl::StrCat("the size is ", order.width, "x", order.height,
                                                   "; this model draws multiples of ", side));
  if ((order.frames - 1) % span != 0)
    return absl::InvalidArgumentError(absl::StrCat(
        "frames is ", order.frames, "; this model draws one more than a multiple of ", span, ": ",
        (order.frames - 1) / span * span + 1, " or ", ((order.frames - 1) / span + 1) * span + 1));
  order.latents = {(order.frames - 1) / span + 1, order.height / side, order.width / side};
  const absl::Status checks[] = {
      WithinRange("steps", order.steps, 1, kFilmStepsMax),
      WithinRange("guidance", order.guidance, 0, kFilmGuidanceMax),
      WithinRange("frames per second", order.frames_per_second, 1, kFilmPaceMax),
      WithinRange("frames", order.frames, 1, static_cast<double>(kAnimationFramesMax)),
      WithinRange("the film's latents (each of a square of pixels and some frames)",
                  static_cast<double>(order.count()), 1, static_cast<double>(kLatentsMax))};
  for (const absl::Status& status : checks)
    if (!status.ok()) return status;
  return order;
}

// All frames are decoded at once: what that takes is known before anything is allocated.
absl::Status FilmPipeline::CheckDecoder(const Order& order) const {
  const absl::StatusOr<ComponentWeights> weights = context_.open->WeightsOf(*model_.Find("vae"));
  if (!weights.ok()) return weights.status();
  const Graph graph = BuildFilmVaeDecoder(vae_, *weights->source, order.latents);
  const absl::StatusOr<std::size_t> bytes = Plan::ArenaBytes(graph, context_.passes(), context_.backend);
  if (!bytes.ok()) return bytes.status();
  const std::size_t most = context_.coder_bytes_max > 0 ? context_.coder_bytes_max : kDecoderBytesMax;
  if (*bytes <= most) return absl::OkStatus();
  const auto mebibytes = [](std::size_t n) { return std::ceil(static_cast<double>(n) / kMebibyte); };
  return absl::InvalidArgumentError(
      absl::StrCat("decoding ", order.frames, " frames of ", order.width, "x", order.height, " takes ",
                   mebibytes(*bytes), " MiB, and the autoencoder may take ", mebibytes(most),
                   "; draw fewer frames or smaller ones, or let it take more (--vae-memory)"));
}

absl::Status FilmPipeline::Prepare(const Order& order) {
  absl::Status status = CheckDecoder(order);
  if (status.ok()) status = captions_->Prepare(context_);
  const FilmTransformerSize size{order.batch(), order.count(), CaptionEncoder::kTokens};
  if (status.ok())
    status = transformer_.Prepare(
        context_, {size.batch, size.tokens, size.words}, {},
        [&](WeightSource& source) { return BuildFilmTransformer(transformer_config_, source, size); });
  if (!status.ok()) return status;
  return decoder_.Prepare(
      context_, {order.latents.frames, order.latents.height, order.latents.width}, {"encoder."},
      [&](WeightSource& source) { return BuildFilmVaeDecoder(vae_, source, order.latents); });
}

void FilmPipeline::Tell(const FilmRequest& request, const Order& order) {
  Plan& plan = transformer_.plan();
  const auto context = plan.Input("context"), mask = plan.Input("mask");
  const std::size_t rows = context.size() / static_cast<std::size_t>(order.batch());
  const auto words = static_cast<std::size_t>(CaptionEncoder::kTokens);
  const std::string* prompts[] = {&request.negative, &request.prompt};
  for (std::size_t i = 0; i < static_cast<std::size_t>(order.batch()); ++i)
    captions_->Encode(*prompts[order.guided() ? i : 1], context.subspan(i * rows, rows),
                      mask.subspan(i * words, words));
  const FilmGrid grid{order.latents.frames, order.latents.height, order.latents.width,
                      static_cast<double>(vae_.frames_of_latent()) / order.frames_per_second,
                      static_cast<double>(vae_.side_of_latent())};
  std::ranges::copy(FilmTurns(grid, transformer_config_.channels()), plan.Input("turns").begin());
}

void FilmPipeline::Predict(const Order& order, double level, std::span<const float> x,
                           std::span<float> velocity) {
  Plan& plan = transformer_.plan();
  const auto sample = plan.Input("sample");
  for (std::size_t at = 0; at < sample.size(); at += x.size())
    std::ranges::copy(x, sample.begin() + static_cast<std::ptrdiff_t>(at));
  plan.Input("time")[0] = static_cast<float>(level * flow_.time_scale);
  plan.Run();
  const auto said = plan.Output("prediction");
  if (!order.guided()) {
    std::ranges::copy(said, velocity.begin());
    return;
  }
  const auto guidance = static_cast<float>(order.guidance);
  for (std::size_t i = 0; i < x.size(); ++i)
    velocity[i] = said[i] + guidance * (said[x.size() + i] - said[i]);
}

absl::StatusOr<std::vector<float>> FilmPipeline::Paint(const FilmRequest& request, const Order& order,
                                                       std::vector<float> x, ProgressTeller& progress,
                                                       const std::stop_token& stop) {
  if (absl::Status status = Prepare(order); !status.ok()) return status;
  if (stop.stop_requested()) return FilmStopped();
  Tell(request, order);
  const std::vector<double> levels = FlowLevels(flow_, order.steps, order.count());
  std::vector<float> velocity(x.size());
  for (int step = 0; step < order.steps; ++step) {
    if (stop.stop_requested()) return FilmStopped();
    const auto at = static_cast<std::size_t>(step);
    Predict(order, levels[at], x, velocity);
    FlowStep(levels[at], levels[at + 1], velocity, x);
    progress.Tell(step + 1, order.steps, kFilmShareOfSolver * (step + 1) / order.steps);
  }
  if (stop.stop_requested()) return FilmStopped();
  const auto latent = decoder_.plan().Input("latent");
  const auto scale = static_cast<float>(1 / vae_.scaling_factor);
  std::ranges::transform(x, latent.begin(), [scale](float value) { return value * scale; });
  decoder_.plan().Run();
  const auto pictures = decoder_.plan().Output("picture");
  return std::vector<float>(pictures.begin(), pictures.end());
}

absl::StatusOr<std::vector<float>> FilmPipeline::Paint(const FilmRequest& request,
                                                       std::span<const float> noise, ProgressTeller& progress,
                                                       const std::stop_token& stop) {
  const absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  const auto size = static_cast<std::size_t>(order->count() * vae_.latent_channels);
  if (noise.size() != size)
    return absl::InvalidArgumentError(
        absl::StrCat("the noise has ", noise.size(), " numbers; this film has ", size));
  return Paint(request, *order, {noise.begin(), noise.end()}, progress, stop);
}

absl::StatusOr<DrawnFilm> FilmPipeline::Draw(const FilmRequest& request, ProgressTeller& progress,
                                             const std::stop_token& stop) {
  const absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  std::vector<float> x(static_cast<std::size_t>(order->count() * vae_.latent_channels));
  FillWithNoise(request.seed, x);
  const absl::StatusOr<std::vector<float>> painted = Paint(request, *order, std::move(x), progress, stop);
  if (!painted.ok()) return painted.status();
  if (!std::ranges::all_of(*painted, [](float value) { return std::isfinite(value); }))
    return absl::InternalError(
        absl::StrCat(model_.root.string(),
                     ": the film came out as numbers that are not finite; weights that "
                     "are damaged do this"));
  DrawnFilm drawn{{}, order->steps, order->frames_per_second, order->guidance};
  drawn.animation.delay_ms = static_cast<int>(std::lround(1000.0 / order->frames_per_second));
  for (std::size_t at = 0; at < painted->size();) {
    Picture frame = Picture::Blank(order->width, order->height);
    const auto from = painted->begin() + static_cast<std::ptrdiff_t>(at);
    std::transform(from, from + static_cast<std::ptrdiff_t>(frame.rgb.size()), frame.rgb.begin(), FilmByte);
    at += frame.rgb.size();
    drawn.animation.frames.push_back(std::move(frame));
  }
  drawn.animation.notes = captions_->Notes(request.prompt);
  if (!order->guided() && !request.negative.empty())
    drawn.animation.notes.push_back("without guidance (1 or below) the negative prompt has no effect");
  return drawn;
}

}  // namespace ringway::engine
