#include "engine/pipelines/prompt_encoder.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"

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
  encoders_.push_back({*config, *std::move(opened), FrozenPart(component), FrozenPart(component), nullptr});
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

absl::Status PromptEncoder::PrepareOne(const PipelineContext& context, std::size_t which,
                                       std::int64_t skipped, const AdapterChoices& adapters) {
  Encoder& encoder = encoders_[which];
  const bool rows = !learnt_.empty();
  const ClipTextResult result = !two()       ? ClipTextResult::kNormed
                                : which == 0 ? ClipTextResult::kBeforeLast
                                             : ClipTextResult::kBeforeLastAndSummary;
  const FrozenPart::Build build = [&](WeightSource& source) {
    return BuildClipText(encoder.config, source, 1, skipped, result, rows);
  };
  FrozenPart& part = rows ? encoder.rows_part : encoder.part;
  if (rows) {
    const auto weights = context.open->WeightsOf(*context.model.Find(components()[which]));
    if (!weights.ok()) return weights.status();
    encoder.source = weights->source;
  }
  if (!two())
    return part.Prepare(context, {skipped}, {skipped > 0 ? "text_model.encoder.layers." : "text_projection."},
                        build, adapters);
  if (which == 0)
    return part.Prepare(context, {skipped},
                        {"text_model.encoder.layers.", "text_model.final_layer_norm.", "text_projection."},
                        build, adapters);
  return part.Prepare(context, {skipped}, {}, build, adapters);
}

absl::Status PromptEncoder::Prepare(const PipelineContext& context, std::int64_t skipped,
                                    const AdapterChoices& adapters, const std::vector<LearntWord>& words) {
  std::vector<std::int64_t> widths;
  for (const Encoder& encoder : encoders_) widths.push_back(encoder.config.channels);
  absl::Status status = learnt_.Choose(words, widths);
  for (std::size_t which = 0; status.ok() && which < encoders_.size(); ++which)
    status = PrepareOne(context, which, skipped, adapters);
  return status;
}

void PromptEncoder::FillRows(const Encoder& encoder, std::size_t which, std::span<const std::int32_t> ids,
                             std::span<float> rows) const {
  const auto width = static_cast<std::size_t>(encoder.config.channels);
  for (std::size_t token = 0; token < ids.size(); ++token) {
    const std::span<float> row = rows.subspan(token * width, width);
    if (ids[token] >= ClipTokenizer::kInsertedFrom) {
      std::ranges::copy(learnt_.Row(which, ids[token] - ClipTokenizer::kInsertedFrom), row.begin());
    } else {
      // The table was expected in this shape when the plan was frozen.
      RINGWAY_CHECK(encoder.source->ReadRows(kClipTable, ids[token], encoder.config.channels, row).ok());
    }
  }
}

void PromptEncoder::Encode(std::string_view prompt, std::span<float> context, std::span<float> summary) {
  const auto all = static_cast<std::size_t>(channels());
  std::size_t at = 0;  // of the encoder's channels in a token's
  for (std::size_t which = 0; which < encoders_.size(); ++which) {
    Encoder& encoder = encoders_[which];
    const std::vector<std::int32_t> ids = encoder.words.Encode(prompt, learnt_.words());
    Plan& plan = learnt_.empty() ? encoder.part.plan() : encoder.rows_part.plan();
    if (learnt_.empty())
      std::ranges::copy(ids, plan.IntegerInput("ids").begin());
    else
      FillRows(encoder, which, ids, plan.Input("rows"));
    // Padding that repeats the end comes after it.
    if (const auto end = plan.IntegerInput("end"); !end.empty())
      end[0] = static_cast<std::int32_t>(encoder.words.EndOf(ids));
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

std::vector<std::pair<std::string, Plan*>> PromptEncoder::Plans() {
  std::vector<std::pair<std::string, Plan*>> plans;
  for (std::size_t which = 0; which < encoders_.size(); ++which)
    plans.emplace_back(components()[which],
                       learnt_.empty() ? &encoders_[which].part.plan() : &encoders_[which].rows_part.plan());
  return plans;
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
