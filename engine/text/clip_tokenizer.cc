#include "engine/text/clip_tokenizer.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/json_reader.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/text/unicode.h"

namespace ringway::engine {
namespace {

constexpr char kStart[] = "<|startoftext|>", kLast[] = "</w>";

// Bytes as characters that print: those of Latin-1 stand for themselves, the others follow from U+0100 on
// (GPT-2).
std::array<std::string, 256> MakeByteNames() {
  std::array<std::string, 256> names;
  char32_t next = 0x100;
  for (std::size_t b = 0; b < 256; ++b) {
    const bool prints = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || (b >= 0xae);
    AppendUtf8(prints ? static_cast<char32_t>(b) : next++, names[b]);
  }
  return names;
}
const std::array<std::string, 256>& ByteNames() {
  static const std::array<std::string, 256> names = MakeByteNames();
  return names;
}

enum class Kind { kSpace, kLetter, kNumber, kOther };
Kind KindOf(char32_t c) {
  if (IsSpace(c)) return Kind::kSpace;
  if (IsLetter(c)) return Kind::kLetter;
  return IsNumber(c) ? Kind::kNumber : Kind::kOther;
}

std::size_t ContractionAt(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

// Takes the next piece off lower-cased text; empty at its end.
std::string_view TakePiece(std::string_view& text) {
  while (!text.empty()) {
    std::string_view rest = text;
    const Kind kind = KindOf(TakeCharacter(rest));
    if (kind == Kind::kSpace) {
      text = rest;
      continue;
    }
    if (const std::size_t size = ContractionAt(text); size > 0)
      rest = text.substr(size);
    else if (kind != Kind::kNumber)
      while (!rest.empty()) {
        std::string_view after = rest;
        if (KindOf(TakeCharacter(after)) != kind) break;
        rest = after;
      }
    const std::string_view piece = text.substr(0, text.size() - rest.size());
    text = rest;
    return piece;
  }
  return {};
}

std::string Lowered(std::string_view prompt) {
  std::string lowered;
  for (prompt = prompt.substr(0, ClipTokenizer::kPromptBytesMax); !prompt.empty();)
    AppendUtf8(ToLower(TakeCharacter(prompt)), lowered);
  return lowered;
}

absl::Status ReadMerges(std::string_view merges, std::string_view what,
                        std::unordered_map<std::string, std::int32_t>& ranks) {
  std::size_t line_number = 0;
  while (!merges.empty()) {
    const std::size_t end = merges.find('\n');
    std::string_view line = merges.substr(0, end);
    merges.remove_prefix(end == std::string_view::npos ? merges.size() : end + 1);
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (line_number == 1 && line.starts_with("#version"))) continue;
    const std::size_t space = line.find(' ');
    const bool pair = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                      line.find(' ', space + 1) == std::string_view::npos;
    if (!pair || ranks.size() >= ClipTokenizer::kEntriesMax)
      return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": line ", line_number,
                                                     " of merges.txt must be two words, and at most ",
                                                     ClipTokenizer::kEntriesMax, " lines are taken"));
    ranks.emplace(line, static_cast<std::int32_t>(ranks.size()));
  }
  return absl::OkStatus();
}

// The token that a checkpoint pads with: its name, or an object that holds it.
absl::StatusOr<std::string> PaddingOf(const std::filesystem::path& directory, std::string_view fallback) {
  for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    const std::filesystem::path path = directory / name;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    const absl::StatusOr<std::string> text = ReadSmallFile(path, ClipTokenizer::kFileBytesMax);
    if (!text.ok()) return text.status();
    const absl::StatusOr<Json> json = Json::Parse(*text, path.string());
    if (!json.ok()) return json.status();
    const Json* padding = json->Find("pad_token");
    if (padding != nullptr && padding->object() != nullptr) padding = padding->Find("content");
    if (padding == nullptr || padding->is_null()) continue;
    if (padding->string() != nullptr) return *padding->string();
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": \"pad_token\" must be a token"));
  }
  return std::string(fallback);
}

// The first of the inserted words in a prompt, the longest of those at one place.
struct InsertedAt {
  std::size_t at = std::string_view::npos;
  const ClipTokenizer::InsertedWord* word = nullptr;
};
InsertedAt NextInserted(std::string_view prompt, std::span<const ClipTokenizer::InsertedWord> inserted) {
  InsertedAt next;
  for (const ClipTokenizer::InsertedWord& word : inserted) {
    const std::size_t found = prompt.find(word.word);
    const bool better = found < next.at || (found == next.at && next.word != nullptr &&
                                            word.word.size() > next.word->word.size());
    if (better) next = {found, &word};
  }
  return next;
}

}  // namespace

absl::StatusOr<ClipTokenizer> ClipTokenizer::Open(const std::filesystem::path& directory, std::int64_t tokens,
                                                  std::int64_t numbers) {
  const absl::StatusOr<std::string> vocabulary = ReadSmallFile(directory / "vocab.json", kFileBytesMax);
  if (!vocabulary.ok()) return vocabulary.status();
  const absl::StatusOr<std::string> merges = ReadSmallFile(directory / "merges.txt", kFileBytesMax);
  if (!merges.ok()) return merges.status();
  const absl::StatusOr<std::string> padding = PaddingOf(directory, kEnd);
  if (!padding.ok()) return padding.status();
  absl::StatusOr<ClosedVocabulary> closed = ClosedVocabulary::Read(directory);
  if (!closed.ok()) return closed.status();
  return Parse(*vocabulary, *merges, directory.string(), tokens, numbers, *padding, *std::move(closed));
}

absl::StatusOr<ClipTokenizer> ClipTokenizer::Parse(std::string_view vocabulary, std::string_view merges,
                                                   std::string_view what, std::int64_t tokens,
                                                   std::int64_t numbers, std::string_view padding,
                                                   ClosedVocabulary closed) {
  const absl::StatusOr<Json> json = Json::Parse(vocabulary, absl::StrCat(AbslView(what), "/vocab.json"));
  if (!json.ok()) return json.status();
  if (json->object() == nullptr || json->object()->size() > kEntriesMax || tokens < 2)
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(what), ": vocab.json must be an object of at most ", kEntriesMax, " tokens"));
  ClipTokenizer tokenizer;
  tokenizer.tokens_ = static_cast<std::size_t>(tokens);
  tokenizer.closed_ = std::move(closed);
  for (const auto& [token, value] : *json->object()) {
    if (value.integer() == nullptr || *value.integer() < 0 || *value.integer() >= numbers)
      return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": \"", token.substr(0, 100),
                                                     "\" must have a number from 0 to ", numbers - 1));
    tokenizer.numbers_.emplace(token, static_cast<std::int32_t>(*value.integer()));
  }
  const auto start = tokenizer.numbers_.find(kStart), end = tokenizer.numbers_.find(kEnd);
  if (start == tokenizer.numbers_.end() || end == tokenizer.numbers_.end())
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(what), ": vocab.json lacks ", kStart, " or ", kEnd));
  tokenizer.start_ = start->second;
  tokenizer.end_ = end->second;
  const auto pad = tokenizer.numbers_.find(std::string(padding));
  if (pad == tokenizer.numbers_.end())
    return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": vocab.json lacks the padding \"",
                                                   AbslView(padding.substr(0, 100)), "\""));
  tokenizer.padding_ = pad->second;
  if (absl::Status status = ReadMerges(merges, what, tokenizer.ranks_); !status.ok()) return status;
  return tokenizer;
}

void ClipTokenizer::EncodePiece(std::string_view piece, std::vector<std::int32_t>& ids) const {
  std::vector<std::string> symbols;
  for (const char byte : piece.substr(0, kPieceBytesMax))
    symbols.push_back(ByteNames()[static_cast<std::uint8_t>(byte)]);
  symbols.back() += kLast;
  while (symbols.size() > 1) {
    std::int32_t best = std::numeric_limits<std::int32_t>::max();
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto rank = ranks_.find(absl::StrCat(symbols[i], " ", symbols[i + 1]));
      if (rank != ranks_.end() && rank->second < best) best = rank->second, at = i;
    }
    if (best == std::numeric_limits<std::int32_t>::max()) break;
    symbols[at] += symbols[at + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  for (const std::string& symbol : symbols) {
    const auto number = numbers_.find(symbol);
    ids.push_back(number == numbers_.end() ? end_
                                           : number->second);  // the reference's unknown token is the end
  }
}

void ClipTokenizer::AppendPieces(std::string_view text, std::size_t most,
                                 std::vector<std::int32_t>& ids) const {
  const std::string lowered = Lowered(text);
  std::string_view rest = lowered;
  for (std::string_view piece = TakePiece(rest); !piece.empty() && ids.size() < most; piece = TakePiece(rest))
    EncodePiece(piece, ids);
}

std::vector<std::int32_t> ClipTokenizer::Pieces(std::string_view prompt, std::size_t most,
                                                std::span<const InsertedWord> inserted) const {
  std::vector<std::int32_t> ids = {start_};
  while (ids.size() < most) {
    const InsertedAt next = NextInserted(prompt, inserted);
    AppendPieces(prompt.substr(0, next.at), most, ids);
    if (next.word == nullptr) break;
    for (std::int32_t row = 0; row < next.word->rows; ++row)
      ids.push_back(kInsertedFrom + next.word->first + row);
    prompt.remove_prefix(next.at + next.word->word.size());
  }
  ids.resize(std::min(ids.size(), most));
  return ids;
}

std::vector<std::string> ClipTokenizer::UnknownWords(std::string_view prompt,
                                                     std::span<const InsertedWord> inserted) const {
  std::vector<std::string> unknown;
  for (prompt = prompt.substr(0, kPromptBytesMax);;) {
    const InsertedAt next = NextInserted(prompt, inserted);
    const std::string lowered = Lowered(prompt.substr(0, next.at));
    std::string_view rest = lowered;
    for (std::string_view piece = TakePiece(rest); !piece.empty(); piece = TakePiece(rest)) {
      std::vector<std::int32_t> ids;
      EncodePiece(piece, ids);
      if (!closed_.Knows(piece, ids.size() == 1 && ids[0] != end_) &&
          std::ranges::find(unknown, piece) == unknown.end())
        unknown.emplace_back(piece);
    }
    if (next.word == nullptr) return unknown;
    prompt.remove_prefix(next.at + next.word->word.size());
  }
}

std::size_t ClipTokenizer::EndOf(std::span<const std::int32_t> ids) const {
  return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), end_) - ids.begin());
}

std::vector<std::int32_t> ClipTokenizer::Encode(std::string_view prompt,
                                                std::span<const InsertedWord> inserted) const {
  std::vector<std::int32_t> ids = Pieces(prompt, tokens_ - 1, inserted);
  ids.push_back(end_);
  ids.resize(tokens_, padding_);
  return ids;
}

std::vector<std::string> ClipTokenizer::Notes(std::string_view prompt,
                                              std::span<const InsertedWord> inserted) const {
  const std::size_t pieces = Pieces(prompt, std::numeric_limits<std::size_t>::max(), inserted).size() - 1;
  std::vector<std::string> notes;
  if (pieces + 2 > tokens_ || prompt.size() > kPromptBytesMax)
    notes.push_back(absl::StrCat("the prompt has ", pieces, " pieces; this model reads the first ",
                                 tokens_ - 2, ", the rest is left out"));
  if (!closed_.closed()) return notes;
  for (std::string& note : ClosedVocabulary::Notes(UnknownWords(prompt, inserted)))
    notes.push_back(std::move(note));
  return notes;
}

}  // namespace ringway::engine
