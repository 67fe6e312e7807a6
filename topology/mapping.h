// Reads the fields of one YAML mapping into values, naming every mistake with its place.
//
// A reader asks for each field that it knows, with the range that is allowed; Finish() then reports the keys
// that nobody asked for, with the nearest known name. A wrong field yields its default and a problem, so that
// reading goes on and every mistake of the file is listed at once.
//
// Numbers are plain YAML scalars with the unit in the field's name; durations carry their unit ("250ms").
// Threads: one owner. Cost: linear in the fields per question; mappings are small.
#ifndef RINGWAY_TOPOLOGY_MAPPING_H_
#define RINGWAY_TOPOLOGY_MAPPING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.h"
#include "topology/problems.h"
#include "topology/yaml_tree.h"

namespace ringway {

struct Range {
  double min;
  double max;
  bool min_open = false;  // `min` itself is not allowed
};

// A value together with where it stands; what list readers are handed.
struct Place {
  const YamlNode* node;
  std::string path;
};

class Mapping {
 public:
  // A node that is no mapping is reported, and reads as an empty one. Null (a key without value) is empty.
  Mapping(const Place& place, Problems& problems);

  // Asked for, so it is among the fields that one which is misspelt is told of.
  bool Has(std::string_view key) {
    Learn(key);
    return Peek(key) != nullptr;
  }
  double Number(std::string_view key, double fallback, Range range);
  std::int64_t Integer(std::string_view key, std::int64_t fallback, std::int64_t min, std::int64_t max);
  bool Flag(std::string_view key, bool fallback);
  Duration Span(std::string_view key, Duration fallback, Duration min, Duration max);
  // Letters, digits and . _ : - after a letter or digit, 1 to 63 characters; must be given.
  std::string Name(std::string_view key);
  // Any one line of at most 500 bytes.
  std::string Text(std::string_view key, std::string_view fallback);
  // The index of the word in `words`.
  std::size_t Choice(std::string_view key, std::size_t fallback, const std::vector<std::string_view>& words);
  // The item places of a list; empty when absent. More than `count_max` is a problem and is cut.
  std::vector<Place> List(std::string_view key, std::size_t count_max);
  Mapping Child(std::string_view key);
  // The raw value, for shapes of its own; null when absent.
  const YamlNode* Raw(std::string_view key);

  // Reports unless the key is there. Returns whether it is.
  bool Require(std::string_view key, std::string_view allowed);
  void Report(std::string_view key, std::string allowed, std::string hint = "");
  // Reports a field by the name that it had in earlier releases; nobody else is told of that name.
  void Renamed(std::string_view before, std::string_view now);
  void Finish();

  std::string PathOf(std::string_view key) const;
  Mark at() const { return at_; }
  const std::string& path() const { return place_.path; }

 private:
  const YamlNode::Field* Peek(std::string_view key) const;
  const YamlNode* Scalar(std::string_view key, std::string_view allowed);
  void Learn(std::string_view key);

  Place place_;
  Mark at_;
  Problems& problems_;
  std::vector<std::string> known_;
};

// Shared by lists of plain names: reports and returns empty when the item is no valid name.
std::string ReadName(const Place& place, Problems& problems);
bool IsName(std::string_view text);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_MAPPING_H_
