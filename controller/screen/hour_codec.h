// What the dashboard keeps over a restart of the controller, as bytes and back: the timeline and the events.
//
// The timeline comes first, after its length; then the events, oldest first. Events of a kind that this
// release does not know, and numbers that do not rise, are left out.
//
// Pure; linear in the bytes. Errors: DataLoss.
#ifndef RINGWAY_CONTROLLER_SCREEN_HOUR_CODEC_H_
#define RINGWAY_CONTROLLER_SCREEN_HOUR_CODEC_H_

#include <deque>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controller/screen/event_log.h"
#include "controller/screen/timeline.h"
#include "core/fleet.h"
#include "core/time.h"

namespace ringway::controller {

struct Hour {
  std::deque<Timeline::Step> steps;  // for Timeline::Restore
  std::deque<LoggedEvent> events;    // for EventLog::Restore
};

// `ahead` and `fleet` as of EncodeTimeline.
std::string EncodeHour(const Timeline& timeline, const EventLog& events, const Fleet& fleet, Duration ahead);
// As DecodeTimeline. Events keep their names and their wall-clock time, whatever the fleet is now.
absl::StatusOr<Hour> DecodeHour(std::string_view bytes, const Fleet& fleet, Time now, Duration ahead);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_HOUR_CODEC_H_
