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

Json ReadTokens() {
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
  const Json reference = ReadTokens();
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
  const Json reference = ReadTokens();
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
  const ClipTokenizer tokenizer = TokenizerOf(ReadTokens());
  std::string prompt = "1";
  for (int i = 1; i < 75; ++i) prompt += " 1";
  EXPECT_TRUE(tokenizer.Notes(prompt).empty());
  EXPECT_EQ(tokenizer.Notes(prompt + " 1"),
            std::vector<std::string>{
                "the prompt has 76 pieces; this model reads the first 75, the rest is left out"});
}

TEST(ClipTokenizer, OfAClosedVocabularySaysTheWordsThatItLacks) {
  const Json reference = ReadTokens();
  const ClipVocabulary words(reference);
  const ScratchFolder folder;
  folder.Write("vocab.json", words.vocabulary);
  folder.Write("merges.txt", words.merges);
  const auto notes = [&](const std::string& prompt, const std::string& inserted = "") {
    const auto tokenizer = ClipTokenizer::Open(folder.path(), 77, 1 << 16);
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
    if (inserted.empty()) return tokenizer->Notes(prompt);
    const ClipTokenizer::InsertedWord word{inserted};
    return tokenizer->Notes(prompt, {&word, 1});
  };
  const std::string says = "words of the prompt that this model does not know: ";
  const std::string prompt = "The boat, a Giraffe!? the giraffe; boat... 1 xylophone";
  EXPECT_TRUE(notes(prompt).empty()) << "an open vocabulary spells what it has no token for";
  folder.Write("tokenizer_config.json", R"({"closed_vocabulary":true})");
  EXPECT_EQ(notes(prompt), std::vector<std::string>{says + "giraffe, xylophone"});
  EXPECT_EQ(notes("the giraffe xylophone", "xylophone"), std::vector<std::string>{says + "giraffe"});
  EXPECT_TRUE(notes("the boat").empty());
  EXPECT_EQ(notes("qa qb qc qd qe qf qg qh qi qj"),
            std::vector<std::string>{says + "qa, qb, qc, qd, qe, qf, qg, qh and 2 more"});
  folder.Write("tokenizer_config.json", R"({"closed_vocabulary":["a","boat"]})");
  EXPECT_EQ(notes("a boat, 1 boat in the sea"), std::vector<std::string>{says + "1, in, the, sea"})
      << "single tokens that were not trained on";
  folder.Write("tokenizer_config.json", R"({"closed_vocabulary":false})");
  EXPECT_TRUE(notes(prompt).empty());
  for (const char* wrong :
       {R"({"closed_vocabulary":1})", R"({"closed_vocabulary":[]})", R"({"closed_vocabulary":["a",2]})"}) {
    folder.Write("tokenizer_config.json", wrong);
    const std::string message(ClipTokenizer::Open(folder.path(), 77, 1 << 16).status().message());
    EXPECT_NE(message.find("tokenizer_config.json: \"closed_vocabulary\" is "), std::string::npos) << message;
    EXPECT_NE(message.find("allowed: true, false, or an array"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace ringway::engine
