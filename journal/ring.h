// Writes down what a program's machine is told, with the time, and a digest of what it does about it.
//
// The journal is a ring of segments, which holds the last of what happened up to the bound. Each segment
// begins with a checkpoint of the machine (state.h), so that it can be replayed (replay.h) when those before
// it are gone. While the disk is full, cannot be written or does not keep up, nothing is recorded; then a new
// segment begins.
//
// What it costs: a copy of each event as bytes, a digest of its actions, and a checkpoint for each segment; a
// thread of its own writes, unless time waits for the disk (kWaits), as virtual time does. Bounds: bytes_max
// on disk, kPendingMax in memory. Threads: all calls from the machine's thread; destroying it writes what is
// pending.
#ifndef RINGWAY_JOURNAL_RING_H_
#define RINGWAY_JOURNAL_RING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/time.h"
#include "journal/bytes.h"
#include "runtime/log.h"

namespace ringway::journal {

// The first bytes of every journal of a program.
struct Title {
  const char* text;
  std::uint32_t version;
};

// Whether the machine goes on while the disk is busy, or waits for it and loses nothing.
enum class DiskPace : std::uint8_t { kGoesOn, kWaits };

class Ring {
 public:
  static constexpr std::size_t kPendingMax = std::size_t{32} << 20;
  // Between two tries to go on after something went wrong.
  static constexpr Duration kRetryAfter = Seconds(10);

  // What a segment begins with, after `title` and the shapes: what the machine was made from, how many events
  // it has had, its state.
  using Beginning = std::function<void(Writer& writer, std::uint64_t events)>;
  Ring(const Title& title, const std::string& directory, std::uint64_t bytes_max, Beginning beginning,
       const runtime::Logger& log, DiskPace pace = DiskPace::kGoesOn);
  ~Ring();

  // Before the machine's first step.
  void Begin(Time now) { BeginSegment(now); }
  // After the step with `event`.
  template <class Event, class Action>
  void Note(Time now, const Event& event, const std::vector<Action>& actions) {
    if (!Goes(now)) return;
    Writer writer(batch_);
    writer.Put(now);
    writer.Put(event);
    actions_.clear();
    Writer(actions_).Put(actions);
    Noted(now, actions.size());
  }
  // False: not at present.
  bool recording() const { return recording_; }
  // When what was noted should go to the disk even if nothing more happens; infinite future: it has gone.
  Time FlushAt() const;
  void Flush(Time now);

 private:
  struct Disk;
  // Counts an event; false: it is not to be noted.
  bool Goes(Time now);
  void Noted(Time now, std::uint64_t actions);
  void BeginSegment(Time now);
  void Pause(Time now, const std::string& why);

  const Title title_;
  const std::uint64_t bytes_max_;
  const Beginning beginning_;
  const runtime::Logger& log_;
  bool recording_ = false;
  Time resume_at_ = InfinitePast();
  std::string why_paused_;           // as it was last said
  std::uint64_t events_ = 0;         // of this life, recorded or not
  std::uint64_t segments_ = 0;       // begun
  std::uint64_t segment_bytes_ = 0;  // of the present segment
  std::uint64_t segment_max_ = 0;    // at which the next one begins
  std::string batch_;
  std::string actions_;  // of the last event; reused
  Time flushed_ = InfinitePast();
  std::unique_ptr<Disk> disk_;
};

}  // namespace ringway::journal

#endif  // RINGWAY_JOURNAL_RING_H_
