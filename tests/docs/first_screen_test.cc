// What README promises on its first screen: short, for whom, why not something else, with figures that are
// measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "absl/strings/str_split.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kRoot = RINGWAY_SOURCE_DIR;

std::string Readme() { return ReadText(kRoot / "README.md"); }

// The text between two marks; empty when one is missing.
std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  const std::size_t end = begin == std::string::npos ? begin : text.find(to, begin + from.size());
  return end == std::string::npos ? "" : text.substr(begin + from.size(), end - begin - from.size());
}

TEST(FirstScreenTest, SaysWhatItIsForWhomAndWhyInUnder150Words) {
  const std::string lead = Between(Readme(), "# Ringway\n", "\n|");
  ASSERT_NE(lead, "");
  const std::vector<std::string> words = absl::StrSplit(lead, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  EXPECT_LT(words.size(), 150u);
  EXPECT_THAT(lead, HasSubstr("for teams"));
}

TEST(FirstScreenTest, NamesWhatElseThereIsWhatItIsNotForAndHowMatureItIs) {
  const std::string readme = Readme();
  for (const char* other : {"Ray Serve", "llm-d", "KServe", "Dynamo", "HAProxy", "nginx", "Envoy"})
    EXPECT_THAT(Between(readme, "## Why not", "## Try it"), HasSubstr(other));
  for (const char* said : {"**Not for**", "**How mature.**", "**never put beside this build**", "encryption"})
    EXPECT_THAT(readme, HasSubstr(said));
}

// A figure in the first table is one of those that docs/benchmarks.md tells how to measure.
TEST(FirstScreenTest, ItsFiguresStandInTheBenchmarks) {
  const std::string table = Between(Readme(), "| in front |", "## Why not");
  ASSERT_NE(table, "");
  const std::string measured =
      Between(ReadText(kRoot / "docs/benchmarks.md"),
              "## Proxies in front of workers that take one request at a time", "\n## ");
  ASSERT_NE(measured, "");
  const std::regex percent("[0-9]+\\.[0-9]+ %");
  int found = 0;
  for (std::sregex_iterator it(table.begin(), table.end(), percent), none; it != none; ++it) {
    std::string figure = it->str();
    if (figure == "1.5 %") continue;  // between 1.029 and 1.044
    if (figure == "99.99 %") figure = "99.99";
    EXPECT_THAT(measured, HasSubstr(figure));
    ++found;
  }
  EXPECT_GE(found, 4);
}

}  // namespace
}  // namespace ringway
