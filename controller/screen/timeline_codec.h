// The timeline as bytes and back, so that a restarted controller shows the hour before.
//
// Everything is said by name and by the wall clock: the next life has another origin of its time, and may
// have loaded another topology. What is not there any more is dropped; where a tier or a region was not there
// yet, its numbers are NaN, and so null in the document. Steps that are older than an hour, or would lie
// ahead of now because a clock was put back, are left out.
//
// Pure; linear in the bytes, which are at most some 12 MB (Timeline's bounds). Errors: DataLoss.
#ifndef RINGWAY_CONTROLLER_SCREEN_TIMELINE_CODEC_H_
#define RINGWAY_CONTROLLER_SCREEN_TIMELINE_CODEC_H_

#include <deque>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controller/screen/timeline.h"
#include "core/fleet.h"
#include "core/time.h"

namespace ringway::controller {

// `ahead`: how far the wall clock is ahead of the timeline's time. `fleet`: of the timeline.
std::string EncodeTimeline(const Timeline& timeline, const Fleet& fleet, Duration ahead);

// The steps in the ids of `fleet`, oldest first, without holes, all before the step of `now`.
absl::StatusOr<std::deque<Timeline::Step>> DecodeTimeline(std::string_view bytes, const Fleet& fleet,
                                                          Time now, Duration ahead);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_TIMELINE_CODEC_H_
