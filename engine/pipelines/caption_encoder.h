// From a prompt to what a film's transformer is told of it: T5's rows, and which of them count.
//
// The prompt is cut into at most kTokens pieces (unigram_tokenizer.h), and the encoder reads all of them,
// padding too; the mask hides padding from the transformer alone. Read looks at configurations and the
// tokenizer, Prepare packs the encoder's weights, once. One thread at a time.
#ifndef RINGWAY_ENGINE_PIPELINES_CAPTION_ENCODER_H_
#define RINGWAY_ENGINE_PIPELINES_CAPTION_ENCODER_H_

#include "engine/networks/t5.h"
#include "engine/pipelines/frozen_part.h"
#include "engine/text/unigram_tokenizer.h"

namespace ringway::engine {

class CaptionEncoder {
 public:
  static constexpr std::int64_t kTokens = 128;

  static absl::StatusOr<CaptionEncoder> Read(const ModelDirectory& model);

  absl::Status Prepare(const PipelineContext& context);
  // After Prepare. `rows` has kTokens * channels() numbers, `mask` kTokens.
  void Encode(std::string_view prompt, std::span<float> rows, std::span<float> mask);

  std::int64_t channels() const { return config_.channels; }
  std::vector<std::string> Notes(std::string_view prompt) const { return words_.Notes(prompt); }

 private:
  CaptionEncoder(const T5Config& config, UnigramTokenizer words)
      : config_(config), words_(std::move(words)) {}

  T5Config config_;
  UnigramTokenizer words_;
  FrozenPart part_{"text_encoder"};
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_CAPTION_ENCODER_H_
