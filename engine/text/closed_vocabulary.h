// The words that a model of pictures was trained on, where its checkpoint names them.
//
// "closed_vocabulary" of tokenizer_config.json is an array of words in lower case, or true: the words that
// are single tokens. A byte-pair tokenizer has a token for every character and for fragments of words, too,
// which such a model never saw ("3", "each" in "beach"): an array leaves them out. Whatever else a prompt
// asks for says nothing to the model, and Notes says so, so that nobody waits for a giraffe. Without the key,
// as in all released checkpoints, every word counts as known; other programs ignore the key.
//
// Bounds: kWordsMax words. Immutable after Read; any thread.
#ifndef RINGWAY_ENGINE_TEXT_CLOSED_VOCABULARY_H_
#define RINGWAY_ENGINE_TEXT_CLOSED_VOCABULARY_H_

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ringway::engine {

class ClosedVocabulary {
 public:
  static constexpr std::size_t kWordsMax = 100'000;
  static constexpr std::size_t kToldMax = 8;  // words in a note; of the rest their number

  // Of the tokenizer in `directory`. Errors: InvalidArgument, where the key holds something else.
  static absl::StatusOr<ClosedVocabulary> Read(const std::filesystem::path& directory);

  bool closed() const { return closed_; }
  // Whether the model was trained on a word of a prompt, in lower case; `whole`: it is a single token. Marks
  // that people write between words are not missed.
  bool Knows(std::string_view word, bool whole) const;
  // What to tell people of the words that Knows denied; nothing where there are none.
  static std::vector<std::string> Notes(const std::vector<std::string>& unknown);

 private:
  bool closed_ = false;
  std::set<std::string, std::less<>> words_;  // empty: the single tokens
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TEXT_CLOSED_VOCABULARY_H_
