// CLIP's tokenizer against one that was written from its definition, in Python
// (tests/engine/reference/clip_tokenizer.py): words of many scripts, white space, punctuation, contractions,
// marks and emoji, and prompts longer than the context.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/json_reader.h"
#include "engine/text/clip_tokenizer.h"

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
  std::string vocabulary = "{", merges = "#version: 0.2\n";
  for (const auto& [token, number] : *reference.Find("vocabulary")->object()) {
    if (vocabulary.size() > 1) vocabulary += ',';
    vocabulary += '"';
    for (const char c : token) {
      if (c == '"' || c == '\\') vocabulary += '\\';
      vocabulary += c;
    }
    vocabulary += "\":" + std::to_string(*number.integer());
  }
  for (const Json& merge : *reference.Find("merges")->array()) merges += *merge.string() + "\n";
  return ClipTokenizer::Parse(vocabulary + "}", merges, "reference", kContext, 1 << 16).value();
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

}  // namespace
}  // namespace ringway::engine
