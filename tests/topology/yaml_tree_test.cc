#include "topology/yaml_tree.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;

std::string FirstProblem(std::string_view text) {
  Problems problems("t");
  YamlFile::Parse(text, problems);
  return problems.empty() ? "none" : problems.Describe(problems.all()[0]);
}

TEST(YamlTreeTest, KeepsPositionsOfKeysAndValues) {
  Problems problems("t");
  const YamlFile file = YamlFile::Parse("a: 1\nb:\n  - x\n  - \"7\"\n", problems);
  ASSERT_TRUE(problems.empty());
  ASSERT_EQ(file.documents().size(), 1u);
  const YamlNode& root = *file.documents()[0];
  ASSERT_EQ(root.fields.size(), 2u);
  EXPECT_EQ(root.fields[1].key, "b");
  EXPECT_EQ(root.fields[1].key_at.line, 2);
  const YamlNode& list = *root.fields[1].value;
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[1]->at.line, 4);
  EXPECT_EQ(list.items[1]->at.column, 5);
  EXPECT_TRUE(list.items[1]->quoted);
  EXPECT_FALSE(list.items[0]->quoted);
}

TEST(YamlTreeTest, RefusesWhatIsAmbiguousOrUnbounded) {
  EXPECT_THAT(FirstProblem("a: 1\na: 2\n"), HasSubstr("t:2:1: found the key \"a\" a second time"));
  EXPECT_THAT(FirstProblem("a: [1, 2\n"), HasSubstr("broken YAML"));
  EXPECT_THAT(FirstProblem("a: 1\nspec:\n\tregions: []\n"), HasSubstr("the line is indented with a tab"));
  EXPECT_THAT(FirstProblem("? [1]\n: 2\n"), HasSubstr("a key that is not plain text"));
  EXPECT_THAT(FirstProblem("&a [*a]\n"), HasSubstr("alias"));
  EXPECT_THAT(FirstProblem(std::string(40, '[') + std::string(40, ']')),
              HasSubstr("one more level of nesting"));
  EXPECT_THAT(FirstProblem(std::string(kYamlBytesMax + 1, ' ')), HasSubstr("at most 16777216"));
  std::string many = "- &a x\n";
  for (std::size_t i = 0; i <= kYamlAliasesMax; ++i) many += "- *a\n";
  EXPECT_THAT(FirstProblem(many), HasSubstr("one more alias"));
}

// Ten levels of ten aliases each would be 10^10 values if they were copied.
TEST(YamlTreeTest, AnAliasBombStaysSmall) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 10; ++i) {
    absl::StrAppend(&bomb, "a", i, ": &a", i, " [");
    for (int j = 0; j < 10; ++j) absl::StrAppend(&bomb, j ? ", " : "", "*a", i - 1);
    absl::StrAppend(&bomb, "]\n");
  }
  Problems problems("t");
  const YamlFile file = YamlFile::Parse(bomb, problems);
  EXPECT_TRUE(problems.empty());
  const YamlNode* node = file.documents()[0]->fields[9].value;
  for (int i = 0; i < 9; ++i) node = node->items[9];
  EXPECT_EQ(node->items[1]->text, "x");
}

}  // namespace
}  // namespace ringway
