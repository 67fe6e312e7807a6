// Keeps a list sorted that grows by runs which mostly are sorted already.
//
// Routers report their workers in the same order every time, and mostly in order of names: looking whether a
// run is sorted, and whether it belongs behind what is there, is cheaper than sorting again. O(run) then,
// else O(list + run log run).
#ifndef RINGWAY_CONTROLLER_FLEET_MERGE_RUN_H_
#define RINGWAY_CONTROLLER_FLEET_MERGE_RUN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ringway::controller {

// [0, run) is sorted by `less`; on return all of the list is.
template <class T, class Less>
void MergeRun(std::vector<T>& list, std::size_t run, Less less) {
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(run);
  if (!std::is_sorted(middle, list.end(), less)) std::sort(middle, list.end(), less);
  if (run == 0 || middle == list.end() || !less(*middle, *(middle - 1))) return;
  std::inplace_merge(list.begin(), middle, list.end(), less);
}

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_MERGE_RUN_H_
