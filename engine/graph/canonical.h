// What two graphs have in common when the same plan serves both: everything but the names of weights, the
// labels, and the order in which independent nodes were written.
//
// The text lists the nodes that outputs and inputs reach, depth first from the outputs in their order, each
// by its operation, all its settings, its element type and the numbers of its inputs. A weight is its shape
// and a slot: the first weight that is met is slot 0, and so on; the same name is the same slot. So a renamed
// checkpoint gives the same text, and graphs that differ anywhere else do not: the text is complete, nothing
// of it is sampled. `names` says which weight fills which slot. With names the text stands for the numbers
// too, which is what derived weights are known by (plan/weight_set.h). O(nodes).
#ifndef RINGWAY_ENGINE_GRAPH_CANONICAL_H_
#define RINGWAY_ENGINE_GRAPH_CANONICAL_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace ringway::engine {

struct CanonicalForm {
  std::string text;  // bytes, not for people
  std::vector<std::string> names;
};
enum class WeightNames { kLeftOut, kIncluded };
CanonicalForm Canonical(const Graph& graph, WeightNames weight_names);

// Of any bytes, the same on every machine: two sums of different constants, each multiplied and folded.
struct Hash128 {
  std::uint64_t high = 0, low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};
Hash128 HashOf(std::string_view bytes);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_GRAPH_CANONICAL_H_
