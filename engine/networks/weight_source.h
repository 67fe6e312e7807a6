// The place in a checkpoint whose weights a network names, by their stock names.
//
// A Scope is a graph, a source and a prefix: scope / "down_blocks" / 0 / "conv_in" names what diffusers calls
// down_blocks.0.conv_in. It adds weights to the graph by name, in the engine's layout: convolution kernels
// are stored as [out, in, height, width] and read as [out, height, width, in]. No number is read here, but
// the source is asked: a weight that is missing or has another shape fails the graph (graph.h) with a message
// that names it. Scopes are cheap values; the graph and the source must outlive them, the source no longer
// than the graph is written.
#ifndef RINGWAY_ENGINE_NETWORKS_WEIGHT_SOURCE_H_
#define RINGWAY_ENGINE_NETWORKS_WEIGHT_SOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/checkpoint/weight_source.h"
#include "engine/graph/graph.h"

namespace ringway::engine {

class Scope {
 public:
  Scope(Graph& graph, WeightSource& source, std::string prefix = "")
      : graph_(&graph), source_(&source), prefix_(std::move(prefix)) {}
  Scope operator/(std::string_view name) const;
  Scope operator/(std::int64_t index) const { return *this / std::to_string(index); }

  Graph& graph() const { return *graph_; }
  const std::string& prefix() const { return prefix_; }
  bool Has(std::string_view name) const { return source_->Has((*this / name).prefix_); }

  // The tensor of this scope's own name, or of a name below it.
  ValueId Weight(std::string_view name, const Shape& shape) const;
  // "weight" [out, in, height, width] (or, with `frames`, [out, in, height, 1, 1]) as [out, height, width,
  // in].
  ValueId ConvWeight(std::int64_t out, std::int64_t in, std::int64_t height, std::int64_t width,
                     bool frames = false) const;
  // "weight" [out, in, frames, height, width] as [out, frames, height, width, in].
  ValueId FilmConvWeight(std::int64_t out, std::int64_t in, std::int64_t frames, std::int64_t height,
                         std::int64_t width) const;
  // A table below it that is stored as [1, rows, columns], read as [rows, columns].
  ValueId Table(std::string_view name, std::int64_t rows, std::int64_t columns) const;

 private:
  ValueId Name(const std::vector<std::int64_t>& dims, WeightOp weight) const;
  Graph* graph_;
  WeightSource* source_;
  std::string prefix_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_NETWORKS_WEIGHT_SOURCE_H_
