// The whole state of a controller's machine as one message, exact to the bit.
//
// Every journal segment starts with one, so that the journal can be bounded: dropping old segments loses the
// past but never the ability to replay what is left. A machine loaded from its checkpoint makes the same
// tables from then on as the one that was saved. What only serves screens (the last plan, which findings were
// logged) is not part of it; nor is, while the directory is partial, the view that counted before: replay from
// there numbers the next one anew.
//
// Errors: InvalidArgument, with the place. Pure. Linear in the state.
#ifndef RINGWAY_CONTROLLER_JOURNAL_CHECKPOINT_H_
#define RINGWAY_CONTROLLER_JOURNAL_CHECKPOINT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "controller/machine.h"
#include "ringway/v1/journal.pb.h"

namespace ringway::controller {

inline constexpr std::uint32_t kJournalVersion = 1;
inline constexpr std::uint32_t kJournalVersionOldest = 1;

class Checkpointer {
 public:
  // `topology` is the text that machine.fleet() was read from.
  static v1::ControllerCheckpoint Save(const ControllerMachine& machine, const std::string& topology);
  static absl::StatusOr<ControllerMachine> Load(const v1::ControllerCheckpoint& checkpoint,
                                                std::shared_ptr<const Fleet> fleet);
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_JOURNAL_CHECKPOINT_H_
