// Every file in broken/ carries what must be said about it: its `# expect: ` lines are, in order and without
// the file name, all the mistakes that reading it reports.
#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "topology/topology.h"

namespace ringway {
namespace {

std::vector<std::string> BrokenFiles() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RINGWAY_SOURCE_DIR "/tests/topology/broken")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class BrokenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenTest, EveryMistakeIsNamed) {
  const std::string path = absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/topology/broken/", GetParam(), ".yaml");
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  ASSERT_TRUE(text.ok()) << text.status();
  std::vector<std::string> expected;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (absl::StartsWith(line, "# expect: ")) expected.emplace_back(absl::StripPrefix(line, "# expect: "));
  }
  const absl::StatusOr<Topology> topology = ParseTopology(*text, "f");
  ASSERT_EQ(topology.status().code(), absl::StatusCode::kInvalidArgument);
  std::vector<std::string> said;
  for (const absl::string_view line : absl::StrSplit(topology.status().message(), '\n')) {
    EXPECT_TRUE(absl::StartsWith(line, "f:")) << line;
    said.emplace_back(absl::StripPrefix(line, "f:"));
  }
  EXPECT_THAT(said, ::testing::ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(Files, BrokenTest, ::testing::ValuesIn(BrokenFiles()),
                         [](const auto& info) { return info.param; });

TEST(BrokenFilesTest, ThereAreAtLeastTwenty) { EXPECT_GE(BrokenFiles().size(), 20u); }

}  // namespace
}  // namespace ringway
