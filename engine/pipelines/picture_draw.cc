// Drawing: plans for a request, the way from noise to latents, and the picture.
#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/resize.h"
#include "engine/networks/original_names.h"
#include "engine/pipelines/picture_pipeline.h"

namespace ringway::engine {
namespace {

constexpr double kPictureShareOfSolver = 0.9;  // of the work
constexpr int kFilmPace = 8;                   // frames a second that the released adapters were made for

std::uint8_t ByteOf(float x) {
  return static_cast<std::uint8_t>(std::clamp(std::lround((x + 1.0f) * 127.5f), 0L, 255L));
}

absl::Status PictureStopped() { return absl::CancelledError("the picture was cancelled"); }

}  // namespace

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

absl::Status PicturePipeline::PrepareUNets(const PictureRequest& request, const Order& order) {
  const std::int64_t h = order.height / vae_.halvings(), w = order.width / vae_.halvings();
  const bool two = order.guided() && unet_config_.guidance_channels == 0;
  const PictureSize size{two ? 2 : 1, h, w};
  filming_ = !request.motion.empty();
  if (filming_) {
    plain_ = controlled_ = false;
    return motion_.Prepare(context_, unet_config_, size, order.frames, prompts_->tokens(), order.adapters);
  }
  const int steps = static_cast<int>(order.grid.times.size());
  absl::Status status =
      controls_.Prepare(context_, unet_config_, request.controls, size, prompts_->tokens(), steps);
  if (!status.ok()) return status;
  plain_ = !controls_.Always(steps);
  controlled_ = controls_.Ever(steps);
  const auto prepare = [&](FrozenPart& part, bool controlled) {
    return part.Prepare(
        context_, {h, w, two}, {},
        [&](WeightSource& source) {
          return BuildSdUNet(unet_config_, source, size, prompts_->tokens(), controlled);
        },
        order.adapters);
  };
  if (plain_) status = prepare(unet_, false);
  if (status.ok() && controlled_) status = prepare(controlled_unet_, true);
  return status;
}

absl::Status PicturePipeline::OpenMotion(const PictureRequest& request, Order& order) {
  if (request.motion.empty()) return absl::OkStatus();
  if (absl::Status open = motion_.Open(context_, unet_config_, request.motion); !open.ok()) return open;
  const absl::StatusOr<std::int64_t> frames = motion_.FramesOf(request.frames);
  if (!frames.ok()) return frames.status();
  order.frames = *frames;
  if (order.frames * order.width * order.height <= kFilmPixelsMax) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a film of ", order.frames, " frames of ", order.width,
                                                 " x ", order.height, "; allowed are ", kFilmPixelsMax,
                                                 " pixels together"));
}

absl::Status PicturePipeline::PrepareAll(const PictureRequest& request, Order& order) {
  if (absl::Status open = OpenMotion(request, order); !open.ok()) return open;
  if (absl::Status chosen = ChooseAdapters(request, order); !chosen.ok()) return chosen;
  const std::int64_t h = order.height / vae_.halvings(), w = order.width / vae_.halvings();
  absl::Status status = prompts_->Prepare(context_, request.clip_skip, order.adapters, request.words);
  if (status.ok()) status = PrepareUNets(request, order);
  if (status.ok() && request.start) status = coder_.PrepareEncoder(context_, vae_, h, w);
  if (status.ok()) status = coder_.PrepareDecoder(context_, vae_, h, w);
  if (status.ok() && !request.preview.empty())
    status = preview_.Prepare(context_, vae_, request.preview, h, w);
  return status;
}

void PicturePipeline::Tell(const PictureRequest& request, const Order& order) {
  Plan& unet = plain_ || filming_ ? StepPlan() : controlled_unet_.plan();
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
  if (!controlled_) return;
  if (plain_)
    for (const char* name : {"context", "summary", "sizes", "guidance"})
      std::ranges::copy(unet.Input(name), controlled_unet_.plan().Input(name).begin());
  controls_.Tell(controlled_unet_.plan());
}

// The mean of the picture's latents, in the scale that the UNet knows.
std::vector<float> PicturePipeline::Encode(std::span<const float> photo) {
  std::vector<float> latents = coder_.Encode(photo);
  for (float& x : latents) x *= static_cast<float>(vae_.scaling_factor());
  return latents;
}

PicturePipeline::Start PicturePipeline::StartOf(const PictureRequest& request, const Order& order) {
  Start start;
  if (!request.start) return start;
  start.photo = ResizeToFloats(*request.start, static_cast<int>(order.width), static_cast<int>(order.height));
  for (float& x : start.photo) x = x / 127.5f - 1.0f;
  start.latents = Encode(start.photo);
  if (!request.mask) return start;
  start.repaint.emplace(
      *request.mask,
      Repaint::Size{static_cast<int>(order.width), static_cast<int>(order.height),
                    static_cast<int>(vae_.halvings()), static_cast<int>(vae_.latent_channels())});
  if (repaints()) start.told = start.repaint->Told(Encode(start.repaint->Masked(start.photo)));
  return start;
}

// One run of the UNet: what is not wanted first, what is wanted second, where there is guidance.
void PicturePipeline::Denoise(const Order& order, const Scheduler& scheduler, int step, const Start& start,
                              std::span<const float> x, std::span<float> clean) {
  const double from = static_cast<double>(step) / scheduler.steps(), to = (step + 1.0) / scheduler.steps();
  const bool controlled = controlled_ && controls_.Active(from, to);
  Plan& unet = controlled ? controlled_unet_.plan() : StepPlan();
  const auto sample = unet.Input("sample");
  const auto latent = static_cast<std::size_t>(vae_.latent_channels());
  const auto all = static_cast<std::size_t>(unet_config_.layout.in_channels);
  const std::size_t pixels = x.size() / latent;
  for (std::size_t at = 0; at < sample.size() / all; ++at) {
    float* to_pixel = sample.data() + at * all;
    std::copy_n(x.data() + at % pixels * latent, latent, to_pixel);
    if (all > latent)
      std::copy_n(start.told.data() + at % pixels * (all - latent), all - latent, to_pixel + latent);
  }
  unet.Input("time")[0] = static_cast<float>(scheduler.time(step));
  if (controlled) controls_.Run(unet, from, to);
  unet.Run();
  const auto prediction = unet.Output("prediction");
  std::copy_n(prediction.end() - static_cast<std::ptrdiff_t>(x.size()), x.size(), clean.begin());
  if (prediction.size() > x.size())
    for (std::size_t i = 0; i < x.size(); ++i)
      clean[i] = prediction[i] + static_cast<float>(order.guidance) * (clean[i] - prediction[i]);
  ToDenoised(order.scheduler.prediction, scheduler.level(step), x, clean);
}

absl::StatusOr<std::vector<float>> PicturePipeline::Diffuse(const PictureRequest& request, Order& order,
                                                            const NoiseFn& noise, ProgressTeller& progress,
                                                            const std::stop_token& stop, Start& start) {
  if (absl::Status status = PrepareAll(request, order); !status.ok()) return status;
  Tell(request, order);
  const auto size =
      static_cast<std::size_t>(order.height / vae_.halvings() * (order.width / vae_.halvings()) *
                               vae_.latent_channels() * order.frames);
  Scheduler scheduler(order.scheduler, order.grid, size);
  std::vector<float> x(size), clean(size), fresh(size), first_noise(size);
  noise(0, first_noise);
  start = StartOf(request, order);
  const NoiseLevel first = scheduler.level(0);
  const double loud = request.start ? first.sigma : scheduler.first_scale();
  for (std::size_t i = 0; i < size; ++i) x[i] = first_noise[i] * static_cast<float>(loud);
  if (request.start)
    for (std::size_t i = 0; i < size; ++i) x[i] += static_cast<float>(first.alpha) * start.latents[i];
  for (int step = 0; step < scheduler.steps(); ++step) {
    if (stop.stop_requested()) return PictureStopped();
    Denoise(order, scheduler, step, start, x, clean);
    if (request.on_preview && !request.preview.empty()) request.on_preview(step + 1, preview_.Show(clean));
    const bool stirs = scheduler.WantsNoise(step);
    if (stirs) noise(static_cast<std::uint64_t>(step) + 1, fresh);
    scheduler.Advance(step, clean, x, stirs ? std::span<const float>(fresh) : std::span<const float>());
    if (start.repaint && !repaints())
      start.repaint->Hold(start.latents, first_noise, scheduler.level(step + 1), x);
    progress.Tell(step + 1, scheduler.steps(), kPictureShareOfSolver * (step + 1) / scheduler.steps());
  }
  if (stop.stop_requested()) return PictureStopped();
  for (float& value : x) value /= static_cast<float>(vae_.scaling_factor());
  return x;
}

absl::StatusOr<std::vector<float>> PicturePipeline::Paint(const PictureRequest& request, Order& order,
                                                          const NoiseFn& noise, ProgressTeller& progress,
                                                          const std::stop_token& stop, Start& start) {
  const absl::StatusOr<std::vector<float>> latents = Diffuse(request, order, noise, progress, stop, start);
  if (!latents.ok()) return latents;
  return coder_.Decode(*latents);
}

absl::StatusOr<std::vector<float>> PicturePipeline::Paint(const PictureRequest& request, const NoiseFn& noise,
                                                          ProgressTeller& progress,
                                                          const std::stop_token& stop) {
  absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  Start start;
  return Paint(request, *order, noise, progress, stop, start);
}

absl::StatusOr<DrawnPicture> PicturePipeline::Draw(const PictureRequest& request, ProgressTeller& progress,
                                                   const std::stop_token& stop) {
  if (!request.motion.empty())
    return absl::InvalidArgumentError("a motion adapter draws films; for a picture, leave it out");
  absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  Start start;
  const absl::StatusOr<std::vector<float>> painted = Paint(
      request, *order, [&](std::uint64_t draw, std::span<float> x) { FillWithNoise(request.seed, x, draw); },
      progress, stop, start);
  if (!painted.ok()) return painted.status();
  absl::StatusOr<Picture> rounded = Rounded(*order, *painted);
  if (!rounded.ok()) return rounded.status();
  DrawnPicture drawn;
  drawn.picture = *std::move(rounded);
  if (start.repaint) start.repaint->LayOver(start.photo, drawn.picture);
  drawn.notes = Notes(request, *order);
  drawn.steps = order->steps;
  drawn.guidance = order->guidance;
  drawn.scheduler = SchedulerName(order->scheduler);
  return drawn;
}

absl::StatusOr<Picture> PicturePipeline::Rounded(const Order& order, std::span<const float> painted) const {
  if (!std::ranges::all_of(painted, [](float x) { return std::isfinite(x); }))
    return absl::InternalError(
        absl::StrCat(model_.root.string(),
                     ": the picture came out as numbers that are not finite; weights that are damaged "
                     "or made for another scheduler (prediction_type) do this"));
  Picture picture = Picture::Blank(static_cast<int>(order.width), static_cast<int>(order.height));
  std::ranges::transform(painted, picture.rgb.begin(), ByteOf);
  return picture;
}

absl::StatusOr<DrawnFilm> PicturePipeline::Film(const PictureRequest& request, ProgressTeller& progress,
                                                const std::stop_token& stop) {
  if (request.motion.empty())
    return absl::InvalidArgumentError("a film is drawn with a motion adapter, and none is named");
  absl::StatusOr<Order> order = OrderOf(request);
  if (!order.ok()) return order.status();
  Start start;
  const absl::StatusOr<std::vector<float>> latents = Diffuse(
      request, *order, [&](std::uint64_t draw, std::span<float> x) { FillWithNoise(request.seed, x, draw); },
      progress, stop, start);
  if (!latents.ok()) return latents.status();
  DrawnFilm film;
  const int steps = static_cast<int>(order->grid.times.size());
  const std::size_t frames = static_cast<std::size_t>(order->frames), size = latents->size() / frames;
  for (std::size_t i = 0; i < frames; ++i) {
    if (stop.stop_requested()) return PictureStopped();
    absl::StatusOr<Picture> frame =
        Rounded(*order, coder_.Decode(std::span(*latents).subspan(i * size, size)));
    if (!frame.ok()) return frame.status();
    film.animation.frames.push_back(*std::move(frame));
    progress.Tell(steps, steps,
                  kPictureShareOfSolver +
                      (1 - kPictureShareOfSolver) * static_cast<double>(i + 1) / static_cast<double>(frames));
  }
  const int pace = request.frames_per_second > 0 ? request.frames_per_second : kFilmPace;
  film.animation.delay_ms = static_cast<int>(std::lround(1000.0 / pace));
  film.animation.notes = Notes(request, *order);
  film.steps = order->steps;
  film.frames_per_second = pace;
  film.guidance = order->guidance;
  film.scheduler = SchedulerName(order->scheduler);
  return film;
}

}  // namespace ringway::engine
