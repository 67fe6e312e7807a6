// Words of prompts whose rows of the text encoder's table were learnt (textual inversion, Gal et al.,
// arXiv:2208.01618), from files.
//
// A file is safetensors with the rows of one word: for models of one text encoder a single tensor [rows, d]
// or [d], under any name (diffusers calls it after the word, others emb_params); for XL two, clip_l and
// clip_g. A file of another family, of numbers that are not finite, or with more rows than a prompt has is
// refused by file and tensor; all words are taken, or none. Files are small and read anew for each request.
//
// Bounds: kWordsMax words, kWordBytesMax each, kRowsMax rows. One thread at a time.
#ifndef RINGWAY_ENGINE_PIPELINES_LEARNT_WORDS_H_
#define RINGWAY_ENGINE_PIPELINES_LEARNT_WORDS_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/checkpoint/weights.h"
#include "engine/picture_engine.h"
#include "engine/text/clip_tokenizer.h"

namespace ringway::engine {

class LearntWords {
 public:
  static constexpr std::size_t kWordsMax = 32, kWordBytesMax = 128, kRowsMax = 75;

  // `channels`: of each text encoder's table.
  absl::Status Choose(const std::vector<LearntWord>& words, std::span<const std::int64_t> channels);
  bool empty() const { return words_.empty(); }
  std::span<const ClipTokenizer::InsertedWord> words() const { return words_; }
  // Row number `row` of all words', of text encoder number `encoder`.
  std::span<const float> Row(std::size_t encoder, std::int32_t row) const;

 private:
  absl::Status Add(const LearntWord& word, std::span<const std::int64_t> channels);
  absl::StatusOr<std::int64_t> AddRows(const Weights& weights, const std::string& file,
                                       const StoredTensor* stored, std::int64_t channels,
                                       std::vector<float>& to) const;

  std::vector<ClipTokenizer::InsertedWord> words_;
  std::vector<std::vector<float>> rows_;  // by encoder
  std::vector<std::size_t> channels_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_LEARNT_WORDS_H_
