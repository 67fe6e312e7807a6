// The machine's events as journal records, and back.
//
// Reports are written in their wire form, so that whoever can read the wire can read the journal; names are
// resolved against the fleet that was loaded at that point of the record. Times are whole nanoseconds, which
// is what the daemon's clock gives: decoding what was encoded gives the same event, bit for bit.
//
// Errors: InvalidArgument. Pure functions.
#ifndef RINGWAY_CONTROLLER_JOURNAL_EVENT_CODEC_H_
#define RINGWAY_CONTROLLER_JOURNAL_EVENT_CODEC_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "controller/events.h"
#include "core/fleet.h"
#include "core/time.h"
#include "ringway/v1/journal.pb.h"

namespace ringway::controller {

// Reads a topology's text; given from outside, so that the journal does not depend on YAML.
using FleetReader = std::function<absl::StatusOr<std::shared_ptr<const Fleet>>(const std::string& text)>;

v1::JournalRecord EncodeEvent(Time now, const ControllerEvent& event, const Fleet& fleet);
absl::StatusOr<ControllerEvent> DecodeEvent(const v1::JournalRecord& record, const Fleet& fleet,
                                            const FleetReader& read_fleet);

// Plans made and tables sent to all; none for other actions.
std::optional<v1::JournalRecord> EncodeOutcome(Time now, const ControllerAction& action, const Fleet& fleet);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_JOURNAL_EVENT_CODEC_H_
