// docs/topology.md: names every field, and its example is a sound topology.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "topology/topology.h"
#include "topology/yaml_tree.h"

namespace ringway {
namespace {

std::string Docs() { return *ReadTextFile(RINGWAY_SOURCE_DIR "/docs/topology.md"); }

// Every key of the text, without the ones that are data.
void CollectKeys(const YamlNode& node, std::vector<std::string>& keys) {
  for (const YamlNode::Field& field : node.fields) {
    keys.push_back(field.key);
    if (field.key != "labels") CollectKeys(*field.value, keys);
  }
  for (const YamlNode* item : node.items) CollectKeys(*item, keys);
}

TEST(TopologyDocsTest, EveryFieldIsExplained) {
  const std::string full = *ReadTextFile(RINGWAY_SOURCE_DIR "/tests/topology/corpus/fuzz_topology/full");
  Problems problems("full");
  ASSERT_TRUE(ParseTopology(full, problems)) << problems.ToStatus();
  const YamlFile file = YamlFile::Parse(full, problems);
  std::vector<std::string> keys;
  for (const YamlNode* document : file.documents()) CollectKeys(*document, keys);
  EXPECT_GT(keys.size(), 50u);
  const std::string docs = Docs();
  for (const std::string& key : keys) {
    const bool explained = docs.find(absl::StrCat("`", key)) != std::string::npos ||
                           docs.find(absl::StrCat(".", key, "`")) != std::string::npos;
    EXPECT_TRUE(explained) << key;
  }
}

TEST(TopologyDocsTest, TheExampleIsSound) {
  const std::string docs = Docs();
  const std::size_t begin = docs.find("```yaml\n") + 8;
  const std::size_t end = docs.find("```", begin);
  const absl::StatusOr<Topology> topology = ParseTopology(docs.substr(begin, end - begin), "docs");
  EXPECT_TRUE(topology.ok()) << topology.status();
}

}  // namespace
}  // namespace ringway
