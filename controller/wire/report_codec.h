// What routers say, from the wire to values and back; the place that checks it.
//
// Names become ids of the fleet that the controller has loaded. A message that names what does not exist, or
// whose numbers are out of any sense, is refused as a whole with the place and what is allowed; the values of
// workers' metrics are passed on unjudged (report.h). A tier or metric that this fleet does not know is
// skipped, not refused: while a new topology spreads, routers may still speak of the old one.
//
// Encoding is the inverse; the journal and tests use it. Pure functions, linear in the message.
#ifndef RINGWAY_CONTROLLER_WIRE_REPORT_CODEC_H_
#define RINGWAY_CONTROLLER_WIRE_REPORT_CODEC_H_

#include "absl/status/statusor.h"
#include "controller/fleet/report.h"
#include "core/fleet.h"
#include "ringway/v1/control.pb.h"

namespace ringway::controller {

// Errors: InvalidArgument.
absl::StatusOr<RouterHello> DecodeHello(const v1::Hello& message, const Fleet& fleet);
absl::StatusOr<RouterReport> DecodeReport(const v1::Report& message, const Fleet& fleet);

v1::Hello EncodeHello(const RouterHello& hello, const Fleet& fleet);
v1::Report EncodeReport(const RouterReport& report, const Fleet& fleet);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_WIRE_REPORT_CODEC_H_
