// Writes down what a router's machine is told, with the time, and a digest of what it does about it.
//
// The journal is a ring of segments, which holds the last of what happened up to the bound. Each segment
// begins with a checkpoint of the machine (checkpoint.h), so that it can be replayed (replay.h) when those
// before it are gone; replaying gives the same actions or names the first that differs. While the disk is
// full, cannot be written or does not keep up, nothing is recorded; then a new segment begins.
//
// What it costs: a copy of each event as bytes, a digest of its actions, and a checkpoint for each segment; a
// thread of its own writes. Bounds: bytes_max on disk, kPendingMax in memory. Threads: Note from the
// machine's thread; destroying it writes what is pending.
#ifndef RINGWAY_ROUTER_JOURNAL_RECORDER_H_
#define RINGWAY_ROUTER_JOURNAL_RECORDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/fleet.h"
#include "core/time.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/router_machine.h"
#include "runtime/log.h"

namespace ringway::router::journal {

// 1: reports did not count what held workers; 2: a failed lease did not tell how far it got; 4: regions had
// no thresholds of their own; 5: reports did not count what came of the jobs that entered; 6: a segment was a
// whole life and began with a new machine; 7: times were kept to a quarter of a nanosecond; 8: a segment did
// not tell the shapes of what it holds (shape.h), so only the release that wrote it reads it
inline constexpr std::uint32_t kVersion = 9;
// The first bytes of every router's journal.
inline constexpr char kTitle[] = "ringway router journal";

class Recorder {
 public:
  static constexpr std::size_t kPendingMax = std::size_t{32} << 20;
  // Between two tries to go on after something went wrong.
  static constexpr Duration kRetryAfter = Seconds(10);

  // Of a machine made from `settings`, into segments of `directory`.
  Recorder(const std::string& directory, std::uint64_t bytes_max, const RouterSettings& settings,
           const runtime::Logger& log);
  ~Recorder();

  // The machine as it is made, before its first Step.
  void Begin(Time now, const RouterMachine& machine);
  // After the Step with `event`, before its actions are performed.
  void Note(Time now, const RouterEvent& event, const std::vector<RouterAction>& actions,
            const RouterMachine& machine);
  // False: not at present.
  bool recording() const { return recording_; }

 private:
  struct Disk;
  void BeginSegment(Time now, const RouterMachine& machine);
  void Flush(Time now);
  void Pause(Time now, const std::string& why);

  const std::uint64_t bytes_max_;
  const RouterSettings settings_;
  const runtime::Logger& log_;
  bool recording_ = false;
  Time resume_at_ = InfinitePast();
  std::string why_paused_;           // as it was last said
  std::uint64_t events_ = 0;         // of this life, recorded or not
  std::uint64_t segments_ = 0;       // begun
  std::uint64_t segment_bytes_ = 0;  // of the present segment
  std::uint64_t segment_max_ = 0;    // at which the next one begins
  std::string batch_;
  std::string actions_;  // reused
  Time flushed_ = InfinitePast();
  std::unique_ptr<Disk> disk_;
};

}  // namespace ringway::router::journal

#endif  // RINGWAY_ROUTER_JOURNAL_RECORDER_H_
