#include "engine/text/unigram_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/text/proto_reader.h"
#include "engine/text/unicode.h"

namespace ringway::engine {
namespace {

constexpr std::string_view kBlank = "\xE2\x96\x81";  // U+2581
constexpr float kUnknownPenalty = 10.0f;             // below the least likely piece
constexpr float kUserDefinedLess = 0.1f;
constexpr std::size_t kUserDefinedMax = 4096;
constexpr std::uint64_t kUnigram = 1;  // the kind of model
constexpr char kEndPiece[] = "</s>", kPaddingPiece[] = "<pad>";
// Fields of the messages ModelProto, SentencePiece, TrainerSpec and NormalizerSpec.
constexpr std::uint64_t kModelPiece = 1, kModelTrainer = 2, kModelNormaliser = 3;
constexpr std::uint64_t kPieceText = 1, kPieceScore = 2, kPieceKind = 3;
constexpr std::uint64_t kTrainerKind = 3, kTrainerSuffix = 24, kTrainerByteFallback = 35;
constexpr std::uint64_t kCharsmapField = 2, kBlankBefore = 3, kFewerBlanks = 4, kMarkedBlanks = 5;

absl::Status Wrong(std::string_view what, const std::string& says) {
  return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": ", says));
}
absl::Status Damaged(std::string_view what, const char* message) {
  return Wrong(what, absl::StrCat("is no sentencepiece model: its ", message, " is damaged"));
}

// Bytes of the first character, by its first byte alone, as the model's makers count.
std::size_t CharacterBytes(std::string_view text) {
  static constexpr std::uint8_t kBytes[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
  return std::min<std::size_t>(kBytes[static_cast<unsigned char>(text[0]) >> 4], text.size());
}

}  // namespace

absl::StatusOr<UnigramTokenizer> UnigramTokenizer::Open(const std::filesystem::path& directory,
                                                        std::int64_t tokens, std::int64_t numbers) {
  const std::filesystem::path file = directory / "spiece.model";
  const absl::StatusOr<std::string> model = ReadSmallFile(file, kFileBytesMax);
  if (!model.ok()) return model.status();
  return Parse(*model, file.string(), tokens, numbers);
}

absl::StatusOr<UnigramTokenizer> UnigramTokenizer::Parse(std::string_view model, std::string_view what,
                                                         std::int64_t tokens, std::int64_t numbers) {
  UnigramTokenizer tokenizer;
  tokenizer.tokens_ = static_cast<std::size_t>(std::max<std::int64_t>(tokens, 1));
  if (absl::Status status = tokenizer.ReadModel(model, what); !status.ok()) return status;
  if (absl::Status status = tokenizer.Index(what, numbers); !status.ok()) return status;
  return tokenizer;
}

absl::Status UnigramTokenizer::ReadModel(std::string_view model, std::string_view what) {
  ProtoReader reader(model);
  while (const auto field = reader.Next()) {
    absl::Status status;
    if (field->text && field->number == kModelPiece) status = AddPiece(*field->text, what);
    if (field->text && field->number == kModelTrainer) status = ReadTrainer(*field->text, what);
    if (field->text && field->number == kModelNormaliser) status = ReadNormaliser(*field->text, what);
    if (!status.ok()) return status;
  }
  return reader.ok() ? absl::OkStatus() : Damaged(what, "outermost message");
}

absl::Status UnigramTokenizer::AddPiece(std::string_view message, std::string_view what) {
  Piece piece;
  ProtoReader reader(message);
  while (const auto field = reader.Next()) {
    if (field->number == kPieceText && field->text) piece.text = std::string(*field->text);
    if (field->number == kPieceScore && field->real) piece.score = *field->real;
    if (field->number != kPieceKind || !field->whole) continue;
    if (*field->whole < 1 || *field->whole > 6)
      return Wrong(
          what, absl::StrCat("piece ", pieces_.size(), " is of kind ", *field->whole, "; allowed: 1 to 6"));
    piece.kind = static_cast<Kind>(*field->whole);
  }
  if (!reader.ok()) return Damaged(what, "message of a piece");
  if (piece.text.empty() || piece.text.size() > kPieceBytesMax || !std::isfinite(piece.score) ||
      pieces_.size() >= kPiecesMax)
    return Wrong(what,
                 absl::StrCat("piece ", pieces_.size(), " must have 1 to ", kPieceBytesMax,
                              " bytes and a finite score, and at most ", kPiecesMax, " pieces are taken"));
  pieces_.push_back(std::move(piece));
  return absl::OkStatus();
}

absl::Status UnigramTokenizer::ReadTrainer(std::string_view message, std::string_view what) {
  ProtoReader reader(message);
  while (const auto field = reader.Next()) {
    if (!field->whole) continue;
    if (field->number == kTrainerKind && *field->whole != kUnigram)
      return Wrong(what, absl::StrCat("model_type is ", *field->whole, "; allowed: 1 (unigram)"));
    if (field->number == kTrainerSuffix && *field->whole != 0)
      return Wrong(what, "treat_whitespace_as_suffix is true; allowed: false");
    if (field->number == kTrainerByteFallback) byte_fallback_ = *field->whole != 0;
  }
  return reader.ok() ? absl::OkStatus() : Damaged(what, "trainer_spec");
}

absl::Status UnigramTokenizer::ReadNormaliser(std::string_view message, std::string_view what) {
  ProtoReader reader(message);
  while (const auto field = reader.Next()) {
    if (field->number == kCharsmapField && field->text) {
      absl::StatusOr<Charsmap> map = Charsmap::Parse(*field->text, what);
      if (!map.ok()) return map.status();
      map_ = *std::move(map);
    }
    if (field->number == kBlankBefore && field->whole) blank_before_ = *field->whole != 0;
    if (field->number == kFewerBlanks && field->whole) fewer_blanks_ = *field->whole != 0;
    if (field->number == kMarkedBlanks && field->whole) marked_blanks_ = *field->whole != 0;
  }
  return reader.ok() ? absl::OkStatus() : Damaged(what, "normalizer_spec");
}

absl::Status UnigramTokenizer::IndexByte(const Piece& piece, std::int32_t id, std::string_view what) {
  std::uint32_t byte = 256;
  const bool named = piece.text.size() == 6 && piece.text.starts_with("<0x") && piece.text.ends_with('>');
  if (!named || !absl::SimpleHexAtoi(piece.text.substr(3, 2), &byte) || byte > 255)
    return Wrong(what, absl::StrCat("byte piece ", id, " must be named <0x00> to <0xFF>"));
  bytes_[byte] = id;
  return absl::OkStatus();
}

absl::Status UnigramTokenizer::Index(std::string_view what, std::int64_t numbers) {
  if (pieces_.empty() || static_cast<std::int64_t>(pieces_.size()) > numbers)
    return Wrong(what, absl::StrCat("has ", pieces_.size(), " pieces; allowed: 1 to ", numbers,
                                    ", the rows of the text encoder's table"));
  bytes_.fill(-1);
  unknown_ = end_ = padding_ = -1;
  least_ = std::numeric_limits<float>::max(), most_ = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const auto id = static_cast<std::int32_t>(i);
    if (piece.kind == Kind::kUnknown) unknown_ = id;
    if (piece.kind == Kind::kControl && piece.text == kEndPiece) end_ = id;
    if (piece.kind == Kind::kControl && piece.text == kPaddingPiece) padding_ = id;
    if (piece.kind == Kind::kByte)
      if (absl::Status status = IndexByte(piece, id, what); !status.ok()) return status;
    if (piece.kind == Kind::kUserDefined) user_defined_.push_back(id);
    if (piece.kind != Kind::kNormal && piece.kind != Kind::kUserDefined) continue;
    if (!numbers_.try_emplace(piece.text, id).second)
      return Wrong(what, absl::StrCat("piece ", id, " is there already under another number"));
    longest_ = std::max(longest_, piece.text.size());
    if (piece.kind == Kind::kNormal)
      least_ = std::min(least_, piece.score), most_ = std::max(most_, piece.score);
  }
  if (unknown_ < 0 || end_ < 0 || padding_ < 0)
    return Wrong(what, absl::StrCat("lacks an unknown piece, ", kEndPiece, " or ", kPaddingPiece));
  if (byte_fallback_ && std::ranges::find(bytes_, -1) != bytes_.end())
    return Wrong(what, "byte_fallback is true, but a piece for some byte is missing");
  if (user_defined_.size() > kUserDefinedMax)
    return Wrong(what, absl::StrCat("has more than ", kUserDefinedMax, " user-defined pieces"));
  if (least_ > most_) least_ = most_ = 0;
  return absl::OkStatus();
}

// Bytes of the longest user-defined piece that the text begins with: it is not rewritten.
std::size_t UnigramTokenizer::UserDefinedAt(std::string_view text) const {
  std::size_t longest = 0;
  for (const std::int32_t id : user_defined_) {
    const std::string& piece = pieces_[static_cast<std::size_t>(id)].text;
    if (piece.size() > longest && text.starts_with(piece)) longest = piece.size();
  }
  return longest;
}

std::string UnigramTokenizer::Normalised(std::string_view text) const {
  text = text.substr(0, kPromptBytesMax);
  const std::string_view blank = marked_blanks_ ? kBlank : std::string_view(" ");
  std::string result;
  bool after_blank = fewer_blanks_;  // those in front go too
  while (!text.empty()) {
    Charsmap::Prefix prefix;
    if (const std::size_t own = UserDefinedAt(text); own > 0)
      prefix = {text.substr(0, own), own};
    else
      prefix = map_.Rewrite(text);
    text.remove_prefix(prefix.bytes);
    for (const char c : prefix.text) {
      if (c != ' ')
        result += c;
      else if (!after_blank)
        result += blank;
      after_blank = fewer_blanks_ && c == ' ';
    }
  }
  while (fewer_blanks_ && result.ends_with(blank)) result.resize(result.size() - blank.size());
  if (blank_before_ && !result.empty()) result.insert(0, blank);
  return result;
}

float UnigramTokenizer::ScoreOf(const Piece& piece) const {
  if (piece.kind != Kind::kUserDefined) return piece.score;
  return static_cast<float>(piece.text.size()) * most_ - kUserDefinedLess;
}

void UnigramTokenizer::Reach(Step& to, const Step& before, std::size_t from, std::int32_t id,
                             float score) const {
  const float sum = before.score + score;
  if (to.reached && sum <= to.score) return;
  to = {sum, id, from, true};
}

std::vector<UnigramTokenizer::Step> UnigramTokenizer::BestWay(std::string_view text) const {
  std::vector<Step> way(text.size() + 1);
  way[0].reached = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t character = CharacterBytes(text.substr(at));
    bool known = false;
    for (std::size_t size = 1; size <= std::min(longest_, text.size() - at); ++size) {
      const auto piece = numbers_.find(text.substr(at, size));
      if (piece == numbers_.end()) continue;
      known = known || size == character;
      Reach(way[at + size], way[at], at, piece->second,
            ScoreOf(pieces_[static_cast<std::size_t>(piece->second)]));
    }
    if (!known) Reach(way[at + character], way[at], at, unknown_, least_ - kUnknownPenalty);
    at += character;
  }
  return way;
}

std::vector<std::int32_t> UnigramTokenizer::Pieces(std::string_view normalised) const {
  const std::vector<Step> way = BestWay(normalised);
  std::vector<std::int32_t> ids;  // from the last to the first
  for (std::size_t at = normalised.size(); at > 0; at = way[at].from) {
    const Step& step = way[at];
    if (step.id != unknown_) {
      ids.push_back(step.id);
    } else if (byte_fallback_) {
      for (std::size_t i = at; i > step.from; --i)
        ids.push_back(bytes_[static_cast<unsigned char>(normalised[i - 1])]);
    } else if (ids.empty() || ids.back() != unknown_) {
      ids.push_back(unknown_);
    }
  }
  std::ranges::reverse(ids);
  return ids;
}

std::string UnigramTokenizer::Joined(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    const Piece& piece = pieces_[static_cast<std::size_t>(id)];
    if (piece.kind == Kind::kByte)
      text += static_cast<char>(std::ranges::find(bytes_, id) - bytes_.begin());
    else if (piece.kind != Kind::kControl)
      text += piece.text;
  }
  return text;
}

std::vector<std::int32_t> UnigramTokenizer::Encode(std::string_view prompt) const {
  std::vector<std::int32_t> ids = Pieces(Normalised(prompt));
  ids.resize(std::min(ids.size(), tokens_ - 1));
  ids.push_back(end_);
  ids.resize(tokens_, padding_);
  return ids;
}

std::size_t UnigramTokenizer::Length(std::span<const std::int32_t> ids) const {
  const auto end = std::ranges::find(ids, end_);
  return static_cast<std::size_t>(end - ids.begin()) + (end == ids.end() ? 0 : 1);
}

std::vector<std::string> UnigramTokenizer::Notes(std::string_view prompt) const {
  const std::size_t pieces = Pieces(Normalised(prompt)).size();
  if (pieces < tokens_ && prompt.size() <= kPromptBytesMax) return {};
  return {absl::StrCat("the prompt has ", pieces, " pieces; this model reads the first ", tokens_ - 1,
                       ", the rest is left out")};
}

}  // namespace ringway::engine
