#include "engine/pipelines/video_pipeline.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

constexpr int kSteps = 25, kVideoSideMax = 1024;
constexpr float kNoiseOnPhoto = 0.02f;   // as the pipeline's default; the network is told
constexpr float kMotionBucket = 127.0f;  // likewise
constexpr float kTrainedFps = 6.0f;      // frames per second minus one, as trained
constexpr float kGuidanceFirst = 1.0f, kGuidanceLast = 3.0f;
constexpr std::int64_t kChunkMax = 8;  // frames decoded together: the decoder's memory
constexpr std::int64_t kPixelsMax = 2'000'000;
constexpr double kVideoShareOfSolver = 0.85;  // of the work
constexpr float kClipMean[] = {0.48145466f, 0.4578275f, 0.40821073f};
constexpr float kClipDeviation[] = {0.26862954f, 0.26130258f, 0.27577711f};

absl::StatusOr<Config> ConfigOf(const ModelDirectory& model, std::string_view name,
                                std::string_view class_name) {
  const absl::StatusOr<Component> component = NeedComponent(model, name, class_name);
  if (!component.ok()) return component.status();
  return ReadComponentConfig(*component);
}

template <typename T>
absl::Status ReadInto(absl::StatusOr<Config> config, absl::StatusOr<T> (*read)(Config), T& to) {
  if (!config.ok()) return config.status();
  absl::StatusOr<T> value = read(*std::move(config));
  if (!value.ok()) return value.status();
  to = *std::move(value);
  return absl::OkStatus();
}

absl::Status Take(absl::StatusOr<std::unique_ptr<Plan>> plan, std::unique_ptr<Plan>& to) {
  if (!plan.ok()) return plan.status();
  to = *std::move(plan);
  return absl::OkStatus();
}

std::int64_t ChunkOf(std::int64_t frames) {
  for (std::int64_t chunk = kChunkMax; chunk > 1; --chunk)
    if (frames % chunk == 0) return chunk;
  return 1;
}

std::uint8_t ToByte(float x) {
  return static_cast<std::uint8_t>(std::clamp(std::lround((x + 1.0f) * 127.5f), 0L, 255L));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Pipeline>> VideoPipeline::Open(const PipelineContext& context) {
  std::unique_ptr<VideoPipeline> pipeline(new VideoPipeline(context));
  if (absl::Status status = pipeline->ReadConfigs(); !status.ok()) return status;
  return pipeline;
}

absl::Status VideoPipeline::ReadConfigs() {
  absl::StatusOr<Config> unet = ConfigOf(model_, "unet", "UNetSpatioTemporalConditionModel");
  if (!unet.ok()) return unet.status();
  frames_ = unet->Integer("num_frames", 14, 1, 64);
  if (!unet->status().ok()) return unet->status();
  if (absl::Status s = ReadInto(std::move(unet), ReadSvdUNetConfig, unet_config_); !s.ok()) return s;
  if (absl::Status s = ReadInto(ConfigOf(model_, "vae", "AutoencoderKLTemporalDecoder"), ReadVaeConfig, vae_);
      !s.ok())
    return s;
  if (absl::Status s =
          ReadInto(ConfigOf(model_, "image_encoder", "CLIPVisionModelWithProjection"), ReadClipConfig, clip_);
      !s.ok())
    return s;
  absl::StatusOr<Config> scheduler = ConfigOf(model_, "scheduler", "EulerDiscreteScheduler");
  if (!scheduler.ok()) return scheduler.status();
  sigma_first_ = scheduler->Number("sigma_max", sigma_first_);
  sigma_last_ = scheduler->Number("sigma_min", sigma_last_);
  if (!(sigma_last_ >= 1e-5 && sigma_first_ <= 1e5 && sigma_last_ * 2 < sigma_first_))
    scheduler->Refuse("sigma_max", "from twice sigma_min to 100000");
  if (scheduler->Text("prediction_type", "v_prediction") != "v_prediction")
    scheduler->Refuse("prediction_type", "v_prediction");
  if (!scheduler->status().ok()) return scheduler->status();
  const bool fits = unet_config_.layout.in_channels == 2 * vae_.latent_channels &&
                    unet_config_.layout.out_channels == vae_.latent_channels && vae_.picture_channels == 3 &&
                    unet_config_.layout.context_channels == clip_.projection;
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      model_.root.string(),
      ": the parts do not fit: the UNet must read twice the latent channels and CLIP's projection"));
}

std::string VideoPipeline::Describe() const {
  return absl::StrCat("video of ", frames_, " frames, ", kSteps, " steps of 2 passes");
}

int VideoPipeline::FramesPerSecond() const { return static_cast<int>(kTrainedFps) + 1; }

absl::StatusOr<VideoPipeline::Size> VideoPipeline::SizeFor(const AnimateRequest& request) const {
  if (request.region)
    return absl::InvalidArgumentError("this model moves the whole picture; leave out the region");
  const std::int64_t multiple = Halvings() << (unet_config_.layout.blocks() - 1);
  const double side = request.side_max > 0 ? request.side_max : kVideoSideMax;
  const double scale = side / std::max(request.picture.width, request.picture.height);
  const auto fit = [&](int pixels) {
    return std::max<std::int64_t>(1, std::llround(pixels * scale / static_cast<double>(multiple))) * multiple;
  };
  Size size{fit(request.picture.width), fit(request.picture.height),
            request.frames > 0 ? request.frames : frames_, 1};
  if (size.frames > 64 || size.width * size.height > kPixelsMax)
    return absl::InvalidArgumentError(absl::StrCat("a film of ", size.frames, " frames of ", size.width,
                                                   " x ", size.height, "; at most 64 frames of ", kPixelsMax,
                                                   " pixels"));
  size.chunk = ChunkOf(size.frames);
  return size;
}

absl::Status VideoPipeline::Prepare(const Size& size) {
  const PassOptions passes = context_.passes();
  if (embedder_ == nullptr)
    if (absl::Status s = Take(FreezeComponent(*model_.Find("image_encoder"), context_, passes, true,
                                              [&](WeightSource& w) { return BuildClipVision(clip_, w); }),
                              embedder_);
        !s.ok())
      return s;
  if (size == size_) return absl::OkStatus();
  size_ = {};
  for (std::unique_ptr<Plan>* plan : {&encoder_, &unet_, &decoder_})
    context_.open->plans().GiveBack(std::move(*plan));
  const Component &vae = *model_.Find("vae"), &unet = *model_.Find("unet");
  const std::int64_t h = size.height / Halvings(), w = size.width / Halvings();
  if (absl::Status s = Take(FreezeComponent(vae, context_, passes, false,
                                            [&](WeightSource& s) {
                                              return BuildVaeEncoder(vae_, s, 1, size.height, size.width);
                                            }),
                            encoder_);
      !s.ok())
    return s;
  if (absl::Status s =
          Take(FreezeComponent(unet, context_, passes, true,
                               [&](WeightSource& s) {
                                 return BuildSvdUNet(unet_config_, s, {{1, size.frames}, h, w}, 1);
                               }),
               unet_);
      !s.ok())
    return s;
  if (absl::Status s =
          Take(FreezeComponent(vae, context_, passes, false,
                               [&](WeightSource& s) {
                                 return BuildVaeTemporalDecoder(vae_, s, {{1, size.chunk}, h, w});
                               }),
               decoder_);
      !s.ok())
    return s;
  size_ = size;
  return absl::OkStatus();
}

std::vector<float> VideoPipeline::Embed(const Picture& picture) {
  const int side = static_cast<int>(clip_.picture_size);
  const std::vector<float> small = ResizeToFloats(picture, side, side);
  const auto input = embedder_->Input("picture");
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = (small[i] / 255.0f - kClipMean[i % 3]) / kClipDeviation[i % 3];
  embedder_->Run();
  const auto embedding = embedder_->Output("embedding");
  return {embedding.begin(), embedding.end()};
}

// The mean of the photo's latents, not scaled: what the network was trained to read.
std::vector<float> VideoPipeline::Encode(const Picture& picture, std::uint64_t seed) {
  const std::vector<float> photo =
      ResizeToFloats(picture, static_cast<int>(size_.width), static_cast<int>(size_.height));
  const auto input = encoder_->Input("picture");
  FillWithNoise(seed, input);
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = photo[i] / 127.5f - 1.0f + kNoiseOnPhoto * input[i];
  encoder_->Run();
  const auto moments = encoder_->Output("moments");
  const auto channels = static_cast<std::size_t>(vae_.latent_channels);
  std::vector<float> means(moments.size() / 2);
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = moments[i / channels * 2 * channels + i % channels];
  return means;
}

// One pass: x and the photo's latents side by side, the clean latents from the velocity.
void VideoPipeline::Denoise(double lambda, std::span<const float> x, std::span<const float> photo,
                            std::span<const float> embedding, std::span<float> clean) {
  const auto channels = static_cast<std::size_t>(vae_.latent_channels);
  float* to = unet_->Input("sample").data();
  for (std::size_t at = 0; at < x.size(); at += channels) {
    to = std::copy_n(x.data() + at, channels, to);
    to = std::copy_n(photo.data() + at % photo.size(), channels, to);
  }
  unet_->Input("time")[0] = static_cast<float>(-0.25 * lambda);
  const float added[] = {kTrainedFps, kMotionBucket, kNoiseOnPhoto};
  std::copy(added, added + 3, unet_->Input("added").begin());
  std::copy(embedding.begin(), embedding.end(), unet_->Input("context").begin());
  unet_->Run();
  const auto prediction = unet_->Output("prediction");
  std::copy(prediction.begin(), prediction.end(), clean.begin());
  ToDenoised(Prediction::kVelocity, LevelOf(lambda), x, clean);
}

absl::Status VideoPipeline::Diffuse(const AnimateRequest& request, int steps, std::span<float> x,
                                    ProgressTeller& progress, const std::stop_token& stop) {
  const std::vector<float> embedding = Embed(request.picture), nothing(embedding.size());
  const std::vector<float> photo = Encode(request.picture, request.seed + 1), blank(photo.size());
  std::vector<float> clean(x.size()), without(x.size());
  DpmSolver solver(UniformLambdas(-std::log(sigma_first_), -std::log(sigma_last_), steps), x.size());
  for (int step = 0; step < steps; ++step) {
    if (stop.stop_requested()) return Stopped();
    Denoise(solver.lambda(step), x, photo, embedding, clean);
    if (stop.stop_requested()) return Stopped();
    Denoise(solver.lambda(step), x, blank, nothing, without);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto frame = static_cast<float>(i / photo.size());
      const float last = std::max(1.0f, static_cast<float>(size_.frames - 1));
      const float scale = kGuidanceFirst + (kGuidanceLast - kGuidanceFirst) * frame / last;
      clean[i] = without[i] + scale * (clean[i] - without[i]);
    }
    solver.Advance(step, clean, x);
    progress.Tell(step + 1, steps, kVideoShareOfSolver * (step + 1) / steps);
  }
  return absl::OkStatus();
}

absl::StatusOr<Animation> VideoPipeline::Decode(const AnimateRequest& request, std::span<const float> latents,
                                                int steps, ProgressTeller& progress,
                                                const std::stop_token& stop) {
  Animation animation;
  if (!request.prompt.empty()) animation.notes = {"this model reads no prompt: it chooses what moves"};
  const auto input = decoder_->Input("latent");
  const auto scale = static_cast<float>(1 / vae_.scaling_factor);
  for (std::int64_t first = 0; first < size_.frames; first += size_.chunk) {
    if (stop.stop_requested()) return Stopped();
    const std::size_t begin = static_cast<std::size_t>(first / size_.chunk) * input.size();
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = latents[begin + i] * scale;
    decoder_->Run();
    const auto pixels = decoder_->Output("picture");
    for (std::int64_t frame = 0; frame < size_.chunk; ++frame) {
      Picture picture = Picture::Blank(static_cast<int>(size_.width), static_cast<int>(size_.height));
      const auto from = pixels.begin() + frame * static_cast<std::ptrdiff_t>(picture.rgb.size());
      std::transform(from, from + static_cast<std::ptrdiff_t>(picture.rgb.size()), picture.rgb.begin(),
                     ToByte);
      animation.frames.push_back(std::move(picture));
    }
    const double done = static_cast<double>(first + size_.chunk) / static_cast<double>(size_.frames);
    progress.Tell(steps, steps, kVideoShareOfSolver + (1 - kVideoShareOfSolver) * done);
  }
  return animation;
}

absl::StatusOr<Animation> VideoPipeline::Animate(const AnimateRequest& request, ProgressTeller& progress,
                                                 const std::stop_token& stop) {
  const absl::StatusOr<Size> size = SizeFor(request);
  if (!size.ok()) return size.status();
  if (absl::Status status = Prepare(*size); !status.ok()) return status;
  const int steps = request.steps > 0 ? request.steps : kSteps;
  const std::int64_t area = size->height / Halvings() * (size->width / Halvings());
  std::vector<float> x(static_cast<std::size_t>(size->frames * area * vae_.latent_channels));
  FillWithNoise(request.seed, x);
  if (absl::Status status = Diffuse(request, steps, x, progress, stop); !status.ok()) return status;
  return Decode(request, x, steps, progress, stop);
}

}  // namespace ringway::engine
