// Picks one of n weighted choices in O(1): Walker's alias method, built by Vose's algorithm.
//
// A routing table's row says "70 % here, 30 % there"; every request samples one entry. Building sorts the
// choices into n equal columns of at most two choices each; a pick draws a column and then one of its two.
// One 64-bit draw serves both: the high half picks the column, the low half decides within it, which is exact
// to 2^-32, far below what a table's fractions mean. A weight of zero is never picked.
//
// Sources: A. J. Walker, "An efficient method for generating discrete random variables", 1977; M. D. Vose, "A
// linear algorithm for generating random numbers with a given distribution", 1991.
//
// Complexity: O(n) to build, one multiplication and at most two loads to pick. Threads: immutable once built,
// share freely.
#ifndef RINGWAY_ROUTER_DISPATCH_ALIAS_H_
#define RINGWAY_ROUTER_DISPATCH_ALIAS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/state.h"

namespace ringway::dispatch {

class AliasTable {
 public:
  // Nothing to choose from: empty() is true and Pick must not be called.
  AliasTable() = default;
  // Weights are finite and not negative; they need not sum to 1. All zero: an empty table.
  explicit AliasTable(std::span<const double> weights);

  bool empty() const { return columns_.empty(); }
  std::size_t size() const { return columns_.size(); }

  // `random` is uniform over all 64-bit values. Returns an index into the weights.
  std::uint32_t Pick(std::uint64_t random) const {
    const std::uint64_t column = ((random >> 32) * columns_.size()) >> 32;
    const Column& c = columns_[column];
    return static_cast<std::uint32_t>(random) < c.own_share ? static_cast<std::uint32_t>(column) : c.other;
  }

  RINGWAY_STATE(columns_)

 private:
  struct Column {
    std::uint32_t own_share = 0;  // of 2^32: how much of the column belongs to its own index
    std::uint32_t other = 0;      // whom the rest belongs to
    RINGWAY_STATE(own_share, other)
  };
  std::vector<Column> columns_;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_ALIAS_H_
