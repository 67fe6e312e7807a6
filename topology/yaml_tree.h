// A YAML file as a plain tree with positions: the only place that knows yaml-cpp.
//
// yaml-cpp's own Node throws on misuse, forgets where keys stand, keeps the last of two equal keys silently
// and has no bounds. So its parser's events build this tree instead, under limits, and its exceptions become
// problems here. An alias points to the node of its anchor: nothing is copied, so a file of nested aliases
// stays as small as its text.
//
// Bounds: the k*Max constants. Linear in the size of the text, n log n in the keys of one mapping.
// Invariants: no cycle (an alias to an unfinished anchor is refused); keys of a mapping are distinct scalars.
// Threads: immutable after parsing.
#ifndef RINGWAY_TOPOLOGY_YAML_TREE_H_
#define RINGWAY_TOPOLOGY_YAML_TREE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "topology/problems.h"

namespace ringway {

inline constexpr std::size_t kYamlBytesMax = 16 << 20;
inline constexpr std::size_t kYamlNodesMax = 2'000'000;
inline constexpr std::size_t kYamlDepthMax = 24;
inline constexpr std::size_t kYamlAliasesMax = 10'000;
inline constexpr std::size_t kYamlDocumentsMax = 512;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  struct Field {
    std::string key;
    Mark key_at;
    const YamlNode* value;
  };

  Kind kind = Kind::kNull;
  Mark at;
  std::string text;  // of a scalar
  bool quoted = false;
  std::vector<const YamlNode*> items;  // of a sequence
  std::vector<Field> fields;           // of a mapping, in the order of the file
};

// For messages: `"12x"`, `a mapping`, `nothing`.
std::string DescribeYaml(const YamlNode& node);

class YamlFile {
 public:
  // Never fails: what is wrong is added to `problems`, and the documents before it are kept.
  static YamlFile Parse(std::string_view text, Problems& problems);

  const std::vector<const YamlNode*>& documents() const { return documents_; }

 private:
  friend class YamlBuilder;
  std::deque<YamlNode> nodes_;  // owns; addresses are stable
  std::vector<const YamlNode*> documents_;
};

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_YAML_TREE_H_
