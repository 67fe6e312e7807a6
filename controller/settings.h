// How a controller runs: periods and bounds that are its own and not a tier's.
//
// Plain values, fixed for the life of a machine. The shell fills them from flags and checks them there:
// periods are positive. They are part of every checkpoint, because a replay must run with the periods and
// bounds of the life that it repeats.
#ifndef RINGWAY_CONTROLLER_SETTINGS_H_
#define RINGWAY_CONTROLLER_SETTINGS_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"

namespace ringway::controller {

struct ControllerSettings {
  std::string name = "controller";
  absl::Duration epoch_period = absl::Seconds(1);
  absl::Duration report_period = absl::Seconds(1);  // asked of the routers
  // After a start or a new topology the tables in force stand until every region has reported, or this long.
  absl::Duration settle_max = absl::Seconds(15);
  absl::Duration directory_grace = absl::Seconds(10);  // a router that left stays listed this long
  absl::Duration resend_after = absl::Seconds(5);      // a table that was not acknowledged is sent again
  std::size_t history_max = 32;  // newest tables that can be rolled back to; older ones: table_history.h
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SETTINGS_H_
