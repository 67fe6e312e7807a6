// Prompts as numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/clip_tokenizer.h"
#include "engine/text/unicode.h"
#include "engine/text/word_tokenizer.h"
#include "tests/engine/fuzz/targets.h"
#include "tests/engine/mutation.h"

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

TEST(WordTokenizer, SaysWhatOfAPromptItDoesNotUnderstand) {
  using testing::HasSubstr;
  EXPECT_THAT(Words().Notes("zoom in, slowly"), testing::IsEmpty());
  EXPECT_THAT(
      Words().Notes("zoom in asdf qwer"),
      ElementsAre("words of the prompt that this model does not know, and skipped: \"asdf\", \"qwer\""));
  EXPECT_THAT(Words().Notes(""), ElementsAre("there is no prompt: the model chooses what moves"));
  EXPECT_THAT(Words().Notes("explode"),
              ElementsAre(HasSubstr("no word of the prompt is known"), HasSubstr("explode")));
  EXPECT_THAT(
      Words().Notes("\xe4\xba\x91\xe9\xa3\x98"),
      ElementsAre(HasSubstr("no word of the prompt is known"), HasSubstr("other letters were skipped")));
  EXPECT_THAT(Words().Notes("in in in in in in zoom slowly"),
              ElementsAre("this model reads the first 6 words of a prompt; skipped: \"zoom\", \"slowly\""));
  // Bounded, whatever comes.
  std::string many;
  for (int i = 0; i < 1000; ++i) many += std::string(100, static_cast<char>('a' + i % 26)) + " ";
  std::size_t bytes = 0;
  for (const std::string& note : Words().Notes(many)) bytes += note.size();
  EXPECT_LT(bytes, 2000u);
}

TEST(WordTokenizer, RefusesVocabulariesThatLie) {
  for (const char* wrong :
       {"", "[]", "{}", R"({"<pad>":0})", R"({"<pad>":0,"<unk>":-1})", R"({"<pad>":0,"<unk>":10})",
        R"({"<pad>":0,"<unk>":"1"})", R"({"<pad>":0,"<unk>":1.5})"})
    EXPECT_FALSE(WordTokenizer::Parse(wrong, "vocab.json", 6, 10).ok()) << wrong;
}

// Every character of Unicode that has a name of its own would take a while; these are the corners.
TEST(Unicode, KnowsLettersNumbersSpacesAndLowerCase) {
  EXPECT_TRUE(IsLetter('z') && IsLetter(0xdf) && IsLetter(0x416) && IsLetter(0x4e2d) && IsLetter(0x1f88));
  EXPECT_FALSE(IsLetter('5') || IsLetter('_') || IsLetter(0x301) || IsLetter(0xd7) || IsLetter(0x10ffff));
  EXPECT_TRUE(IsNumber('7') && IsNumber(0xbd) && IsNumber(0x2167) && IsNumber(0x966));
  EXPECT_TRUE(IsSpace(' ') && IsSpace(0xa0) && IsSpace(0x3000) && !IsSpace(0x200b) && !IsSpace('x'));
  const std::pair<char32_t, char32_t> lower[] = {
      {'A', 'a'},     {'Z', 'z'},         {0xc4, 0xe4},     {0xd7, 0xd7},     {0x100, 0x101},
      {0x101, 0x101}, {0x178, 0xff},      {0x391, 0x3b1},   {0x410, 0x430},   {0x1e9e, 0xdf},
      {0x212a, 'k'},  {0x10400, 0x10428}, {0x1f88, 0x1f80}, {0x2c2f, 0x2c5f}, {'1', '1'}};
  for (const auto& [from, to] : lower)
    EXPECT_EQ(ToLower(from), to) << std::hex << static_cast<unsigned>(from);
}

TEST(Unicode, ReadsAnyBytes) {
  const auto read = [](std::string_view text) {
    std::u32string all;
    while (!text.empty()) all += TakeCharacter(text);
    return all;
  };
  EXPECT_EQ(read("a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"), U"a\u00e9\u4e2d\U0001f600");
  EXPECT_EQ(read("\xc3"), U"\ufffd");
  EXPECT_EQ(read("\xc0\x80"), U"\ufffd\ufffd");              // overlong
  EXPECT_EQ(read("\xed\xa0\x80z"), U"\ufffd\ufffd\ufffdz");  // a surrogate
  EXPECT_EQ(read("\xff\xfe"), U"\ufffd\ufffd");
}

// A vocabulary of the letters that occur, and of what the merges make of them.
ClipTokenizer Clip() {
  return ClipTokenizer::Parse(
             R"({"<|startoftext|>":0,"<|endoftext|>":1,"t":2,"h":3,"e":4,"t</w>":5,"h</w>":6,"e</w>":7,"th":8,"the</w>":9,
                "c":10,"a":11,"ca":12,"cat</w>":13,"'s</w>":14,"'":15,"s</w>":16,"!</w>":17,"!":18,"!!</w>":19,"4</w>":20,
                "\u00c3":21,"\u00a9</w>":22})",
             "#version: 0.2\nt h\nth e</w>\nc a\nca t</w>\n' s</w>\n! !</w>\n", "clip", 8, 23)
      .value();
}

TEST(ClipTokenizer, JoinsPairsByRank) {
  EXPECT_THAT(Clip().Encode("The  cat's"), ElementsAre(0, 9, 13, 14, 1, 1, 1, 1));
  EXPECT_THAT(Clip().Encode("the44!!"), ElementsAre(0, 9, 20, 20, 19, 1, 1, 1));
  EXPECT_THAT(Clip().Encode("th"), ElementsAre(0, 2, 6, 1, 1, 1, 1, 1));  // "th" is not the end of a word
  EXPECT_THAT(Clip().Encode("\xc3\x89"), ElementsAre(0, 21, 22, 1, 1, 1, 1, 1));  // lower-cased, then bytes
  EXPECT_THAT(Clip().Encode("cat cat cat cat cat cat cat cat"), ElementsAre(0, 13, 13, 13, 13, 13, 13, 1));
  EXPECT_THAT(Clip().Encode(""), ElementsAre(0, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(Clip().Encode(std::string(1 << 20, 'c')).size(), 8u);
}

TEST(ClipTokenizer, RefusesFilesThatLie) {
  const char* good = R"({"<|startoftext|>":0,"<|endoftext|>":1})";
  EXPECT_TRUE(ClipTokenizer::Parse(good, "", "clip", 8, 2).ok());
  EXPECT_FALSE(ClipTokenizer::Parse(good, "", "clip", 8, 1).ok());
  EXPECT_FALSE(ClipTokenizer::Parse(R"({"a":0})", "", "clip", 8, 2).ok());
  EXPECT_FALSE(ClipTokenizer::Parse("[1]", "", "clip", 8, 2).ok());
  for (const char* merges : {"ab\n", "a b c\n", " b\n", "a \n"})
    EXPECT_FALSE(ClipTokenizer::Parse(good, merges, "clip", 8, 2).ok()) << merges;
}

// What reads a model's small files and a user's words survives a thousand damaged copies each; some are still
// taken.
TEST(SmallFiles, SurviveDamage) {
  using namespace std::string_literals;
  const std::string vocabulary =
      R"({"<|startoftext|>":0,"<|endoftext|>":1,"t":2,"h</w>":3,"<pad>":4,"<unk>":5})";
  const std::tuple<const char*, bool (*)(std::string_view), std::string> targets[] = {
      {"tokenizers", FuzzTokenizers, vocabulary + "\0#version: 0.2\nt h</w>\n\0the th\xc3\xa9 TH 44"s},
      {"field", FuzzConfigs, R"({"grid":4,"frames":2,"patch":2,"scale_per_frame":[0.1,0.2]})"},
      {"unet", FuzzConfigs,
       R"({"block_out_channels":[32,64,64,64],"num_attention_heads":[2,4,4,4],"layers_per_block":1})"},
      {"scheduler", FuzzConfigs, R"({"log_snr_first":-12.0,"log_snr_last":3.0,"num_inference_steps":8})"},
      {"region", FuzzRegion, "10%,20%,60%,90%"}};
  for (const auto& [name, target, valid] : targets) {
    EXPECT_TRUE(target(valid)) << name;
    int taken = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) taken += target(Mutated(valid, i));
    EXPECT_GT(taken, 0) << name;
    EXPECT_LT(taken, 1000) << name;
  }
}

}  // namespace
}  // namespace ringway::engine
