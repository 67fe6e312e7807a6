// A weight as a kernel reads it: a small program over named weights, and the form of its result.
//
// Most programs are one name, or one name and a cast. Passes add the rest: q, k and v stacked on each other,
// the sigmoid of a mix factor, the embedding of frame numbers. A program is a graph of fixed nodes with one
// output, so it has a canonical text; that text with the names, and the form, is the key by which weights
// that are packed already are found again: by another plan, at another size. Derive makes the numbers. Names,
// casts and stacks are streamed from the source into the packed form, panel by panel; anything else is
// evaluated whole by the backend's kernels in f32, which is meant for small things.
#ifndef RINGWAY_ENGINE_PLAN_DERIVED_WEIGHT_H_
#define RINGWAY_ENGINE_PLAN_DERIVED_WEIGHT_H_

#include <map>
#include <string>

#include "engine/checkpoint/weight_source.h"
#include "engine/graph/graph.h"
#include "engine/plan/backend.h"

namespace ringway::engine {

struct DerivedWeight {
  Graph program;  // of one output
  WeightForm form;
  std::string key;
};

// What the graph says of the value, which must be fixed.
DerivedWeight DerivedFrom(const Graph& graph, ValueId value, const WeightForm& form);
// The same program over other weights: new_names[old name], for every name in it.
DerivedWeight Renamed(const DerivedWeight& weight, const std::map<std::string, std::string>& new_names);

// `source` may be null where the program names no weight.
absl::StatusOr<Tensor> Derive(const DerivedWeight& weight, const WeightSource* source,
                              const Backend& backend);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_DERIVED_WEIGHT_H_
