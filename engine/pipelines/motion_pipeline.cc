#include "engine/pipelines/motion_pipeline.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/resize.h"
#include "engine/motion/film.h"
#include "engine/motion/leaning.h"
#include "engine/networks/clip.h"
#include "engine/networks/unet_svd.h"
#include "engine/pipelines/component_config.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

constexpr int kFrames = 48, kMotionSideMax = 768;
constexpr double kMotionShareOfSolver = 0.5;  // of the work, for the progress of a film of usual size
constexpr float kAddedScale = 10.0f;
constexpr double kLoudestMean = 4;  // beyond it is a mistake, not a calibration

template <typename T>
absl::Status Keep(absl::StatusOr<T> value, T& to) {
  if (!value.ok()) return value.status();
  to = *std::move(value);
  return absl::OkStatus();
}

absl::Status Agree(const char* what, std::int64_t found, std::int64_t wanted) {
  if (found == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the model's parts do not fit: ", what, " is ", found, ", the others want ", wanted));
}

// What the conditioner sees, [size, size, 8].
void FillPlanes(const AnimateRequest& request, bool picture_given, int size, std::span<float> planes) {
  const std::vector<float> small = ResizeToFloats(request.picture, size, size);
  const bool matte_given =
      picture_given && request.region.has_value();  // as trained: never without the picture
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const auto cell = static_cast<std::size_t>(y * size + x);
      float* to = planes.data() + cell * 8;
      for (std::size_t c = 0; c < 3; ++c)
        to[c] = picture_given ? small[cell * 3 + c] / 255.0f * 2.0f - 1.0f : 0.0f;
      to[3] = (static_cast<float>(x) + 0.5f) / static_cast<float>(size) * 2.0f - 1.0f;
      to[4] = (static_cast<float>(y) + 0.5f) / static_cast<float>(size) * 2.0f - 1.0f;
      to[5] = matte_given ? Coverage(*request.region, x, y, size) * 2.0f - 1.0f : 0.0f;
      to[6] = matte_given ? 1.0f : 0.0f;
      to[7] = picture_given ? 1.0f : 0.0f;
    }
  }
}

void ReadFirstMean(Config& config, std::array<float, 2>& mean) {
  const Json* said = config.json().Find("first_noise_mean");
  if (said == nullptr) return;
  const Json::Array* items = said->array();
  bool sane = items != nullptr && items->size() == mean.size();
  for (std::size_t i = 0; sane && i < mean.size(); ++i) {
    sane = (*items)[i].IsNumber() && (*items)[i].number() > 0 && (*items)[i].number() <= kLoudestMean;
    if (sane) mean[i] = static_cast<float>((*items)[i].number());
  }
  if (!sane)
    config.Refuse("first_noise_mean",
                  absl::StrCat("two numbers, of x and y, above 0 and at most ", kLoudestMean));
}

// The solver's way from noise to the field, as a schedule wants it.
class Walk {
 public:
  Walk(const MotionSchedule& schedule, const MotionFieldConfig& field, int steps)
      : schedule_(schedule),
        field_(field),
        solver_(Solver(schedule, field, steps)),
        fresh_(schedule.stochastic ? field.elements() : 0) {
    if (!fresh_.empty() && schedule.affine_is_steady)
      steady_.emplace(Solver(schedule, field, steps)), steady_x_.resize(field.elements());
  }
  // White noise becomes that which a walk for the whole picture begins with.
  void Begin(std::span<float> x) {
    if (schedule_.wave_lean > 0) leaning_.emplace(field_, schedule_.wave_lean, x).Apply(x);
    ScaleCommonPart(field_, schedule_.first_mean, x);
  }
  double LogSnr(int step) const { return 2 * solver_.lambda(step); }
  void Advance(int step, std::uint64_t seed, std::span<const float> clean, std::span<float> x) {
    FillWithNoise(seed, fresh_, /*draw=*/static_cast<std::uint64_t>(step) + 1);
    if (leaning_ && !fresh_.empty()) leaning_->Apply(fresh_);
    std::copy_n(x.begin(), steady_x_.size(), steady_x_.begin());
    solver_.Advance(step, clean, x, fresh_);
    if (!steady_) return;
    steady_->Advance(step, clean, steady_x_);
    CopyAffinePart(field_, steady_x_, x);
  }

 private:
  // Half the log-SNR is the solver's lambda. A single step has no interval; it looks at the first level.
  static DpmSolver Solver(const MotionSchedule& schedule, const MotionFieldConfig& field, int steps) {
    return {UniformLambdas(schedule.log_snr_first / 2, schedule.log_snr_last / 2, std::max(1, steps - 1)),
            field.elements(), LastStep::kLookedAt};
  }
  const MotionSchedule& schedule_;
  const MotionFieldConfig& field_;
  DpmSolver solver_;
  std::optional<Leaning> leaning_;
  std::vector<float> fresh_;  // the stochastic equation's noise of one step
  std::optional<DpmSolver> steady_;
  std::vector<float> steady_x_;
};

}  // namespace

absl::StatusOr<MotionSchedule> ReadMotionSchedule(Config config) {
  MotionSchedule s;
  s.log_snr_first = config.Number("log_snr_first", s.log_snr_first);
  s.log_snr_last = config.Number("log_snr_last", s.log_snr_last);
  s.time_first = config.Number("time_first", s.time_first);
  s.time_last = config.Number("time_last", s.time_last);
  s.steps = static_cast<int>(config.Integer("num_inference_steps", s.steps, 1, 1000));
  s.scales.image = static_cast<float>(config.Number("image_guidance_scale", 1));
  s.scales.text = static_cast<float>(config.Number("guidance_scale", 1));
  if (!(s.log_snr_first >= -40 && s.log_snr_last <= 40 && s.log_snr_first + 1e-3 < s.log_snr_last))
    config.Refuse("log_snr_first", "a number from -40 to below log_snr_last, which is at most 40");
  const std::string algorithm = config.Text("algorithm_type", "dpmsolver++");
  s.stochastic = algorithm == "sde-dpmsolver++";
  if (!s.stochastic && algorithm != "dpmsolver++")
    config.Refuse("algorithm_type", "dpmsolver++ or sde-dpmsolver++");
  const std::string steady = config.Text("deterministic_part", "none");
  s.affine_is_steady = steady == "affine";
  if (!s.affine_is_steady && steady != "none") config.Refuse("deterministic_part", "none or affine");
  ReadFirstMean(config, s.first_mean);
  s.wave_lean = static_cast<float>(config.Number("wave_noise_lean", s.wave_lean));
  if (!(s.wave_lean >= 0 && s.wave_lean <= 1)) config.Refuse("wave_noise_lean", "a number from 0 to 1");
  if (config.Text("prediction_type", "sample") != "sample") config.Refuse("prediction_type", "sample");
  if (!config.status().ok()) return config.status();
  return s;
}

absl::StatusOr<std::unique_ptr<Pipeline>> MotionPipeline::Open(const PipelineContext& context) {
  std::unique_ptr<MotionPipeline> pipeline(new MotionPipeline(context));
  if (absl::Status status = pipeline->ReadConfigs(context.model); !status.ok()) return status;
  if (absl::Status status = pipeline->FreezeNetworks(context); !status.ok()) return status;
  return pipeline;
}

absl::Status MotionPipeline::ReadConfigs(const ModelDirectory& model) {
  if (absl::Status s = ReadInto(model, "field", "MotionField", ReadMotionFieldConfig, field_); !s.ok())
    return s;
  if (absl::Status s =
          ReadInto(model, "scheduler", "DPMSolverMultistepScheduler", ReadMotionSchedule, schedule_);
      !s.ok())
    return s;
  if (schedule_.wave_lean > 0 && !Leaning::Fits(field_))
    return absl::InvalidArgumentError(absl::StrCat(
        "the model's parts do not fit: the scheduler's wave_noise_lean wants a field of more than "
        "two frames and four cells a side, not of ",
        field_.frames, " and ", field_.grid, "; set it to 0"));
  if (absl::Status s = ReadInto(model, "conditioner", "MotionConditioner", ReadMotionConditionerConfig,
                                conditioner_config_);
      !s.ok())
    return s;
  return Agree("the conditioner's out_size", conditioner_config_.out_size(), field_.packed_grid());
}

absl::Status MotionPipeline::FreezeNetworks(const PipelineContext& context) {
  ClipConfig text;
  if (absl::Status s = ReadInto(context.model, "text_encoder", "CLIPTextModel", ReadClipConfig, text);
      !s.ok())
    return s;
  SvdUNetConfig unet;
  const char* unet_class = "UNetSpatioTemporalConditionModel";
  if (absl::Status s = ReadInto(context.model, "unet", unet_class, ReadSvdUNetConfig, unet); !s.ok())
    return s;
  const std::int64_t packed = field_.packed_channels();
  const absl::Status agreements[] = {
      Agree("the UNet's in_channels", unet.layout.in_channels, packed + conditioner_config_.out_channels),
      Agree("the UNet's out_channels", unet.layout.out_channels, packed),
      Agree("the UNet's cross_attention_dim", unet.layout.context_channels, text.channels),
      Agree("the conditioner's text_channels", conditioner_config_.text_channels, text.channels)};
  for (const absl::Status& status : agreements)
    if (!status.ok()) return status;
  const absl::StatusOr<Component> words = NeedComponent(context.model, "tokenizer", "WordTokenizer");
  if (!words.ok()) return words.status();
  absl::StatusOr<WordTokenizer> tokenizer =
      WordTokenizer::Open(words->directory, text.tokens_max, text.vocabulary);
  if (!tokenizer.ok()) return tokenizer.status();
  tokenizer_ = *std::move(tokenizer);

  // What runs once a clip stays in f32: it costs nothing.
  const auto freeze = [&](const char* name, const PassOptions& passes, auto build,
                          std::unique_ptr<Plan>& to) {
    return Keep(FreezeComponent(*context.model.Find(name), context, passes, /*whole=*/true, build), to);
  };
  const ClipSize size{{1, field_.packed_frames()}, field_.packed_grid(), field_.packed_grid()};
  if (absl::Status s = freeze(
          "text_encoder", {}, [&](WeightSource& w) { return BuildClipText(text, w, 1); }, text_);
      !s.ok())
    return s;
  if (absl::Status s = freeze(
          "conditioner", {}, [&](WeightSource& w) { return BuildMotionConditioner(conditioner_config_, w); },
          conditioner_);
      !s.ok())
    return s;
  return freeze(
      "unet", context.passes(), [&](WeightSource& w) { return BuildSvdUNet(unet, w, size, text.tokens_max); },
      unet_);
}

std::string MotionPipeline::Describe() const {
  return absl::StrCat("motion field of ", field_.frames, " x ", field_.grid, " x ", field_.grid, ", ",
                      schedule_.steps, " steps of ", schedule_.passes(),
                      schedule_.passes() > 1 ? " passes" : " pass");
}

MotionPipeline::Pass MotionPipeline::Tell(const AnimateRequest& request, bool picture, bool text,
                                          float weight) {
  const std::vector<std::int32_t> ids = tokenizer_->Encode(text ? std::string_view(request.prompt) : "");
  std::copy(ids.begin(), ids.end(), text_->IntegerInput("ids").begin());
  text_->Run();
  const auto hidden = text_->Output("hidden");
  const auto summary = conditioner_->Input("summary");
  std::copy(hidden.end() - static_cast<std::ptrdiff_t>(summary.size()), hidden.end(), summary.begin());
  FillPlanes(request, picture, static_cast<int>(conditioner_config_.picture_size),
             conditioner_->Input("planes"));
  conditioner_->Run();
  const auto planes = conditioner_->Output("planes");
  const double aspect = static_cast<double>(request.picture.width) / request.picture.height;
  return {weight,
          {hidden.begin(), hidden.end()},
          {planes.begin(), planes.end()},
          {kAddedScale * static_cast<float>(std::log2(aspect)),
           picture && request.region ? kAddedScale : 0.0f, picture ? kAddedScale : 0.0f}};
}

std::vector<MotionPipeline::Pass> MotionPipeline::PassesFor(const AnimateRequest& request) {
  std::vector<Pass> passes;
  if (schedule_.none() != 0) passes.push_back(Tell(request, false, false, schedule_.none()));
  if (schedule_.picture() != 0) passes.push_back(Tell(request, true, false, schedule_.picture()));
  if (schedule_.both() != 0) passes.push_back(Tell(request, true, true, schedule_.both()));
  return passes;
}

void MotionPipeline::Denoise(const Pass& pass, double log_snr, std::span<const float> x,
                             std::span<float> clean) {
  const auto own = static_cast<std::size_t>(field_.packed_channels());
  const auto planes = static_cast<std::size_t>(conditioner_config_.out_channels);
  const std::size_t tokens = x.size() / own, cells = pass.planes.size() / planes;
  float* to = unet_->Input("sample").data();
  for (std::size_t token = 0; token < tokens; ++token) {
    to = std::copy_n(x.data() + token * own, own, to);
    to = std::copy_n(pass.planes.data() + token % cells * planes, planes, to);
  }
  unet_->Input("time")[0] = static_cast<float>(schedule_.TimeOf(log_snr));
  std::copy(pass.added, pass.added + 3, unet_->Input("added").begin());
  std::copy(pass.context.begin(), pass.context.end(), unet_->Input("context").begin());
  unet_->Run();
  const auto prediction = unet_->Output("prediction");
  for (std::size_t i = 0; i < clean.size(); ++i) clean[i] += pass.weight * prediction[i];
}

absl::StatusOr<std::vector<float>> MotionPipeline::Diffuse(const AnimateRequest& request,
                                                           std::vector<float> noise, ProgressTeller& progress,
                                                           const std::stop_token& stop) {
  const int steps = request.steps > 0 ? request.steps : schedule_.steps;
  const std::vector<Pass> passes = PassesFor(request);
  std::vector<float>& x = noise;
  std::vector<float> clean(x.size());
  Walk walk(schedule_, field_, steps);
  if (!request.region) walk.Begin(x);
  for (int step = 0; step < steps; ++step) {
    std::fill(clean.begin(), clean.end(), 0.0f);
    for (const Pass& pass : passes) {
      if (stop.stop_requested()) return Stopped();
      Denoise(pass, walk.LogSnr(step), x, clean);
    }
    if (step + 1 < steps) walk.Advance(step, request.seed, clean, x);
    progress.Tell(step + 1, steps, kMotionShareOfSolver * (step + 1) / steps);
  }
  return clean;
}

absl::StatusOr<Animation> MotionPipeline::Draw(const AnimateRequest& request, const MotionField& field,
                                               int steps, ProgressTeller& progress,
                                               const std::stop_token& stop) const {
  const FilmSettings settings{.frames = request.frames > 0 ? request.frames : kFrames,
                              .side_max = request.side_max > 0 ? request.side_max : kMotionSideMax,
                              .region = request.region};
  const FilmSize size = SizeOfFilm(request.picture.width, request.picture.height, settings.side_max);
  if (std::int64_t{size.width} * size.height * settings.frames > kAnimationPixelsMax)
    return absl::InvalidArgumentError(absl::StrCat(settings.frames, " frames of ", size.width, " x ",
                                                   size.height, " are more than ", kAnimationPixelsMax,
                                                   " pixels"));
  const Film film(request.picture, field, settings);
  Animation animation;
  animation.notes = tokenizer_->Notes(request.prompt);
  animation.frames.resize(static_cast<std::size_t>(settings.frames));
  for (int begin = 0; begin < settings.frames; begin += threads_) {
    if (stop.stop_requested()) return Stopped();
    const int end = std::min(begin + threads_, settings.frames);
    ParallelFor(end - begin, threads_, [&](std::int64_t task, int) {
      const int frame = begin + static_cast<int>(task);
      animation.frames[static_cast<std::size_t>(frame)] = film.Frame(frame);
    });
    progress.Tell(steps, steps, kMotionShareOfSolver + (1 - kMotionShareOfSolver) * end / settings.frames);
  }
  return animation;
}

absl::StatusOr<Animation> MotionPipeline::Animate(const AnimateRequest& request, ProgressTeller& progress,
                                                  const std::stop_token& stop) {
  std::vector<float> noise(field_.elements());
  FillWithNoise(request.seed, noise);
  const absl::StatusOr<std::vector<float>> packed = Diffuse(request, std::move(noise), progress, stop);
  if (!packed.ok()) return packed.status();
  const MotionField field(field_, *packed);
  return Draw(request, field, request.steps > 0 ? request.steps : schedule_.steps, progress, stop);
}

}  // namespace ringway::engine
