#include "router/dispatch/traffic_counters.h"

namespace ringway::dispatch {

void TrafficCounters::CountSent(RegionId region) {
  if (!sent.contains(region)) sent.resize(region.index() + 1);
  ++sent[region];
}

void TrafficCounters::MoveSent(RegionId from, RegionId to) {
  if (sent.contains(from) && sent[from] > 0) --sent[from];
  CountSent(to);
}

void TrafficCounters::CountEnd(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      ++done;
      break;
    case Outcome::kFailed:
      ++failed;
      break;
    case Outcome::kTimeout:
      ++timeouts;
      break;
    case Outcome::kCancelled:
      ++cancelled;
      break;
    case Outcome::kShed:
    case Outcome::kRejected:
      ++shed;
      break;
    case Outcome::kBusy:  // not an end: the job goes elsewhere, and is counted there
      break;
  }
}

void TrafficCounters::CountOwnEnd(Outcome outcome) {
  if (outcome == Outcome::kDone) ++own_done;
  if (outcome == Outcome::kShed || outcome == Outcome::kTimeout) ++own_lost;
}

TrafficCounters TrafficCounters::Take() {
  TrafficCounters taken = *this;
  const std::size_t regions = sent.size();
  *this = TrafficCounters();
  sent.resize(regions);
  return taken;
}

}  // namespace ringway::dispatch
