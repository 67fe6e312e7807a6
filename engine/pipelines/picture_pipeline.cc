#include "engine/pipelines/picture_pipeline.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/pipelines/component_config.h"

namespace ringway::engine {
namespace {

constexpr const char* kClasses[] = {"StableDiffusionPipeline", "StableDiffusionImg2ImgPipeline",
                                    "StableDiffusionInpaintPipeline", "LatentConsistencyModelPipeline"};
constexpr const char* kXlClasses[] = {"StableDiffusionXLPipeline", "StableDiffusionXLImg2ImgPipeline",
                                      "StableDiffusionXLInpaintPipeline"};
constexpr double kPictureGuidance = 7.5;  // Stable Diffusion's own
constexpr double kXlGuidance = 5;
constexpr double kConsistencyGuidance = 8.5;  // what consistency models were made for, where they are told
constexpr int kPictureSteps = 25;             // from here on, more hardly change a picture of DPM-Solver++
constexpr int kConsistencySteps = 4;
// What motion modules were trained with, whatever the checkpoint beside them was (Guo et al., and every
// released adapter since).
constexpr int kMotionTrainSteps = 1000;
constexpr double kMotionBetaFirst = 0.00085, kMotionBetaLast = 0.012;

template <auto kRead>
absl::StatusOr<Autoencoder> ReadAutoencoder(Config config) {
  auto read = kRead(std::move(config));
  if (!read.ok()) return read.status();
  return Autoencoder(*std::move(read));
}

}  // namespace

bool PicturePipeline::Opens(const std::string& pipeline_class) {
  return std::ranges::find(kClasses, pipeline_class) != std::end(kClasses) ||
         std::ranges::find(kXlClasses, pipeline_class) != std::end(kXlClasses);
}

absl::Status PicturePipeline::Load() {
  PictureRequest request;
  if (repaints()) request.start = request.mask = Picture::Blank(8, 8);
  request.width = static_cast<int>(latent_width_ * vae_.halvings());
  request.height = static_cast<int>(latent_height_ * vae_.halvings());
  return Prepare(request);
}

absl::Status PicturePipeline::Prepare(const PictureRequest& request) {
  absl::StatusOr<Order> order = OrderOf(request);
  return order.ok() ? PrepareAll(request, *order) : order.status();
}

absl::StatusOr<std::unique_ptr<PicturePipeline>> PicturePipeline::Open(const PipelineContext& context) {
  const std::string& name = context.model.pipeline;
  const bool xl = std::find(std::begin(kXlClasses), std::end(kXlClasses), name) != std::end(kXlClasses);
  if (!Opens(name))
    return absl::InvalidArgumentError(
        absl::StrCat((context.model.root / "model_index.json").string(), ": \"_class_name\" is \"", name,
                     "\"; allowed: ", absl::StrJoin(kClasses, ", "), ", ", absl::StrJoin(kXlClasses, ", "),
                     " (models that animate a photo are opened by `ringway animate`)"));
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
  const Component* vae = model_.Find("vae");
  const bool tiny = vae != nullptr && vae->class_name == "AutoencoderTiny";
  if (absl::Status s =
          tiny ? ReadInto(model_, "vae", "AutoencoderTiny", ReadAutoencoder<ReadTinyVaeConfig>, vae_)
               : ReadInto(model_, "vae", "AutoencoderKL", ReadAutoencoder<ReadVaeConfig>, vae_);
      !s.ok())
    return s;
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
  const bool fits = unet.in_channels == vae_.latent_channels() ||
                    unet.in_channels == 2 * vae_.latent_channels() + 1;  // the second, for inpainting
  if (!fits || unet.out_channels != vae_.latent_channels())
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": \"in_channels\" is ", unet.in_channels, " and \"out_channels\" is ",
                     unet.out_channels, ", but the autoencoder has ", vae_.latent_channels(),
                     " latent channels; models for depth or instructions read more and are not drawn with"));
  return CheckVae();
}

absl::Status PicturePipeline::CheckVae() const {
  if (vae_.picture_channels() != 3)
    return absl::InvalidArgumentError(absl::StrCat((model_.root / "vae/config.json").string(),
                                                   ": \"in_channels\" is ", vae_.picture_channels(),
                                                   "; allowed: 3"));
  if (!(vae_.scaling_factor() > 1e-6 && vae_.scaling_factor() < 1e6))
    return absl::InvalidArgumentError(absl::StrCat((model_.root / "vae/config.json").string(),
                                                   ": \"scaling_factor\" is ", vae_.scaling_factor(),
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

// What goes together.
absl::Status PicturePipeline::CheckWishes(const PictureRequest& request) const {
  if (repaints() && !(request.start && request.mask))
    return absl::InvalidArgumentError(
        absl::StrCat((model_.root / "unet/config.json").string(),
                     ": this UNet draws a part of a picture anew; give a picture to start from and a mask"));
  if (request.mask && !request.start)
    return absl::InvalidArgumentError("a mask is given, but no picture to start from");
  if (!request.controls.empty() && vae_.halvings() != 8)
    return absl::InvalidArgumentError(
        absl::StrCat((model_.root / "vae/config.json").string(),
                     ": control networks are for autoencoders that make an eighth of a picture's sides"));
  return absl::OkStatus();
}

absl::Status PicturePipeline::CheckFilm(const PictureRequest& request) const {
  if (request.motion.empty()) {
    if (request.frames == 0 && request.frames_per_second == 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "a number of frames or a pace is given, but no motion adapter, so it has no effect");
  }
  if (unet_config_.xl())
    return absl::InvalidArgumentError(
        absl::StrCat((model_.root / "unet/config.json").string(),
                     ": motion adapters are for Stable Diffusion 1.x and 2.x, and this UNet is XL's"));
  if (repaints() || request.start || request.mask || !request.controls.empty() || !request.preview.empty())
    return absl::InvalidArgumentError(
        "with a motion adapter there is no picture to start from, no mask, no control network, no preview "
        "and "
        "no model for inpainting: leave them out");
  if (request.frames < 0 || request.frames_per_second < 0 || request.frames_per_second > 100)
    return absl::InvalidArgumentError(absl::StrCat("frames a second are ", request.frames_per_second,
                                                   " and frames ", request.frames,
                                                   "; allowed are 1 to 100 a second, and 1 or more"));
  return absl::OkStatus();
}

double PicturePipeline::UsualGuidance(const SchedulerConfig& scheduler) const {
  if (scheduler.own_guidance) return *scheduler.own_guidance;
  if (unet_config_.guidance_channels > 0) return kConsistencyGuidance;
  if (scheduler.solver == Solver::kLcm) return 1;
  return unet_config_.xl() ? kXlGuidance : kPictureGuidance;
}

int PicturePipeline::UsualSteps(const SchedulerConfig& scheduler) const {
  if (scheduler.own_steps > 0) return scheduler.own_steps;
  return scheduler.solver == Solver::kLcm ? kConsistencySteps : kPictureSteps;
}

absl::StatusOr<PicturePipeline::Order> PicturePipeline::OrderOf(const PictureRequest& request) const {
  Order order;
  order.scheduler = scheduler_;
  if (!request.motion.empty())
    order.scheduler.trained = TrainedSchedule::Linear(kMotionTrainSteps, kMotionBetaFirst, kMotionBetaLast);
  if (!request.scheduler.empty())
    if (absl::Status s = ChooseScheduler(request.scheduler, order.scheduler); !s.ok()) return s;
  if ((request.width > 0) != (request.height > 0))
    return absl::InvalidArgumentError("give both width and height of the picture, or neither");
  if (absl::Status s = CheckFilm(request); !s.ok()) return s;
  if (absl::Status s = CheckWishes(request); !s.ok()) return s;
  if (absl::Status s = ChooseSize(request, order); !s.ok()) return s;
  order.guidance = request.guidance.value_or(UsualGuidance(order.scheduler));
  const absl::Status checks[] = {
      WithinRange("guidance", order.guidance, 0, kGuidanceMax),
      WithinRange("clip skip", request.clip_skip, 0, static_cast<double>(prompts_->skipped_max())),
      WithinRange("the prompt's bytes", static_cast<double>(request.prompt.size()), 0,
                  ClipTokenizer::kPromptBytesMax),
      WithinRange("the negative prompt's bytes", static_cast<double>(request.negative.size()), 0,
                  ClipTokenizer::kPromptBytesMax)};
  for (const absl::Status& status : checks)
    if (!status.ok()) return status;
  const int steps = request.steps != 0 ? request.steps : UsualSteps(order.scheduler);
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
  for (const LearntWord& word : request.words)
    if (request.prompt.find(word.word) == std::string::npos &&
        request.negative.find(word.word) == std::string::npos)
      notes.push_back(absl::StrCat("the learnt word \"", word.word, "\" stands in no prompt"));
  if (!request.controls.empty() && !controlled_)
    notes.push_back("no step lies in a control's window, or its strength is 0: it had no effect");
  if (!order.scheduler.stands_in_for.empty())
    notes.push_back(absl::StrCat("for the checkpoint's ", order.scheduler.stands_in_for, " stands in ",
                                 SchedulerName(order.scheduler), ", which solves the same equation"));
  return notes;
}

}  // namespace ringway::engine
