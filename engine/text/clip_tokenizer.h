// CLIP's tokenizer: byte-pair encoding of lower-cased text, as vocab.json and merges.txt of a checkpoint
// define it.
//
// After Sennrich et al. (arXiv:1508.07909) on bytes, as CLIP (arXiv:2103.00020) has it: text is lower-cased,
// white space separates, and pieces are the contractions 's 't 're 've 'm 'll 'd, runs of letters, single
// numbers, and runs of anything else. The bytes of a piece are written as printable characters, the last one
// marked "</w>", and the pair with the lowest rank in merges.txt is joined until no pair is left. The answer
// is the start token, the pieces, the end token, and padding up to the length of the context: the end token
// again, or the token that the checkpoint names (Stable Diffusion 2: "!"). What does not fit is dropped, and
// words that a closed vocabulary lacks mean nothing to the model (closed_vocabulary.h): Notes says both.
// Unlike the reference, "fix broken text" (ftfy) and normalisation are not done, and
// "<|endoftext|>" typed by a user is ordinary text.
//
// Bounds: files of 8 MiB, 300,000 entries; of a prompt kPromptBytesMax are looked at, of one piece
// kPieceBytesMax. O(bytes^2) a piece. Immutable after Open; any thread.
#ifndef RINGWAY_ENGINE_TEXT_CLIP_TOKENIZER_H_
#define RINGWAY_ENGINE_TEXT_CLIP_TOKENIZER_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/closed_vocabulary.h"

namespace ringway::engine {

class ClipTokenizer {
 public:
  static constexpr std::size_t kFileBytesMax = 8 << 20, kEntriesMax = 300'000;
  static constexpr std::size_t kPromptBytesMax = 16 << 10, kPieceBytesMax = 512;

  // Reads `directory`/vocab.json, merges.txt and, where they are, special_tokens_map.json and
  // tokenizer_config.json, which may name the padding and close the vocabulary. `tokens` is the length of the
  // context, `numbers` the size of the text encoder's table.
  static absl::StatusOr<ClipTokenizer> Open(const std::filesystem::path& directory, std::int64_t tokens,
                                            std::int64_t numbers);
  static absl::StatusOr<ClipTokenizer> Parse(std::string_view vocabulary, std::string_view merges,
                                             std::string_view what, std::int64_t tokens, std::int64_t numbers,
                                             std::string_view padding = kEnd, ClosedVocabulary closed = {});

  // A word that stands for rows which are in no table (textual inversion): wherever it stands in a prompt, as
  // it is spelt, it becomes numbers from kInsertedFrom + `first` on. Longer words are found before shorter
  // ones.
  struct InsertedWord {
    std::string word;
    std::int32_t first = 0;
    std::int32_t rows = 1;
  };
  static constexpr std::int32_t kInsertedFrom = 1 << 24;

  // Always `tokens` numbers.
  std::vector<std::int32_t> Encode(std::string_view prompt,
                                   std::span<const InsertedWord> inserted = {}) const;
  // Where the end stands in what Encode made.
  std::size_t EndOf(std::span<const std::int32_t> ids) const;
  // What of the prompt is not read, or not known, as sentences for people; none when all of it is.
  std::vector<std::string> Notes(std::string_view prompt, std::span<const InsertedWord> inserted = {}) const;

 private:
  static constexpr char kEnd[] = "<|endoftext|>";
  ClipTokenizer() = default;
  // Start and pieces, as many as the prompt has, but no more than `most`.
  std::vector<std::int32_t> Pieces(std::string_view prompt, std::size_t most,
                                   std::span<const InsertedWord> inserted) const;
  void AppendPieces(std::string_view text, std::size_t most, std::vector<std::int32_t>& ids) const;
  void EncodePiece(std::string_view piece, std::vector<std::int32_t>& ids) const;
  // Each once, in the order of the prompt.
  std::vector<std::string> UnknownWords(std::string_view prompt,
                                        std::span<const InsertedWord> inserted) const;

  std::unordered_map<std::string, std::int32_t> numbers_;
  std::unordered_map<std::string, std::int32_t> ranks_;  // "left right", as a line of merges.txt
  ClosedVocabulary closed_;
  std::size_t tokens_ = 0;
  std::int32_t start_ = 0, end_ = 0, padding_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TEXT_CLIP_TOKENIZER_H_
