#include "engine/text/closed_vocabulary.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/checkpoint/model_directory.h"
#include "engine/text/unicode.h"

namespace ringway::engine {
namespace {

constexpr char kFile[] = "tokenizer_config.json", kKey[] = "closed_vocabulary";
constexpr std::size_t kToldCharactersMax = 40;  // of a word

bool HasLetter(std::string_view word) {
  while (!word.empty())
    if (const char32_t c = TakeCharacter(word); IsLetter(c) || IsNumber(c)) return true;
  return false;
}

std::string Shortened(std::string_view word) {
  std::string shortened;
  for (std::size_t i = 0; i < kToldCharactersMax && !word.empty(); ++i)
    AppendUtf8(TakeCharacter(word), shortened);
  return word.empty() ? shortened : shortened + "...";
}

}  // namespace

absl::StatusOr<ClosedVocabulary> ClosedVocabulary::Read(const std::filesystem::path& directory) {
  ClosedVocabulary vocabulary;
  std::error_code error;
  if (!std::filesystem::exists(directory / kFile, error)) return vocabulary;
  absl::StatusOr<Config> config = Config::Read(directory / kFile);
  if (!config.ok()) return config.status();
  const Json* value = config->json().Find(kKey);
  if (value == nullptr || value->is_null()) return vocabulary;
  const Json::Array* words = value->array();
  if (value->boolean() != nullptr) {
    vocabulary.closed_ = *value->boolean();
    return vocabulary;
  }
  bool right = words != nullptr && !words->empty() && words->size() <= kWordsMax;
  for (std::size_t i = 0; right && i < words->size(); ++i) {
    const std::string* word = (*words)[i].string();
    right = word != nullptr && !word->empty();
    if (right) vocabulary.words_.insert(*word);
  }
  if (!right) config->Refuse(kKey, absl::StrCat("true, false, or an array of 1 to ", kWordsMax, " words"));
  vocabulary.closed_ = true;
  return config->status().ok() ? absl::StatusOr<ClosedVocabulary>(std::move(vocabulary)) : config->status();
}

bool ClosedVocabulary::Knows(std::string_view word, bool whole) const {
  if (!closed_ || !HasLetter(word)) return true;
  return words_.empty() ? whole : words_.contains(word);
}

std::vector<std::string> ClosedVocabulary::Notes(const std::vector<std::string>& unknown) {
  if (unknown.empty()) return {};
  std::vector<std::string> told;
  for (std::size_t i = 0; i < std::min(unknown.size(), kToldMax); ++i) told.push_back(Shortened(unknown[i]));
  std::string note =
      absl::StrCat("words of the prompt that this model does not know: ", absl::StrJoin(told, ", "));
  if (unknown.size() > kToldMax) absl::StrAppend(&note, " and ", unknown.size() - kToldMax, " more");
  return {std::move(note)};
}

}  // namespace ringway::engine
