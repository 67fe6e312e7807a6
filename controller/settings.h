// How a controller runs: periods and bounds that are its own and not a tier's.
//
// Plain values, fixed for the life of a machine. The shell fills them from flags and checks them there:
// periods are positive. They are part of every checkpoint, because a replay must run with the periods and
// bounds of the life that it repeats.
#ifndef RINGWAY_CONTROLLER_SETTINGS_H_
#define RINGWAY_CONTROLLER_SETTINGS_H_

#include <cstddef>
#include <string>

#include "core/time.h"

namespace ringway::controller {

struct ControllerSettings {
  std::string name = "controller";
  Duration epoch_period = Seconds(1);
  Duration report_period = Seconds(1);  // asked of the routers
  // After a start or a new topology the tables in force stand until every region has reported, or this long.
  Duration settle_max = Seconds(15);
  Duration directory_grace = Seconds(10);  // a router that left stays listed this long
  Duration resend_after = Seconds(5);      // a table that was not acknowledged is sent again
  std::size_t history_max = 32;  // newest tables that can be rolled back to; older ones: table_history.h
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SETTINGS_H_
