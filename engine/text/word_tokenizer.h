// Prompts as numbers for the bundled model: whole words of a small vocabulary.
//
// A word is a run of the letters a to z after lower-casing; everything else separates. Words that the
// vocabulary does not have become "<unk>", words beyond the context are dropped, and what is left of it is
// "<pad>". The vocabulary is a JSON object from words to numbers, the same file that training wrote
// (tools/training/vocabulary.py). Its numbers must be in [0, vocabulary size of the text encoder), which Open
// is told. O(letters + log words a word); a prompt of any length and any bytes is safe, for only
// kPromptBytesMax are looked at. Immutable after Open; any thread.
#ifndef RINGWAY_ENGINE_TEXT_WORD_TOKENIZER_H_
#define RINGWAY_ENGINE_TEXT_WORD_TOKENIZER_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ringway::engine {

class WordTokenizer {
 public:
  static constexpr std::size_t kPromptBytesMax = 64 << 10;
  static constexpr std::size_t kVocabularyBytesMax = 4 << 20;

  // Reads `directory`/vocab.json. `tokens` is the length of the context.
  static absl::StatusOr<WordTokenizer> Open(const std::filesystem::path& directory, std::int64_t tokens,
                                            std::int64_t numbers);
  static absl::StatusOr<WordTokenizer> Parse(std::string_view vocabulary, std::string_view what,
                                             std::int64_t tokens, std::int64_t numbers);

  // Always `tokens` numbers.
  std::vector<std::int32_t> Encode(std::string_view prompt) const;
  // The words of a prompt that the vocabulary does not have, each once, in their order: for people.
  std::vector<std::string> UnknownWords(std::string_view prompt) const;
  // What of the prompt says nothing to the model, as sentences for people; none when all of it was
  // understood.
  std::vector<std::string> Notes(std::string_view prompt) const;

 private:
  WordTokenizer() = default;
  std::map<std::string, std::int32_t, std::less<>> numbers_;
  std::size_t tokens_ = 0;
  std::int32_t pad_ = 0;
  std::int32_t unknown_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TEXT_WORD_TOKENIZER_H_
