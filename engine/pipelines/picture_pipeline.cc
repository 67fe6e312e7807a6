#include "engine/pipelines/picture_pipeline.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/resize.h"
#include "engine/networks/original_names.h"

namespace ringway::engine {
namespace {

constexpr const char* kClasses[] = {"StableDiffusionPipeline", "StableDiffusionImg2ImgPipeline",
                                    "LatentConsistencyModelPipeline"};
constexpr const char* kXlClasses[] = {"StableDiffusionXLPipeline", "StableDiffusionXLImg2ImgPipeline"};
constexpr double kPictureGuidance = 7.5;  // Stable Diffusion's own
constexpr double kXlGuidance = 5;
constexpr double kConsistencyGuidance = 8.5;  // what consistency models were made for, where they are told
constexpr int kPictureSteps = 25;             // from here on, more hardly change a picture of DPM-Solver++
constexpr int kConsistencySteps = 4;
constexpr double kPictureShareOfSolver = 0.9;  // of the work

template <typename T>
absl::Status ReadInto(const ModelDirectory& model, const char* name, const char* class_name,
                      absl::StatusOr<T> (*read)(Config), T& to) {
  const absl::StatusOr<Component> component = NeedComponent(model, name, class_name);
  if (!component.ok()) return component.status();
  absl::StatusOr<Config> config = ReadComponentConfig(*component);
  if (!config.ok()) return config.status();
  absl::StatusOr<T> value = read(*std::move(config));
  if (!value.ok()) return value.status();
  to = *std::move(value);
  return absl::OkStatus();
}

absl::Status WithinRange(const char* what, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " is ", value, "; allowed are ", low, " to ", high));
}

std::uint8_t ByteOf(float x) {
  return static_cast<std::uint8_t>(std::clamp(std::lround((x + 1.0f) * 127.5f), 0L, 255L));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PicturePipeline>> PicturePipeline::Open(const PipelineContext& context) {
  const std::string& name = context.model.pipeline;
  const bool xl = std::find(std::begin(kXlClasses), std::end(kXlClasses), name) != std::end(kXlClasses);
  if (!xl && std::find(std::begin(kClasses), std::end(kClasses), name) == std::end(kClasses))
    return absl::InvalidArgumentError(
        absl::StrCat((context.model.root / "model_index.json").string(), ": \"_class_name\" is \"", name,
                     "\"; allowed: ", kClasses[0], ", ", kClasses[1], ", ", kClasses[2], ", ", kXlClasses[0],
                     ", ", kXlClasses[1], " (models that animate a photo are opened by `ringway animate`)"));
  std::unique_ptr<PicturePipeline> pipeline(new PicturePipeline(context));
  if (absl::Status status = pipeline->ReadConfigs(xl); !status.ok()) return status;
  if (absl::Status status = pipeline->CheckParts(); !status.ok()) return status;
  return pipeline;
}

absl::Status PicturePipeline::ReadConfigs(bool xl) {
  const absl::StatusOr<Component> unet = NeedComponent(model_, "unet", "UNet2DConditionModel");
  if (!unet.ok()) return unet.status();
  absl::StatusOr<Config> config = ReadComponentConfig(*unet);
  if (!config.ok()) return config.status();
  const std::vector<std::int64_t> size = config->Integers("sample_size", {64, 64}, 2, 1, 2048);
  if (!config->status().ok()) return config->status();
  latent_height_ = size[0];
  latent_width_ = size[1];
  absl::StatusOr<SdUNetConfig> read = ReadSdUNetConfig(*std::move(config));
  if (!read.ok()) return read.status();
  unet_config_ = *std::move(read);
  if (absl::Status s = ReadInto(model_, "vae", "AutoencoderKL", ReadVaeConfig, vae_); !s.ok()) return s;
  if (xl != unet_config_.xl())
    return absl::InvalidArgumentError(
        absl::StrCat((model_.root / "unet/config.json").string(), ": \"addition_embed_type\" is ",
                     xl ? "not text_time" : "\"text_time\"", ", but model_index.json says ", model_.pipeline,
                     ": these parts are of different models"));
  absl::StatusOr<PromptEncoder> prompts =
      PromptEncoder::Read(model_, xl ? PromptEncoder::Family::kTwo : PromptEncoder::Family::kOne);
  if (!prompts.ok()) return prompts.status();
  prompts_ = *std::move(prompts);
  const Component* scheduler = model_.Find("scheduler");
  if (scheduler == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(model_.root.string(), ": model_index.json lists no \"scheduler\""));
  absl::StatusOr<Config> settings = ReadComponentConfig(*scheduler);
  if (!settings.ok()) return settings.status();
  absl::StatusOr<SchedulerConfig> sampling = ReadSchedulerConfig(*std::move(settings), scheduler->class_name);
  if (!sampling.ok()) return sampling.status();
  scheduler_ = *std::move(sampling);
  absl::StatusOr<Config> index = Config::Read(model_.root / "model_index.json");
  if (!index.ok()) return index.status();
  zeros_for_nothing_ = index->Boolean("force_zeros_for_empty_prompt", true);
  return index->status();
}

absl::Status PicturePipeline::CheckParts() const {
  const UNetLayout& unet = unet_config_.layout;
  const std::string file = (model_.root / "unet/config.json").string();
  if (unet.context_channels != prompts_->channels())
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": \"cross_attention_dim\" is ", unet.context_channels, ", but \"hidden_size\" of ",
        (model_.root / "text_encoder/config.json").string(),
        unet_config_.xl() ? " and that of text_encoder_2 together are " : " is ", prompts_->channels(),
        "; these parts are of different models: take all from one (1.x has 768, 2.x 1024, XL 2048)"));
  if (unet_config_.summary_channels != prompts_->summary_channels())
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": \"projection_class_embeddings_input_dim\" leaves ", unet_config_.summary_channels,
        " for the prompt's summary, but \"projection_dim\" of ",
        (model_.root / "text_encoder_2/config.json").string(), " is ", prompts_->summary_channels()));
  if (unet.in_channels != vae_.latent_channels || unet.out_channels != vae_.latent_channels)
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": \"in_channels\" is ", unet.in_channels, " and \"out_channels\" is ", unet.out_channels,
        ", but the autoencoder has ", vae_.latent_channels,
        " latent channels; models for inpainting, depth or instructions read more and are not drawn with"));
  if (vae_.picture_channels != 3)
    return absl::InvalidArgumentError(absl::StrCat((model_.root / "vae/config.json").string(),
                                                   ": \"in_channels\" is ", vae_.picture_channels,
                                                   "; allowed: 3"));
  if (!(vae_.scaling_factor > 1e-6 && vae_.scaling_factor < 1e6))
    return absl::InvalidArgumentError(absl::StrCat((model_.root / "vae/config.json").string(),
                                                   ": \"scaling_factor\" is ", vae_.scaling_factor,
                                                   "; allowed: a number above 0"));
  return absl::OkStatus();
}

absl::Status PicturePipeline::ChooseSize(const PictureRequest& request, Order& order) const {
  const std::int64_t multiple = vae_.halvings();
  order.width = request.width > 0 ? request.width : latent_width_ * multiple;
  order.height = request.height > 0 ? request.height : latent_height_ * multiple;
  if (request.start && request.width == 0) {  // the picture's own, less what does not fill a latent
    order.width = request.start->width / multiple * multiple;
    order.height = request.start->height / multiple * multiple;
  }
  const bool fits = order.width >= multiple && order.height >= multiple && order.width % multiple == 0 &&
                    order.height % multiple == 0 && order.width * order.height <= kPixelsMax;
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the size is ", order.width, " x ", order.height,
                                                 "; both must be multiples of ", multiple, ", and at most ",
                                                 kPixelsMax, " pixels together"));
}

absl::StatusOr<PicturePipeline::Order> PicturePipeline::OrderOf(const PictureRequest& request) const {
  Order order;
  order.scheduler = scheduler_;
  if (!request.scheduler.empty())
    if (absl::Status s = ChooseScheduler(request.scheduler, order.scheduler); !s.ok()) return s;
  if ((request.width > 0) != (request.height > 0))
    return absl::InvalidArgumentError("give both width and height of the picture, or neither");
  if (absl::Status s = ChooseSize(request, order); !s.ok()) return s;
  const bool told = unet_config_.guidance_channels > 0, consistent = order.scheduler.solver == Solver::kLcm;
  order.guidance = request.guidance.value_or(told                ? kConsistencyGuidance
                                             : consistent        ? 1
                                             : unet_config_.xl() ? kXlGuidance
                                                                 : kPictureGuidance);
  const absl::Status checks[] = {
      WithinRange("guidance", order.guidance, 0, 100),
      WithinRange("clip skip", request.clip_skip, 0, static_cast<double>(prompts_->skipped_max())),
      WithinRange("the prompt's bytes", static_cast<double>(request.prompt.size()), 0,
                  ClipTokenizer::kPromptBytesMax),
      WithinRange("the negative prompt's bytes", static_cast<double>(request.negative.size()), 0,
                  ClipTokenizer::kPromptBytesMax)};
  for (const absl::Status& status : checks)
    if (!status.ok()) return status;
  const int steps = request.steps != 0 ? request.steps : consistent ? kConsistencySteps : kPictureSteps;
  absl::StatusOr<NoiseGrid> grid =
      MakeNoiseGrid(order.scheduler, steps, request.start ? request.strength : 1);
  if (!grid.ok()) return grid.status();
  order.grid = *std::move(grid);
  order.steps = steps;
  return order;
}

std::vector<std::string> PicturePipeline::Notes(const PictureRequest& request, const Order& order) const {
  std::vector<std::string> notes = prompts_->Notes(request.prompt);
  for (const std::string& note : prompts_->Notes(request.negative))
    notes.push_back(absl::StrCat("of what is not wanted: ", note));
  const bool told = unet_config_.guidance_channels > 0;
  if (!request.negative.empty() && (told || !order.guided()))
    notes.push_back(told ? "this model reads no negative prompt: its guidance was distilled without one"
                         : "without guidance (above 1) the negative prompt has no effect");
  if (!order.scheduler.stands_in_for.empty())
    notes.push_back(absl::StrCat("for the checkpoint's ", order.scheduler.stands_in_for, " stands in ",
                                 SchedulerName(order.scheduler), ", which solves the same equation"));
  return notes;
}

absl::Status PicturePipeline::ChooseAdapters(const PictureRequest& request, Order& order) {
  if (request.adapters.empty()) return absl::OkStatus();
  std::vector<std::shared_ptr<StoredWeights>> sources;
  std::vector<AdaptedPart> parts;
  std::vector<std::string> names = prompts_->components();
  names.insert(names.begin(), "unet");
  for (const std::string& name : names) {
    const absl::StatusOr<ComponentWeights> weights = context_.open->WeightsOf(*model_.Find(name));
    if (!weights.ok()) return weights.status();
    sources.push_back(weights->source);
    parts.push_back({name, &weights->source->stored()});
  }
  parts[0].other_name = [names = OriginalNames::OfUNet(unet_config_.layout)](std::string_view stock) {
    return names.OriginalName(stock);
  };
  absl::StatusOr<AdapterChoices> chosen = context_.open->overlays().Choose(request.adapters, parts);
  if (!chosen.ok()) return chosen.status();
  order.adapters = *std::move(chosen);
  return absl::OkStatus();
}

absl::Status PicturePipeline::PrepareAll(const PictureRequest& request, Order& order) {
  if (absl::Status chosen = ChooseAdapters(request, order); !chosen.ok()) return chosen;
  const std::int64_t h = order.height / vae_.halvings(), w = order.width / vae_.halvings();
  const bool two = order.guided() && unet_config_.guidance_channels == 0;
  absl::Status status = prompts_->Prepare(context_, request.clip_skip, order.adapters);
  if (status.ok())
    status = unet_.Prepare(
        context_, {h, w, two}, {},
        [&](WeightSource& source) {
          return BuildSdUNet(unet_config_, source, {two ? 2 : 1, h, w}, prompts_->tokens());
        },
        order.adapters);
  if (status.ok() && request.start)
    status = encoder_.Prepare(context_, {h, w}, {"decoder.", "post_quant_conv."}, [&](WeightSource& source) {
      return BuildVaeEncoder(vae_, source, 1, order.height, order.width);
    });
  if (status.ok())
    status = decoder_.Prepare(context_, {h, w}, {"encoder.", "quant_conv."},
                              [&](WeightSource& source) { return BuildVaeDecoder(vae_, source, 1, h, w); });
  return status;
}

void PicturePipeline::Tell(const PictureRequest& request, const Order& order) {
  Plan& unet = unet_.plan();
  const auto context = unet.Input("context"), summary = unet.Input("summary"), sizes = unet.Input("sizes");
  const auto words = static_cast<std::size_t>(prompts_->tokens() * prompts_->channels());
  const auto summed = static_cast<std::size_t>(prompts_->summary_channels());
  if (context.size() > words) {
    prompts_->Encode(request.negative, context.first(words), summary.first(summed));
    if (unet_config_.xl() && zeros_for_nothing_ && request.negative.empty()) {
      std::ranges::fill(context.first(words), 0.0f);
      std::ranges::fill(summary.first(summed), 0.0f);
    }
  }
  prompts_->Encode(request.prompt, context.last(words), summary.last(summed));
  // Whole pictures, as large as they are to be: height and width as it was, no crop, height and width.
  const auto height = static_cast<float>(order.height), width = static_cast<float>(order.width);
  const float said[] = {height, width, 0, 0, height, width};
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = said[i % std::size(said)];
  if (unet_config_.guidance_channels > 0) GuidanceEmbedding(order.guidance, unet.Input("guidance"));
}

// The mean of the picture's latents, in the scale that the UNet knows.
std::vector<float> PicturePipeline::Encode(const Picture& picture, const Order& order) {
  const std::vector<float> photo =
      ResizeToFloats(picture, static_cast<int>(order.width), static_cast<int>(order.height));
  const auto input = encoder_.plan().Input("picture");
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = photo[i] / 127.5f - 1.0f;
  encoder_.plan().Run();
  const auto moments = encoder_.plan().Output("moments");
  const auto channels = static_cast<std::size_t>(vae_.latent_channels);
  std::vector<float> latents(moments.size() / 2);
  for (std::size_t i = 0; i < latents.size(); ++i)
    latents[i] =
        moments[i / channels * 2 * channels + i % channels] * static_cast<float>(vae_.scaling_factor);
  return latents;
}

// One run of the UNet: what is not wanted first, what is wanted second, where there is guidance.
void PicturePipeline::Denoise(const Order& order, double time, const NoiseLevel& level,
                              std::span<const float> x, std::span<float> clean) {
  const auto sample = unet_.plan().Input("sample");
  for (std::size_t at = 0; at < sample.size(); at += x.size())
    std::ranges::copy(x, sample.begin() + static_cast<std::ptrdiff_t>(at));
  unet_.plan().Input("time")[0] = static_cast<float>(time);
  unet_.plan().Run();
  const auto prediction = unet_.plan().Output("prediction");
  std::copy_n(prediction.end() - static_cast<std::ptrdiff_t>(x.size()), x.size(), clean.begin());
  if (prediction.size() > x.size())
    for (std::size_t i = 0; i < x.size(); ++i)
      clean[i] = prediction[i] + static_cast<float>(order.guidance) * (clean[i] - prediction[i]);
  ToDenoised(order.scheduler.prediction, level, x, clean);
}

absl::StatusOr<std::vector<float>> PicturePipeline::Paint(const PictureRequest& request, Order& order,
                                                          const NoiseFn& noise, ProgressTeller& progress,
                                                          const std::stop_token& stop) {
  if (absl::Status status = PrepareAll(request, order); !status.ok()) return status;
  Tell(request, order);
  const auto size = static_cast<std::size_t>(order.height / vae_.halvings() *
                                             (order.width / vae_.halvings()) * vae_.latent_channels);
  Scheduler scheduler(order.scheduler, order.grid, size);
  std::vector<float> x(size), clean(size), fresh(size);
  noise(0, x);
  const NoiseLevel first = scheduler.level(0);
  const double loud = request.start ? first.sigma : scheduler.first_scale();
  for (float& value : x) value *= static_cast<float>(loud);
  if (request.start) {
    const std::vector<float> latents = Encode(*request.start, order);
    for (std::size_t i = 0; i < size; ++i) x[i] += static_cast<float>(first.alpha) * latents[i];
  }
  for (int step = 0; step < scheduler.steps(); ++step) {
    if (stop.stop_requested()) return absl::CancelledError("the picture was cancelled");
    Denoise(order, scheduler.time(step), scheduler.level(step), x, clean);
    const bool stirs = scheduler.WantsNoise(step);
    if (stirs) noise(static_cast<std::uint64_t>(step) + 1, fresh);
    scheduler.Advance(step, clean, x, stirs ? std::span<const float>(fresh) : std::span<const float>());
    progress.Tell(step + 1, scheduler.steps(), kPictureShareOfSolver * (step + 1) / scheduler.steps());
  }
  if (stop.stop_requested()) return absl::CancelledError("the picture was cancelled");
  const auto input = decoder_.plan().Input("latent");
  for (std::size_t i = 0; i < size; ++i) input[i] = x[i] / static_cast<float>(vae_.scaling_factor);
  decoder_.plan().Run();
  const auto picture = decoder_.plan().Output("picture");
  return std::vector<float>(picture.begin(), picture.end());
}

absl::StatusOr<std::vector<float>> PicturePipeline::Paint(const PictureRequest& request, const NoiseFn& noise,
                                                          ProgressTeller& progress,
                                                          const std::stop_token& stop) {
  absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  return Paint(request, *order, noise, progress, stop);
}

absl::StatusOr<DrawnPicture> PicturePipeline::Draw(const PictureRequest& request, ProgressTeller& progress,
                                                   const std::stop_token& stop) {
  absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  const absl::StatusOr<std::vector<float>> painted = Paint(
      request, *order, [&](std::uint64_t draw, std::span<float> x) { FillWithNoise(request.seed, x, draw); },
      progress, stop);
  if (!painted.ok()) return painted.status();
  if (!std::all_of(painted->begin(), painted->end(), [](float x) { return std::isfinite(x); }))
    return absl::InternalError(
        absl::StrCat(model_.root.string(),
                     ": the picture came out as numbers that are not finite; weights that are damaged "
                     "or made for another scheduler (prediction_type) do this"));
  DrawnPicture drawn;
  drawn.picture = Picture::Blank(static_cast<int>(order->width), static_cast<int>(order->height));
  std::transform(painted->begin(), painted->end(), drawn.picture.rgb.begin(), ByteOf);
  drawn.notes = Notes(request, *order);
  drawn.steps = order->steps;
  drawn.guidance = order->guidance;
  drawn.scheduler = SchedulerName(order->scheduler);
  return drawn;
}

}  // namespace ringway::engine
