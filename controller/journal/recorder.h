// Writes down what a machine is told and what it makes of it, without ever holding it up.
//
// Records are encoded on the machine's thread and written by a thread of their own, or by the machine's where
// time waits for the disk, as virtual time does. If that one cannot keep
// up (a slow or full disk) records are dropped, and since a journal with a hole cannot be replayed, the next
// record that fits begins a new segment with a checkpoint. A segment also ends when it has grown to
// segment_bytes_max.
//
// Bounds: pending_bytes_max in memory, total_bytes_max on disk. Threads: Event and Outcomes from the
// machine's thread; the rest is internal. Destroying it writes what is pending.
#ifndef RINGWAY_CONTROLLER_JOURNAL_RECORDER_H_
#define RINGWAY_CONTROLLER_JOURNAL_RECORDER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/events.h"
#include "controller/machine.h"
#include "core/time.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::controller {

struct JournalLimits {
  std::uint64_t segment_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t total_bytes_max = std::uint64_t{256} << 20;
  std::size_t pending_bytes_max = std::size_t{64} << 20;
  bool waits = false;  // the machine, for the disk: nothing is dropped because that is slow
};

class Recorder {
 public:
  // `topology`: the text that the machine's fleet was read from.
  Recorder(std::string directory, JournalLimits limits, std::string topology, runtime::Logger log);
  ~Recorder();

  // Before the Step with `event`; `machine` as it stands.
  void Event(Time now, const ControllerEvent& event, const ControllerMachine& machine);
  // After it.
  void Outcomes(Time now, const std::vector<ControllerAction>& actions, const Fleet& fleet);

  std::uint64_t records() const { return records_; }
  std::uint64_t dropped() const { return dropped_; }
  // Writes that the disk refused.
  std::uint64_t failures() const;

 private:
  struct Disk;
  void Append(std::string bytes);
  void BeginSegment(Time now, const ControllerMachine& machine);
  bool Send(bool begin, std::string bytes);

  JournalLimits limits_;
  std::string topology_;
  std::uint64_t segment_bytes_ = 0;
  bool begun_ = false;
  std::uint64_t records_ = 0;
  std::uint64_t dropped_ = 0;
  std::unique_ptr<Disk> disk_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_JOURNAL_RECORDER_H_
