#include "engine/text/word_tokenizer.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/checkpoint/json.h"
#include "engine/checkpoint/mapped_file.h"

namespace ringway::engine {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

std::vector<std::string> WordsOf(std::string_view prompt) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char raw : prompt.substr(0, WordTokenizer::kPromptBytesMax)) {
    const char c = Lower(raw);
    if (!IsLetter(c)) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    words.back() += c;
    inside = true;
  }
  return words;
}

}  // namespace

absl::StatusOr<WordTokenizer> WordTokenizer::Open(const std::filesystem::path& directory, std::int64_t tokens,
                                                  std::int64_t numbers) {
  const std::filesystem::path file = directory / "vocab.json";
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kVocabularyBytesMax);
  if (!text.ok()) return text.status();
  return Parse(*text, file.string(), tokens, numbers);
}

absl::StatusOr<WordTokenizer> WordTokenizer::Parse(std::string_view vocabulary, std::string_view what,
                                                   std::int64_t tokens, std::int64_t numbers) {
  const absl::StatusOr<Json> json = Json::Parse(vocabulary, std::string(what));
  if (!json.ok()) return json.status();
  if (json->object() == nullptr)
    return absl::InvalidArgumentError(absl::StrCat(Absl(what), ": must be an object from words to numbers"));
  WordTokenizer tokenizer;
  tokenizer.tokens_ = static_cast<std::size_t>(tokens);
  for (const auto& [word, value] : *json->object()) {
    if (value.integer() == nullptr || *value.integer() < 0 || *value.integer() >= numbers)
      return absl::InvalidArgumentError(absl::StrCat(Absl(what), ": \"", word.substr(0, 100),
                                                     "\" must have a number from 0 to ", numbers - 1));
    tokenizer.numbers_.emplace(word, static_cast<std::int32_t>(*value.integer()));
  }
  const auto pad = tokenizer.numbers_.find("<pad>"), unknown = tokenizer.numbers_.find("<unk>");
  if (pad == tokenizer.numbers_.end() || unknown == tokenizer.numbers_.end())
    return absl::InvalidArgumentError(absl::StrCat(Absl(what), ": lacks \"<pad>\" or \"<unk>\""));
  tokenizer.pad_ = pad->second;
  tokenizer.unknown_ = unknown->second;
  return tokenizer;
}

std::vector<std::int32_t> WordTokenizer::Encode(std::string_view prompt) const {
  std::vector<std::int32_t> ids;
  for (const std::string& word : WordsOf(prompt)) {
    const auto at = numbers_.find(word);
    ids.push_back(at == numbers_.end() ? unknown_ : at->second);
  }
  ids.resize(tokens_, pad_);
  return ids;
}

std::vector<std::string> WordTokenizer::UnknownWords(std::string_view prompt) const {
  std::vector<std::string> unknown;
  for (std::string& word : WordsOf(prompt))
    if (numbers_.find(word) == numbers_.end() &&
        std::find(unknown.begin(), unknown.end(), word) == unknown.end())
      unknown.push_back(std::move(word));
  return unknown;
}

}  // namespace ringway::engine
