// From prompts to what a UNet is told of them: the context of Stable Diffusion 1.x and 2.x, or that of XL.
//
// 1.x and 2.x have one text encoder, whose last hidden layer, after the last norm, is the context. XL (Podell
// et al., arXiv:2307.01952) has two, CLIP L and OpenCLIP bigG: of each the layer before the last, without the
// norm, and next to each other for every token; and the second's summary, the projected row of the prompt's
// end. A layer that is left out (clip skip) is one less from there; the summary has all. One thread at a
// time. Prompts with learnt words (learnt_words.h) take a plan of their own, which is given the table's rows;
// without them everything is as if there were none.
#ifndef RINGWAY_ENGINE_PIPELINES_PROMPT_ENCODER_H_
#define RINGWAY_ENGINE_PIPELINES_PROMPT_ENCODER_H_

#include "engine/networks/clip.h"
#include "engine/pipelines/frozen_part.h"
#include "engine/pipelines/learnt_words.h"
#include "engine/text/clip_tokenizer.h"

namespace ringway::engine {

class PromptEncoder {
 public:
  enum class Family : std::uint8_t { kOne, kTwo };  // text encoders

  // Reads configurations and tokenizers.
  static absl::StatusOr<PromptEncoder> Read(const ModelDirectory& model, Family family);

  // `words`: learnt ones, that prompts may hold.
  absl::Status Prepare(const PipelineContext& context, std::int64_t skipped, const AdapterChoices& adapters,
                       const std::vector<LearntWord>& words);
  // After Prepare. `context` has tokens() * channels() numbers, `summary` summary_channels(), or none.
  void Encode(std::string_view prompt, std::span<float> context, std::span<float> summary);

  // After Prepare: what Encode runs, by component.
  std::vector<std::pair<std::string, Plan*>> Plans();

  std::int64_t tokens() const { return encoders_[0].config.tokens_max; }
  std::int64_t channels() const;
  std::int64_t summary_channels() const { return two() ? encoders_[1].config.projection : 0; }
  std::int64_t skipped_max() const;
  std::vector<std::string> Notes(std::string_view prompt) const {
    return encoders_[0].words.Notes(prompt, learnt_.words());
  }
  // The components that it is made of.
  std::vector<std::string> components() const;

 private:
  struct Encoder {
    ClipConfig config;
    ClipTokenizer words;
    FrozenPart part;
    FrozenPart rows_part;                         // is given the table's rows: of prompts with learnt words
    std::shared_ptr<const StoredWeights> source;  // of the table, where there are learnt words
  };
  absl::Status PrepareOne(const PipelineContext& context, std::size_t which, std::int64_t skipped,
                          const AdapterChoices& adapters);
  void FillRows(const Encoder& encoder, std::size_t which, std::span<const std::int32_t> ids,
                std::span<float> rows) const;
  PromptEncoder() = default;
  absl::Status Add(const ModelDirectory& model, const char* component, const char* class_name,
                   const char* tokenizer);
  bool two() const { return encoders_.size() == 2; }

  std::vector<Encoder> encoders_;
  LearntWords learnt_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_PROMPT_ENCODER_H_
