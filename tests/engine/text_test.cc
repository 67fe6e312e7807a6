// Prompts as numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/word_tokenizer.h"

namespace ringway::engine {
namespace {

using testing::ElementsAre;

WordTokenizer Words() {
  return WordTokenizer::Parse(R"({"<pad>":0,"<unk>":1,"zoom":2,"in":3,"slowly":4})", "vocab.json", 6, 10)
      .value();
}

TEST(WordTokenizer, TakesRunsOfLetters) {
  EXPECT_THAT(Words().Encode("Zoom in"), ElementsAre(2, 3, 0, 0, 0, 0));
  EXPECT_THAT(Words().Encode("  zoom--IN, 4 SLOWLY!?"), ElementsAre(2, 3, 4, 0, 0, 0));
  EXPECT_THAT(Words().Encode("zoomin z\xc3\xbcm in"),
              ElementsAre(1, 1, 1, 3, 0, 0));  // other letters separate
  EXPECT_THAT(Words().Encode(""), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(Words().Encode("in in in in in in zoom"), ElementsAre(3, 3, 3, 3, 3, 3));
  EXPECT_EQ(Words().Encode(std::string(10 << 20, 'a')).size(), 6u);
  EXPECT_THAT(Words().Encode(std::string_view("zoom\0in", 7)), ElementsAre(2, 3, 0, 0, 0, 0));
}

TEST(WordTokenizer, TellsUnknownWords) {
  EXPECT_THAT(Words().UnknownWords("zoom the Cat, the cat"), ElementsAre("the", "cat"));
}

TEST(WordTokenizer, RefusesVocabulariesThatLie) {
  for (const char* wrong :
       {"", "[]", "{}", R"({"<pad>":0})", R"({"<pad>":0,"<unk>":-1})", R"({"<pad>":0,"<unk>":10})",
        R"({"<pad>":0,"<unk>":"1"})", R"({"<pad>":0,"<unk>":1.5})"})
    EXPECT_FALSE(WordTokenizer::Parse(wrong, "vocab.json", 6, 10).ok()) << wrong;
}

}  // namespace
}  // namespace ringway::engine
