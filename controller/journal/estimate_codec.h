// What a region's estimates have learnt, to messages of a checkpoint and back, exact to the bit.
//
// Of an earlier release's checkpoint only the demand can be used: it is taken as the held rate.
//
// Pure. O(priorities + metrics).
#ifndef RINGWAY_CONTROLLER_JOURNAL_ESTIMATE_CODEC_H_
#define RINGWAY_CONTROLLER_JOURNAL_ESTIMATE_CODEC_H_

#include "controller/planner/estimate.h"
#include "ringway/v1/journal.pb.h"

namespace ringway::controller {

v1::EstimateCheckpoint SaveEstimate(const planner::RegionEstimate::Learnt& learnt);
planner::RegionEstimate::Learnt LoadEstimate(const v1::EstimateCheckpoint& saved);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_JOURNAL_ESTIMATE_CODEC_H_
