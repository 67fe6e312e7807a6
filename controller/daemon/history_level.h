// One level of the table history: the last table of each span of time, in segment files of bounded size and
// age.
//
// A span of zero keeps every table. Else a table is written once the first one of a later span comes, so that
// what is written is what was in force when its span ended; Hold puts the waiting one back after a restart.
//
// A file (runtime/segment.h) begins with a whole table; deltas follow. A new file begins when the names
// change, the file is full, it is older than a seventh of `age_max`, the clock went back, or the process is
// new: nothing is ever written behind a tail that may be torn. Files go when the level is too large, and when
// all that is in them is older than `age_max`, as told by the newest files: a clock that jumps ahead for an
// hour does not empty the history.
//
// A file whose beginning cannot be read is set aside (`.unreadable`), one that was torn before its first
// record ended is removed; a file that is damaged further back is read up to there. Threads: one owner. Cost
// of a search: the first record of each file and one file; of a list: all files of the time that is asked
// for.
#ifndef RINGWAY_CONTROLLER_DAEMON_HISTORY_LEVEL_H_
#define RINGWAY_CONTROLLER_DAEMON_HISTORY_LEVEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/table.h"
#include "core/time.h"
#include "ringway/v1/history.pb.h"
#include "runtime/segment.h"

namespace ringway::controller {

class HistoryLevel {
 public:
  struct Limits {
    Duration span;  // zero: every table
    std::uint64_t bytes_max = 0;
    Duration age_max;
  };
  static constexpr std::uint64_t kFilesMin = 8;  // a file takes at most this part of the level

  HistoryLevel(std::string directory, const Limits& limits);

  // Once, before all else; sentences about what was set aside.
  std::vector<std::string> Check();
  // `entry` holds a whole table. Errors: what the operating system says; the next Add begins a new file.
  absl::Status Add(const v1::PastTable& entry);
  // The last table of a life that ended: it is written when its span is over, unless it is there already.
  void Hold(v1::PastTable entry);

  // With its whole table. Null: not kept.
  std::optional<v1::PastTable> Find(TableVersion version) const;
  // The newest that came into force at `at` or before.
  std::optional<v1::PastTable> FindAt(Time at) const;
  std::optional<v1::PastTable> Newest() const;
  // Those that came into force in [since, until], without their rows, in the order of writing; `notes` gets a
  // sentence about each file that is damaged.
  void List(Time since, Time until, const std::function<void(v1::PastTable)>& take,
            std::vector<std::string>& notes) const;

 private:
  struct File {
    std::string path;
    std::uint64_t bytes = 0;
    TableVersion first;
    Time first_at;
  };
  // `take` returns false when it has seen enough.
  using Take = std::function<bool(const v1::PastTable& record, const v1::RoutingTable& table)>;
  static absl::StatusOr<runtime::SegmentEnd> Read(const std::string& path, const Take& take);
  absl::Status Write(const v1::PastTable& entry);
  absl::Status Begin(const v1::PastTable& entry);
  void DropAged();
  bool Fits(const v1::PastTable& entry) const;
  // The last entry of the newest file among `files[0, end)` that `wanted` likes.
  template <class Wanted>
  std::optional<v1::PastTable> Last(std::size_t end, Wanted wanted) const;

  const std::string directory_;
  const Limits limits_;
  std::unique_ptr<runtime::SegmentWriter> writer_;
  std::vector<File> files_;               // oldest first; the one being written is the last
  std::optional<v1::RoutingTable> base_;  // last written to the open file; none: no file is open
  Time last_at_;
  std::optional<v1::PastTable> waiting_;  // of a span that is not over
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_HISTORY_LEVEL_H_
