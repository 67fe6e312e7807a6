// Requests per second that each region sends to each other region, for one tier.
//
// Sparse: a region sends to a handful of others. Rows are sorted by target; adding to a cell twice sums.
// Bound: one cell a pair of regions. Pure values without threads; adding is O(length of the row), summing
// what arrives is O(cells).
#ifndef RINGWAY_CONTROLLER_FLEET_RPS_MATRIX_H_
#define RINGWAY_CONTROLLER_FLEET_RPS_MATRIX_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/ids.h"

namespace ringway::controller {

struct TargetRps {
  RegionId target;
  double rps = 0;
  friend bool operator==(const TargetRps&, const TargetRps&) = default;
};
using RpsRow = std::vector<TargetRps>;

inline void AddTo(RpsRow& row, RegionId target, double rps) {
  const auto at = std::lower_bound(row.begin(), row.end(), target,
                                   [](const TargetRps& cell, RegionId id) { return cell.target < id; });
  if (at != row.end() && at->target == target) {
    at->rps += rps;
  } else {
    row.insert(at, {target, rps});
  }
}

using RpsMatrix = IdVector<RegionId, RpsRow>;  // by source

// What arrives at each region, from all sources.
inline IdVector<RegionId, double> ArrivingRps(const RpsMatrix& matrix) {
  IdVector<RegionId, double> arriving(matrix.size(), 0.0);
  for (const RpsRow& row : matrix) {
    for (const TargetRps& cell : row) arriving[cell.target] += cell.rps;
  }
  return arriving;
}

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_RPS_MATRIX_H_
