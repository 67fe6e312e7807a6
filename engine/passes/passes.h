// What is done to a network between being written and being run: each pass reads a graph and writes a better
// one.
//
// - HoistExpansion: an expansion moves behind row-wise operations and vanishes in attention, which can share
//   keys: the context is projected once instead of once a frame or once a pixel.
// - MergeProjections: linear layers of one input become one with stacked weights; q, k and v are slices of
// it.
// - FuseNorms: silu after a group norm, and a time embedding added before it, become part of it.
// - FuseResiduals: an activation, a gate (Geglu) or an addition after a product becomes part of it.
// - Quantise: products by weights of 8 bits, where a layer has one tap and enough channels, and is neither of
//   the ends.
// - SetPrecision: activations and matrix weights become bf16; biases, sums and both ends stay f32.
// - Prune: nodes that reach no output go.
//
// No pass touches a number: a graph names its weights, and what a pass derives from them (a cast, a stack) is
// written as nodes that are fixed (graph.h), which a plan computes once instead of at every run
// (fold_constants). Every pass keeps inputs, outputs and meaning, is deterministic, and takes O(nodes).
// PassOptions switches each of them off, so that a benchmark can say what it is worth. The article that lists
// these ("How Meta animates AI-generated photos at scale", 2024) calls the second temporal-attention
// expansion and the others graph freezing.
#ifndef RINGWAY_ENGINE_PASSES_PASSES_H_
#define RINGWAY_ENGINE_PASSES_PASSES_H_

#include "absl/status/statusor.h"
#include "engine/graph/graph.h"

namespace ringway::engine {

struct PassOptions {
  DType precision = DType::kF32;
  // Of the products that can be; everything else is in `precision`.
  Quantisation quantisation = Quantisation::kNone;
  // In bf16, sums of a residual stay f32 where all that read them can: not rounded from one to the next.
  bool wide_sums = true;
  bool fold_constants = true;  // what depends on weights alone is computed when a plan is bound to them
  bool hoist_expansion = true;
  // Fewer, larger products, but slices for attention to read: measured slower on CPUs, so off.
  bool merge_projections = false;
  bool fuse = true;
};

absl::StatusOr<Graph> HoistExpansion(const Graph& graph);
absl::StatusOr<Graph> MergeProjections(const Graph& graph);
absl::StatusOr<Graph> FuseNorms(const Graph& graph);
absl::StatusOr<Graph> FuseResiduals(const Graph& graph);
absl::StatusOr<Graph> Quantise(const Graph& graph, Quantisation quantisation);
absl::StatusOr<Graph> SetPrecision(const Graph& graph, DType precision, bool wide_sums);
absl::StatusOr<Graph> Prune(const Graph& graph);

// All that are switched on. Fails when the graph has failed.
absl::StatusOr<Graph> Optimise(const Graph& graph, const PassOptions& options);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PASSES_PASSES_H_
