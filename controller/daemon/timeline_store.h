// Keeps the dashboard's last hour in `<state-dir>/timeline`, whole or not at all (runtime/state_file.h).
//
// Only pictures hang on it, so it is written seldom: at most every kEvery and at most kBytesPerSecondMax of
// it, by a thread of its own, and once more when the controller ends. A controller that is killed therefore
// loses the last seconds of the hour, and those only show as a part of the gap. A file that is torn, or of
// another release, is told in the log, dropped, and replaced by the next one; a disk that takes nothing is
// told once.
//
// Threads: one owner beside the internal one. Bound: one write waits, the newest.
#ifndef RINGWAY_CONTROLLER_DAEMON_TIMELINE_STORE_H_
#define RINGWAY_CONTROLLER_DAEMON_TIMELINE_STORE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/time.h"
#include "runtime/log.h"

namespace ringway::controller {

class TimelineStore {
 public:
  static constexpr Duration kEvery = Seconds(15);
  static constexpr double kBytesPerSecondMax = 64 << 10;

  TimelineStore(std::string path, runtime::Logger log);
  ~TimelineStore();

  // What was saved last; nothing where there is no sound file.
  std::optional<std::string> Load();
  // What Load gave is not what it should be: told like a torn file.
  void Drop(const absl::Status& why);
  // Whether it is time to save again.
  bool Due(Time now) const { return now >= due_; }
  // Soon; `now` is monotonic.
  void Save(Time now, std::string bytes);

 private:
  struct Disk;
  std::unique_ptr<Disk> disk_;
  Time due_ = InfinitePast();
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_TIMELINE_STORE_H_
