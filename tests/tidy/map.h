// The map of the house: which layers there are, what each may include, and which of them decide.
//
// A file belongs to the layer with the longest prefix that its path starts with, so that one pure file beside
// a daemon's shell can be named on its own. A folder that no layer claims is a finding: a new module is
// placed on purpose. Dependencies point one way:
//
//   core <- {controller/planner, router/dispatch, worker slot} <- machines <- {sim, daemons} <- cli
//
// Threads: constants.
#ifndef RINGWAY_TESTS_TIDY_MAP_H_
#define RINGWAY_TESTS_TIDY_MAP_H_

#include <string_view>
#include <vector>

namespace ringway::tidy {

struct Layer {
  std::string_view prefix;  // of paths
  bool pure = false;        // decides: see purity.cc
  // Prefixes of our own headers, besides its own. Naming a folder gives its decisions, not its shell.
  std::vector<std::string_view> may_include;
};

// Null: no layer claims the path.
const Layer* LayerOf(std::string_view path);

// A library that only some folders may use.
struct Library {
  std::string_view header_prefix;
  std::string_view header_suffix;
  std::vector<std::string_view> folders;
  std::string_view why;
};
const std::vector<Library>& Libraries();

// Whether `path` is `prefix`, lies in that folder, or is a file whose name starts so at a word's end:
// "worker/slot" covers worker/slot.h and worker/slot_test.cc, not worker/slots.h.
bool Covers(std::string_view prefix, std::string_view path);

}  // namespace ringway::tidy

#endif  // RINGWAY_TESTS_TIDY_MAP_H_
