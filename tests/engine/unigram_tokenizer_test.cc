// T5's tokenizer on small models: how text is rewritten, that the pieces are the most likely ones and cover
// the text, what is padded, cut and refused, and that no damaged file breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>

#include "core/check.h"
#include "engine/text/unigram_tokenizer.h"
#include "tests/engine/checkpoint_files.h"
#include "tests/engine/fuzz/targets.h"
#include "tests/engine/mutation.h"
#include "tests/engine/unigram_model.h"

namespace ringway::engine {
namespace {

constexpr std::int64_t kUnigramContext = 8, kUnigramRows = 512;
constexpr char kBlankMark[] = "\xE2\x96\x81";

UnigramTokenizer Tokenizer(const UnigramModel& model) {
  auto tokenizer = UnigramTokenizer::Parse(model.File(), "test", kUnigramContext, kUnigramRows);
  RINGWAY_CHECK(tokenizer.ok());
  return *std::move(tokenizer);
}

// "_" for the mark of blanks.
std::string Marked(std::string text) {
  for (std::size_t at = 0; (at = text.find('_', at)) != std::string::npos;) text.replace(at, 1, kBlankMark);
  return text;
}

std::vector<std::string> Texts(const UnigramTokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> texts;
  for (const std::int32_t id : tokenizer.Pieces(tokenizer.Normalised(text)))
    texts.push_back(tokenizer.Joined(std::vector<std::int32_t>{id}));
  return texts;
}

TEST(UnigramTokenizer, RewritesAsTheModelSays) {
  const UnigramTokenizer tokenizer = Tokenizer(SmallUnigramModel());
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"   ", ""},
      {"\x01", ""},
      {"boat", "_boat"},
      {"  a \t\n small   boat ", "_a_small_boat"},
      {"\xEF\xBD\x82o\xEF\xBD\x81t", "_boat"},  // wide letters
      {"\xEF\xAC\x81ne", "_fine"},              // a ligature
      {"a\xE3\x80\x80"
       "b",
       "_a_b"},                    // a wide blank
      {"o\xCC\x88", "_\xC3\xB6"},  // the longest key
      {"o", "_o"},                 // its beginning is no key
      {"\xC2\xA8", "_\xCC\x88"},   // the blank that it begins with is one in front
      {"a\xC2\xA8", "_a_\xCC\x88"},
      {"a\xFFz", "_a\xEF\xBF\xBDz"},  // no UTF-8
      {"a\xE2\x96", "_a\xEF\xBF\xBD\xEF\xBF\xBD"}};
  for (const auto& [text, normalised] : cases)
    EXPECT_EQ(tokenizer.Normalised(text), Marked(normalised)) << text;
  UnigramModel as_it_is = SmallUnigramModel();
  as_it_is.blank_before = as_it_is.fewer_blanks = false;
  EXPECT_EQ(Tokenizer(as_it_is).Normalised(" a  b "), Marked("_a__b_"));
}

TEST(UnigramTokenizer, CutsIntoTheMostLikelyPieces) {
  const UnigramTokenizer tokenizer = Tokenizer(SmallUnigramModel());
  const auto marked = [](std::vector<std::string> texts) {
    for (std::string& text : texts) text = Marked(text);
    return texts;
  };
  EXPECT_EQ(Texts(tokenizer, "a small boat sways"), marked({"_a", "_small", "_boat", "_sways"}));
  EXPECT_EQ(Texts(tokenizer, "ball"), marked({"_", "b", "all"}));
  EXPECT_EQ(Texts(tokenizer, "smays"), marked({"_", "sm", "ay", "s"}));
  EXPECT_TRUE(tokenizer.Pieces("").empty());
}

// Every way to cut short texts, tried out: none has a larger sum.
TEST(UnigramTokenizer, NoOtherWayIsMoreLikely) {
  const UnigramModel model = SmallUnigramModel();
  const UnigramTokenizer tokenizer = Tokenizer(model);
  std::map<std::string, float> scores;
  for (const ModelPiece& piece : model.pieces)
    if (piece.kind == 1) scores[piece.text] = piece.score;
  const std::function<double(std::string_view)> best = [&](std::string_view rest) {
    if (rest.empty()) return 0.0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t size = 1; size <= rest.size(); ++size)
      if (const auto piece = scores.find(std::string(rest.substr(0, size))); piece != scores.end())
        most = std::max(most, piece->second + best(rest.substr(size)));
    return most;
  };
  Rng rng(5, 2);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (std::uint64_t n = 1 + rng.Below(9); n > 0; --n) text += "asmlbotwy, "[rng.Below(11)];
    const std::string normalised = tokenizer.Normalised(text);
    double sum = 0;
    for (const std::int32_t id : tokenizer.Pieces(normalised))
      sum += model.pieces[static_cast<std::size_t>(id)].score;
    EXPECT_NEAR(sum, best(normalised), 1e-4) << "\"" << text << "\"";
  }
}

std::string RandomText(Rng& rng) {
  static constexpr const char* kParts[] = {"a",        " ",         "boat",         "small ",
                                           "\xC3\xB6", "o\xCC\x88", "\xE6\xB0\xB4", "\xF0\x9F\x9A\xA4",
                                           "\xFF",     "\xE2\x96",  "\xE2\x96\x81", "\t",
                                           "\x01",     "<unk>",     "</s>",         "\xEF\xAC\x81"};
  std::string text;
  for (std::uint64_t n = rng.Below(12); n > 0; --n) text += kParts[rng.Below(std::size(kParts))];
  return text;
}

TEST(UnigramTokenizer, PiecesJoinToWhatWasCut) {
  const UnigramTokenizer tokenizer = Tokenizer(ByteUnigramModel());
  Rng rng(3, 8);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = RandomText(rng), normalised = tokenizer.Normalised(text);
    EXPECT_EQ(tokenizer.Joined(tokenizer.Pieces(normalised)), normalised) << text;
  }
}

// Without byte pieces what is not known is one unknown piece for a run of it.
TEST(UnigramTokenizer, RunsOfTheUnknownAreOnePiece) {
  const UnigramTokenizer tokenizer = Tokenizer(SmallUnigramModel());
  EXPECT_EQ(tokenizer.Pieces(tokenizer.Normalised("a\xE6\xB0\xB4\xF0\x9F\x9A\xA4 boat\xC3\xB6")),
            (std::vector<std::int32_t>{4, 2, 6, 2}));
}

TEST(UnigramTokenizer, UserDefinedPiecesAreNeitherRewrittenNorCut) {
  UnigramModel model = SmallUnigramModel();
  model.pieces.push_back(
      {"\xEF\xBD\x81"
       "b",
       0, 4});
  const UnigramTokenizer tokenizer = Tokenizer(model);
  EXPECT_EQ(tokenizer.Normalised("\xEF\xBD\x81"
                                 "bo"),
            Marked("_\xEF\xBD\x81"
                   "bo"));
  EXPECT_EQ(Texts(tokenizer,
                  "\xEF\xBD\x81"
                  "bo")[1],
            "\xEF\xBD\x81"
            "b");
}

TEST(UnigramTokenizer, EndsPadsAndCuts) {
  const UnigramTokenizer tokenizer = Tokenizer(SmallUnigramModel());
  EXPECT_EQ(tokenizer.Encode("a boat"), (std::vector<std::int32_t>{4, 6, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(tokenizer.Encode(""), (std::vector<std::int32_t>{1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(tokenizer.Encode("a a a a a a a a a"), (std::vector<std::int32_t>{4, 4, 4, 4, 4, 4, 4, 1}));
  EXPECT_EQ(tokenizer.Length(tokenizer.Encode("a boat")), 3u);
  EXPECT_EQ(tokenizer.Length(tokenizer.Encode("a a a a a a a a a")), 8u);
  EXPECT_TRUE(tokenizer.Notes("a a a a a a a").empty());
  EXPECT_EQ(tokenizer.Notes("a a a a a a a a"),
            std::vector<std::string>{
                "the prompt has 8 pieces; this model reads the first 7, the rest is left out"});
}

TEST(UnigramTokenizer, RefusesWhatItCannotCutWith) {
  const auto says = [](const UnigramModel& model, std::int64_t rows = kUnigramRows) {
    return std::string(
        UnigramTokenizer::Parse(model.File(), "spiece.model", kUnigramContext, rows).status().message());
  };
  UnigramModel pairs = SmallUnigramModel(), endless = SmallUnigramModel(), twice = SmallUnigramModel(),
               bytes = ByteUnigramModel(), map = SmallUnigramModel();
  pairs.kind = 2;
  EXPECT_EQ(says(pairs), "spiece.model: model_type is 2; allowed: 1 (unigram)");
  EXPECT_EQ(says(SmallUnigramModel(), 20),
            "spiece.model: has 23 pieces; allowed: 1 to 20, the rows of the text encoder's table");
  endless.pieces[1].text = "end";
  EXPECT_EQ(says(endless), "spiece.model: lacks an unknown piece, </s> or <pad>");
  twice.pieces.push_back({"b", -1});
  EXPECT_EQ(says(twice), "spiece.model: piece 23 is there already under another number");
  bytes.pieces.pop_back();
  EXPECT_EQ(says(bytes), "spiece.model: byte_fallback is true, but a piece for some byte is missing");
  map.charsmap.resize(40);
  EXPECT_THAT(says(map), testing::HasSubstr("spiece.model: precompiled_charsmap claims a table of"));
  EXPECT_EQ(UnigramTokenizer::Parse("no model", "spiece.model", 8, 8).status().message(),
            "spiece.model: is no sentencepiece model: its outermost message is damaged");
  const ScratchFolder folder;
  EXPECT_THAT(std::string(UnigramTokenizer::Open(folder.path(), 8, 8).status().message()),
              testing::HasSubstr("spiece.model"));
}

// As the fuzz target takes it: the length of a prompt, the prompt, the model.
TEST(UnigramTokenizer, DamagedModelsAreRefusedOrHarmless) {
  const std::string prompt =
      "a small b\xC3\xB6"
      "at \xEF\xAC\x81 \xFF";
  int accepted = 0;
  for (const UnigramModel& model : {SmallUnigramModel(), ByteUnigramModel()}) {
    const std::string valid = static_cast<char>(prompt.size()) + prompt + model.File();
    ASSERT_TRUE(FuzzUnigram(valid));
    for (std::uint64_t i = 0; i < 1500; ++i) accepted += FuzzUnigram(Mutated(valid, i)) ? 1 : 0;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace ringway::engine
