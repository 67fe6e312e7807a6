// Writes down what a router's machine is told, with the time, and a digest of what it does about it.
//
// A journal is one life: it begins with the machine's settings and fleet, because the state of a router in
// mid-life is thousands of jobs, and it ends when the router ends, when the bound is reached, or when the
// disk cannot keep up; the log says which. Earlier lives are kept as far as the bound allows. Replaying it
// (replay.h) gives the same actions or names the first that differs.
//
// What it costs: a copy of each event as bytes, a digest of its actions; a thread of its own writes. Bounds:
// bytes_max on disk, half of it for this life; kPendingMax in memory. Threads: Note from the machine's
// thread; destroying it writes what is pending.
#ifndef RINGWAY_ROUTER_JOURNAL_RECORDER_H_
#define RINGWAY_ROUTER_JOURNAL_RECORDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "core/fleet.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/router_machine.h"
#include "runtime/log.h"

namespace ringway::router::journal {

// 1: reports did not count what held workers; 2: a failed lease did not tell how far it got; 4: regions had
// no thresholds of their own; 5: reports did not count what came of the jobs that entered
inline constexpr std::uint32_t kVersion = 6;
// The first bytes of every router's journal.
inline constexpr char kTitle[] = "ringway router journal";

class Recorder {
 public:
  static constexpr std::size_t kPendingMax = std::size_t{32} << 20;

  // The life of a machine made from `settings` and `fleet`, into segments of `directory`.
  Recorder(const std::string& directory, std::uint64_t bytes_max, const RouterSettings& settings,
           const Fleet& fleet, const runtime::Logger& log);
  ~Recorder();

  // After the Step with `event`, before its actions are performed.
  void Note(absl::Time now, const RouterEvent& event, const std::vector<RouterAction>& actions);
  bool recording() const { return recording_; }

 private:
  struct Disk;
  void Flush(absl::Time now);
  void Stop(const std::string& why);

  const std::uint64_t life_bytes_max_;
  const runtime::Logger& log_;
  bool recording_ = true;
  std::uint64_t bytes_ = 0;
  std::string batch_;
  std::string actions_;  // reused
  absl::Time flushed_ = absl::InfinitePast();
  std::unique_ptr<Disk> disk_;
};

}  // namespace ringway::router::journal

#endif  // RINGWAY_ROUTER_JOURNAL_RECORDER_H_
