#include "engine/pipelines/prompt_encoder.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {

absl::Status PromptEncoder::Add(const ModelDirectory& model, const char* component, const char* class_name,
                                const char* tokenizer) {
  const absl::StatusOr<Component> found = NeedComponent(model, component, class_name);
  if (!found.ok()) return found.status();
  absl::StatusOr<Config> settings = ReadComponentConfig(*found);
  if (!settings.ok()) return settings.status();
  const absl::StatusOr<ClipConfig> config = ReadClipConfig(*std::move(settings));
  if (!config.ok()) return config.status();
  const Component* words = model.Find(tokenizer);
  if (words == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(model.root.string(), ": model_index.json lists no \"", tokenizer, "\""));
  absl::StatusOr<ClipTokenizer> opened =
      ClipTokenizer::Open(words->directory, config->tokens_max, config->vocabulary);
  if (!opened.ok()) return opened.status();
  encoders_.push_back({*config, *std::move(opened), FrozenPart(component)});
  return absl::OkStatus();
}

absl::StatusOr<PromptEncoder> PromptEncoder::Read(const ModelDirectory& model, Family family) {
  PromptEncoder encoder;
  absl::Status status = encoder.Add(model, "text_encoder", "CLIPTextModel", "tokenizer");
  if (status.ok() && family == Family::kTwo)
    status = encoder.Add(model, "text_encoder_2", "CLIPTextModelWithProjection", "tokenizer_2");
  if (!status.ok()) return status;
  if (encoder.two() && encoder.encoders_[1].config.tokens_max != encoder.tokens())
    return absl::InvalidArgumentError(absl::StrCat(
        (model.root / "text_encoder_2/config.json").string(), ": \"max_position_embeddings\" is ",
        encoder.encoders_[1].config.tokens_max, ", but that of text_encoder is ", encoder.tokens()));
  return encoder;
}

absl::Status PromptEncoder::Prepare(const PipelineContext& context, std::int64_t skipped,
                                    const AdapterChoices& adapters) {
  const auto build = [&](const ClipConfig& config, ClipTextResult result) {
    return [&config, result, skipped](WeightSource& source) {
      return BuildClipText(config, source, 1, skipped, result);
    };
  };
  Encoder& first = encoders_[0];
  if (!two())
    return first.part.Prepare(context, {skipped},
                              {skipped > 0 ? "text_model.encoder.layers." : "text_projection."},
                              build(first.config, ClipTextResult::kNormed), adapters);
  if (absl::Status status = first.part.Prepare(
          context, {skipped},
          {"text_model.encoder.layers.", "text_model.final_layer_norm.", "text_projection."},
          build(first.config, ClipTextResult::kBeforeLast), adapters);
      !status.ok())
    return status;
  return encoders_[1].part.Prepare(
      context, {skipped}, {}, build(encoders_[1].config, ClipTextResult::kBeforeLastAndSummary), adapters);
}

void PromptEncoder::Encode(std::string_view prompt, std::span<float> context, std::span<float> summary) {
  const auto all = static_cast<std::size_t>(channels());
  std::size_t at = 0;  // of the encoder's channels in a token's
  for (Encoder& encoder : encoders_) {
    const std::vector<std::int32_t> ids = encoder.words.Encode(prompt);
    Plan& plan = encoder.part.plan();
    std::ranges::copy(ids, plan.IntegerInput("ids").begin());
    // The end has the highest number of all tokens; padding that repeats it comes after it.
    if (const auto end = plan.IntegerInput("end"); !end.empty())
      end[0] = static_cast<std::int32_t>(std::max_element(ids.begin(), ids.end()) - ids.begin());
    plan.Run();
    const auto hidden = plan.Output("hidden");
    const auto own = static_cast<std::size_t>(encoder.config.channels);
    for (std::size_t token = 0; token < ids.size(); ++token)
      std::copy_n(hidden.begin() + static_cast<std::ptrdiff_t>(token * own), own,
                  context.begin() + static_cast<std::ptrdiff_t>(token * all + at));
    at += own;
    if (!summary.empty() && &encoder == &encoders_.back())
      std::ranges::copy(plan.Output("summary"), summary.begin());
  }
}

std::int64_t PromptEncoder::channels() const {
  std::int64_t channels = 0;
  for (const Encoder& encoder : encoders_) channels += encoder.config.channels;
  return channels;
}

std::int64_t PromptEncoder::skipped_max() const {
  std::int64_t layers = encoders_[0].config.layers;
  for (const Encoder& encoder : encoders_) layers = std::min(layers, encoder.config.layers);
  return std::max<std::int64_t>(layers - (two() ? 2 : 1), 0);
}

std::vector<std::string> PromptEncoder::components() const {
  return two() ? std::vector<std::string>{"text_encoder", "text_encoder_2"}
               : std::vector<std::string>{"text_encoder"};
}

}  // namespace ringway::engine
