// What the planner and its estimators tell an operator beside the plan: a bad input, a limit that bit, a
// region that could not be relieved. A finding never stops anything; it says what was used instead.
//
// Bounded: at most a handful for each region and plan. Plain values. Which number was used instead, and why,
// stands in the finding's own sentence, so that no screen has to know the rules.
#ifndef RINGWAY_CONTROLLER_PLANNER_FINDING_H_
#define RINGWAY_CONTROLLER_PLANNER_FINDING_H_

#include <string>
#include <string_view>

#include "core/ids.h"

namespace ringway::planner {

struct Finding {
  enum class Kind {
    kBadInput,  // NaN, negative, absurd or missing number; what was used instead is in `detail`
    kStaleInput,
    kStepLimited,   // the row moves further next epoch
    kOverloaded,    // demand above everything reachable: levelled or shed
    kKeptPrevious,  // no sound new table; the previous one stays
  };
  Kind kind;
  RegionId region;     // invalid: the whole tier
  std::string detail;  // one sentence for a person
};
std::string_view FindingKindName(Finding::Kind kind);

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_FINDING_H_
