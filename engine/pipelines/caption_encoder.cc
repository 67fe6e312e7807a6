#include "engine/pipelines/caption_encoder.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

constexpr float kHiddenWord = -10000.0f;  // added to the scores of padding, as the networks were trained

}  // namespace

absl::StatusOr<CaptionEncoder> CaptionEncoder::Read(const ModelDirectory& model) {
  const absl::StatusOr<Component> encoder = NeedComponent(model, "text_encoder", "T5EncoderModel");
  if (!encoder.ok()) return encoder.status();
  absl::StatusOr<Config> settings = ReadComponentConfig(*encoder);
  if (!settings.ok()) return settings.status();
  const absl::StatusOr<T5Config> config = ReadT5Config(*std::move(settings));
  if (!config.ok()) return config.status();
  const Component* words = model.Find("tokenizer");
  if (words == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(model.root.string(), ": model_index.json lists no \"tokenizer\""));
  absl::StatusOr<UnigramTokenizer> opened =
      UnigramTokenizer::Open(words->directory, kTokens, config->vocabulary);
  if (!opened.ok()) return opened.status();
  return CaptionEncoder(*config, *std::move(opened));
}

absl::Status CaptionEncoder::Prepare(const PipelineContext& context) {
  return part_.Prepare(context, {kTokens}, {kT5TableCopy},
                       [&](WeightSource& source) { return BuildT5Encoder(config_, source, 1, kTokens); });
}

void CaptionEncoder::Encode(std::string_view prompt, std::span<float> rows, std::span<float> mask) {
  const std::vector<std::int32_t> ids = words_.Encode(prompt);
  std::ranges::copy(ids, part_.plan().IntegerInput("ids").begin());
  part_.plan().Run();
  std::ranges::copy(part_.plan().Output("hidden"), rows.begin());
  const std::size_t length = words_.Length(ids);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i < length ? 0.0f : kHiddenWord;
}

}  // namespace ringway::engine
