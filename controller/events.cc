#include "controller/events.h"

namespace ringway::controller {

std::string_view TierModeName(TierMode mode) {
  switch (mode) {
    case TierMode::kActive:
      return "active";
    case TierMode::kObserve:
      return "observe";
    case TierMode::kFrozen:
      return "frozen";
  }
  return "unknown";
}

std::optional<TierMode> ParseTierMode(std::string_view name) {
  for (const TierMode mode : {TierMode::kActive, TierMode::kObserve, TierMode::kFrozen}) {
    if (TierModeName(mode) == name) return mode;
  }
  return std::nullopt;
}

}  // namespace ringway::controller
