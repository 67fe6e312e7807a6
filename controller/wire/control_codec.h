// The streams of routers, message by message: what the node hears of one, and what is written on them besides
// maps and tables.
//
// A message that cannot be read, or is none of those that a router says, is a MessageRefused with the reason;
// it is the node that ends the stream. Orders that came with a report are read apart. How long ago earlier
// views were left is said anew whenever a directory is written, because clocks of two machines do not agree.
//
// Threads: pure functions. Complexity: linear in the message.
#ifndef RINGWAY_CONTROLLER_WIRE_CONTROL_CODEC_H_
#define RINGWAY_CONTROLLER_WIRE_CONTROL_CODEC_H_

#include <cstdint>

#include "controller/fleet/directory.h"
#include "controller/node_event.h"
#include "controller/settings.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "core/time.h"
#include "ringway/v1/control.pb.h"
#include "ringway/v1/fleet.pb.h"

namespace ringway::controller {

// RouterConnected, RouterReported, RouterAcked, or MessageRefused.
NodeEvent ReadMessage(StreamId stream, const v1::RouterMessage& message, const Fleet& fleet);

v1::Welcome EncodeWelcome(std::uint64_t epoch, const ControllerSettings& settings);

// For a router of the region, which is to read it now.
v1::Directory EncodeDirectoryAt(Time now, const Directory& directory, const Fleet& fleet, RegionId region);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_WIRE_CONTROL_CODEC_H_
