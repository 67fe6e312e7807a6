// T5's tokenizer: the most likely pieces of a text, by a sentencepiece model (spiece.model).
//
// After Kudo (arXiv:1804.10959) and Kudo and Richardson (arXiv:1808.06226). A text is rewritten by the
// model's own map (charsmap.h), blanks at its ends and runs of them go, a blank is put before it, and blanks
// are written as U+2581. Of all ways to cut the result into pieces of the vocabulary the one with the largest
// sum of scores is taken (Viterbi). A character that no piece holds becomes its bytes where the model has
// pieces for them, else the unknown piece, one for a run of them. Encode gives the pieces, the end, and
// padding up to the length of the context; what does not fit is dropped, and Notes says so. Names of control
// pieces ("</s>") typed by a user are ordinary text.
//
// Bounds: files of 16 MiB, 1,000,000 pieces of at most 1 KiB; of a prompt kPromptBytesMax are looked at.
// O(bytes * longest piece) a text. Immutable after Open; any thread.
#ifndef RINGWAY_ENGINE_TEXT_UNIGRAM_TOKENIZER_H_
#define RINGWAY_ENGINE_TEXT_UNIGRAM_TOKENIZER_H_

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/charsmap.h"

namespace ringway::engine {

class UnigramTokenizer {
 public:
  static constexpr std::size_t kFileBytesMax = 16 << 20, kPiecesMax = 1'000'000, kPieceBytesMax = 1024;
  static constexpr std::size_t kPromptBytesMax = 16 << 10;

  // Reads `directory`/spiece.model. `tokens` is the length of the context, `numbers` the size of the text
  // encoder's table.
  static absl::StatusOr<UnigramTokenizer> Open(const std::filesystem::path& directory, std::int64_t tokens,
                                               std::int64_t numbers);
  static absl::StatusOr<UnigramTokenizer> Parse(std::string_view model, std::string_view what,
                                                std::int64_t tokens, std::int64_t numbers);

  // The index holds views of the pieces: they move with it, and are not copied.
  UnigramTokenizer(UnigramTokenizer&&) = default;
  UnigramTokenizer& operator=(UnigramTokenizer&&) = default;

  // Always `tokens` numbers.
  std::vector<std::int32_t> Encode(std::string_view prompt) const;
  // How many of them are no padding.
  std::size_t Length(std::span<const std::int32_t> ids) const;
  // What of the prompt is not read, as sentences for people; none when all of it is.
  std::vector<std::string> Notes(std::string_view prompt) const;

  // A text as it is cut, and the pieces of such a text: the most likely, all of them.
  std::string Normalised(std::string_view text) const;
  std::vector<std::int32_t> Pieces(std::string_view normalised) const;
  // Pieces joined again, with the bytes that byte pieces stand for; nothing for control pieces.
  std::string Joined(std::span<const std::int32_t> ids) const;

 private:
  enum class Kind : std::uint8_t { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };
  struct Piece {
    std::string text;
    float score = 0;
    Kind kind = Kind::kNormal;
  };
  // Where the best way to a place comes from.
  struct Step {
    float score = 0;
    std::int32_t id = -1;
    std::size_t from = 0;
    bool reached = false;
  };

  UnigramTokenizer() = default;
  absl::Status ReadModel(std::string_view model, std::string_view what);
  absl::Status ReadTrainer(std::string_view message, std::string_view what);
  absl::Status ReadNormaliser(std::string_view message, std::string_view what);
  absl::Status AddPiece(std::string_view message, std::string_view what);
  absl::Status Index(std::string_view what, std::int64_t numbers);
  absl::Status IndexByte(const Piece& piece, std::int32_t id, std::string_view what);
  std::size_t UserDefinedAt(std::string_view text) const;
  std::vector<Step> BestWay(std::string_view text) const;
  void Reach(Step& to, const Step& before, std::size_t from, std::int32_t id, float score) const;
  float ScoreOf(const Piece& piece) const;

  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, std::int32_t> numbers_;  // views of pieces_: normal and user defined
  std::vector<std::int32_t> user_defined_;
  std::array<std::int32_t, 256> bytes_ = {};  // of byte pieces
  Charsmap map_;
  bool blank_before_ = true, fewer_blanks_ = true, marked_blanks_ = true, byte_fallback_ = false;
  std::size_t tokens_ = 0, longest_ = 1;
  std::int32_t end_ = 1, padding_ = 0, unknown_ = 2;
  float least_ = 0, most_ = 0;  // scores of normal pieces
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TEXT_UNIGRAM_TOKENIZER_H_
