#include "controller/planner/finding.h"

namespace ringway::planner {

std::string_view FindingKindName(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kBadInput:
      return "bad-input";
    case Finding::Kind::kStaleInput:
      return "stale-input";
    case Finding::Kind::kStepLimited:
      return "step-limited";
    case Finding::Kind::kOverloaded:
      return "overloaded";
    case Finding::Kind::kKeptPrevious:
      return "kept-previous";
  }
  return "unknown";
}

}  // namespace ringway::planner
