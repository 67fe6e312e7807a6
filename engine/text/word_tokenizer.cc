#include "engine/text/word_tokenizer.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/json_reader.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/text/unicode.h"

namespace ringway::engine {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsWordLetter(char c) { return c >= 'a' && c <= 'z'; }

std::vector<std::string> WordsOf(std::string_view prompt) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char raw : prompt.substr(0, WordTokenizer::kPromptBytesMax)) {
    const char c = Lower(raw);
    if (!IsWordLetter(c)) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    words.back() += c;
    inside = true;
  }
  return words;
}

constexpr std::size_t kWordsNamed = 12, kWordBytesNamed = 40;

// "asdf", "qwer" and 3 more.
std::string Named(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kWordsNamed); ++i)
    absl::StrAppend(&text, i > 0 ? ", " : "", "\"", words[i].substr(0, kWordBytesNamed), "\"");
  if (words.size() > kWordsNamed) absl::StrAppend(&text, " and ", words.size() - kWordsNamed, " more");
  return text;
}

bool HasOtherLetters(std::string_view prompt) {
  prompt = prompt.substr(0, WordTokenizer::kPromptBytesMax);
  while (!prompt.empty()) {
    const char32_t c = TakeCharacter(prompt);
    if (c >= 0x80 && IsLetter(c)) return true;
  }
  return false;
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
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(what), ": must be an object from words to numbers"));
  WordTokenizer tokenizer;
  tokenizer.tokens_ = static_cast<std::size_t>(tokens);
  for (const auto& [word, value] : *json->object()) {
    if (value.integer() == nullptr || *value.integer() < 0 || *value.integer() >= numbers)
      return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": \"", word.substr(0, 100),
                                                     "\" must have a number from 0 to ", numbers - 1));
    tokenizer.numbers_.emplace(word, static_cast<std::int32_t>(*value.integer()));
  }
  const auto pad = tokenizer.numbers_.find("<pad>"), unknown = tokenizer.numbers_.find("<unk>");
  if (pad == tokenizer.numbers_.end() || unknown == tokenizer.numbers_.end())
    return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": lacks \"<pad>\" or \"<unk>\""));
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

std::vector<std::string> WordTokenizer::Notes(std::string_view prompt) const {
  std::vector<std::string> notes;
  const std::vector<std::string> words = WordsOf(prompt);
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), tokens_));
  const bool any =
      std::any_of(words.begin(), end, [this](const std::string& w) { return numbers_.contains(w); });
  if (!any)
    notes.push_back(words.empty() && !HasOtherLetters(prompt)
                        ? "there is no prompt: the model chooses what moves"
                        : "no word of the prompt is known to this model: it chooses what moves");
  if (HasOtherLetters(prompt))
    notes.push_back(
        "this model reads English words of the letters a to z; the prompt's other letters were skipped");
  if (const std::vector<std::string> unknown = UnknownWords(prompt); !unknown.empty())
    notes.push_back(
        absl::StrCat("words of the prompt that this model does not know, and skipped: ", Named(unknown)));
  if (words.size() > tokens_)
    notes.push_back(absl::StrCat("this model reads the first ", tokens_,
                                 " words of a prompt; skipped: ", Named({end, words.end()})));
  return notes;
}

}  // namespace ringway::engine
