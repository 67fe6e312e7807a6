// CLIP's tokenizer against one that was written from its definition, in Python
// (tests/engine/reference/clip_tokenizer.py): words of many scripts, white space, punctuation, contractions,
// marks and emoji, and prompts longer than the context.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/json_reader.h"
#include "engine/text/clip_tokenizer.h"
#include "tests/engine/checkpoint_files.h"
#include "tests/engine/clip_vocabulary.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kContext = 77;

Json ReadReference() {
  std::ifstream file(std::string(RINGWAY_SOURCE_DIR) + "/tests/engine/golden/clip_tokens.json");
  std::ostringstream text;
  text << file.rdbuf();
  return Json::Parse(text.str(), "clip_tokens.json").value();
}

ClipTokenizer TokenizerOf(const Json& reference) {
  const ClipVocabulary words(reference);
  return ClipTokenizer::Parse(words.vocabulary, words.merges, "reference", kContext, 1 << 16).value();
}

TEST(ClipTokenizer, AgreesWithTheReference) {
  const Json reference = ReadReference();
  const ClipTokenizer tokenizer = TokenizerOf(reference);
  const auto& cases = *reference.Find("cases")->array();
  ASSERT_GT(cases.size(), 400u);
  std::size_t cut = 0;
  for (const Json& c : cases) {
    const std::string& prompt = *c.Find("prompt")->string();
    std::vector<std::int32_t> expected;
    for (const Json& id : *c.Find("ids")->array())
      expected.push_back(static_cast<std::int32_t>(*id.integer()));
    cut += expected.size() == kContext ? 1 : 0;
    expected.resize(kContext, expected.back());  // the end token fills the context
    EXPECT_EQ(tokenizer.Encode(prompt), expected) << "\"" << prompt << "\"";
  }
  EXPECT_GT(cut, 10u);  // prompts that do not fit are among them
}

TEST(ClipTokenizer, PadsAsTheCheckpointSays) {
  const Json reference = ReadReference();
  const ClipVocabulary words(reference);
  const auto mark = static_cast<std::int32_t>(*reference.Find("vocabulary")->Find("!")->integer());
  const ScratchFolder folder;
  folder.Write("vocab.json", words.vocabulary);
  folder.Write("merges.txt", words.merges);
  const auto padded = [&] {
    const auto tokenizer = ClipTokenizer::Open(folder.path(), 8, 1 << 16);
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
    return tokenizer->Encode("boat");
  };
  const std::vector<std::int32_t> plain = padded();
  const std::int32_t end = plain.back();
  EXPECT_EQ(plain, (std::vector<std::int32_t>{plain[0], plain[1], end, end, end, end, end, end}));
  folder.Write("tokenizer_config.json", R"({"pad_token":{"content":"<|endoftext|>","lstrip":false}})");
  EXPECT_EQ(padded(), plain);
  folder.Write("special_tokens_map.json", R"({"pad_token":"!"})");  // goes before
  EXPECT_EQ(padded(), (std::vector<std::int32_t>{plain[0], plain[1], end, mark, mark, mark, mark, mark}));
  folder.Write("special_tokens_map.json", R"({"pad_token":"<nothing>"})");
  EXPECT_EQ(ClipTokenizer::Open(folder.path(), 8, 1 << 16).status().message(),
            folder.path().string() + ": vocab.json lacks the padding \"<nothing>\"");
}

TEST(ClipTokenizer, SaysWhatItLeavesOut) {
  const ClipTokenizer tokenizer = TokenizerOf(ReadReference());
  std::string prompt = "1";
  for (int i = 1; i < 75; ++i) prompt += " 1";
  EXPECT_TRUE(tokenizer.Notes(prompt).empty());
  EXPECT_EQ(tokenizer.Notes(prompt + " 1"),
            std::vector<std::string>{
                "the prompt has 76 pieces; this model reads the first 75, the rest is left out"});
}

}  // namespace
}  // namespace ringway::engine
