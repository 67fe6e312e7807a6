// The table of a router's video jobs: what each of them has come to, for how long it is kept, and who is
// told.
//
// A pure state machine: what happened goes in, what is to be done comes out. The shell around it runs the
// jobs, writes the records and answers the clients. The table decides
//   - whether another job is taken (live_max at a time, records_max in all; the oldest that is over makes
//     room);
//   - that a result is too large, before another one makes room for it;
//   - when a result is forgotten: `expiry` after its end, or earlier, oldest first, when results take more
//     than store_bytes_max;
//   - that a job of a key runs once at a time: asked for again, it is the same job, and one that failed runs
//     again under its id;
//   - what a restart means: what was not over then has failed;
//   - what goes to the store that the routers share, where there is one: each finished video, until it is
//   there;
//     and away from there with it. Results that are there make room before those that are not.
//
// Invariants: each job is in `ends_` exactly while it is over; bytes_ is the sum of what is in the store,
// growing results included; progress does not fall within a run. An event about a job that is not in the
// table, or that came too late, changes nothing. Complexity: O(log n). Bounds: records_max jobs. Threads: one
// owner. Ids sort by time, so the map is the list of the API.
#ifndef RINGWAY_GATEWAY_JOBS_JOB_TABLE_H_
#define RINGWAY_GATEWAY_JOBS_JOB_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/time.h"
#include "gateway/jobs/video.h"

namespace ringway::gateway {

struct TableLimits {
  std::size_t live_max = 1024;
  std::size_t records_max = 16384;
  std::uint64_t store_bytes_max = std::uint64_t{4} << 30;
  std::uint64_t film_bytes_max = 0;  // of one result; 0: the whole store
  Duration expiry = Hours(1);
  bool shares = false;  // there is a store that the routers share, for finished videos
};

// ---- what happens ----
struct Recovered {  // from disk, before anything else
  Video video;
};
struct Asked {  // after Admits; a job of the same id in the table runs again
  Video video;
};
struct Started {
  std::string id;
  std::string region;
  std::string worker;
};
struct Progressed {
  std::string id;
  std::uint32_t step = 0;
  std::uint32_t steps = 0;
};
struct ResultGrew {  // by so many bytes, which are in the store
  std::string id;
  std::uint64_t bytes = 0;
};
struct Ended {
  std::string id;
  Fault fault = {};      // no code: completed
  bool refused = false;  // nothing had begun
  std::string content_type = {};
  std::string note = {};
  // Of the film that was made; empty: as it was asked for.
  std::string size = {};
  std::string seconds = {};
};
struct Deleted {  // by a client
  std::string id;
};
struct Forgotten {  // it was never promised to anybody
  std::string id;
};
struct WebhookSettled {  // delivered, or given up
  std::string id;
};
struct Shared {  // record and result are in the shared store
  std::string id;
};
struct Unshared {  // nothing of it is there any more
  std::string id;
};
struct ClockPassed {};
using JobEvent = std::variant<Recovered, Asked, Started, Progressed, ResultGrew, Ended, Deleted, Forgotten,
                              WebhookSettled, Shared, Unshared, ClockPassed>;

// ---- what is to be done, in this order ----
struct KeepRecord {
  std::string id;
};
struct DropRecord {
  std::string id;
};
struct DropResult {
  std::string id;
};
struct CancelRun {
  std::string id;
};
struct CallWebhook {
  std::string id;
};
struct Share {  // a finished video: to the shared store
  std::string id;
};
struct Unshare {  // away from there
  std::string id;
};
struct Publish {  // to whoever watches
  std::string id;
  std::string_view event;  // "video.queued", ".in_progress", ".progress", ".completed", ".failed", ".deleted"
};
using JobAction =
    std::variant<KeepRecord, DropRecord, DropResult, CancelRun, CallWebhook, Share, Unshare, Publish>;

class JobTable {
 public:
  explicit JobTable(const TableLimits& limits) : limits_(limits) {}

  void Step(Time now, const JobEvent& event, std::vector<JobAction>& actions);
  Time NextWake() const;

  // Another job may be Asked for.
  bool Admits() const {
    return live_ < limits_.live_max && (jobs_.size() < limits_.records_max || !ends_.empty());
  }
  // Null: not here. A deleted one is.
  const Video* Find(const std::string& id) const;
  const Video* OfKey(const std::string& key) const;
  // Newest first (or oldest), behind `after` (empty: from the beginning), at most `count`, deleted ones left
  // out.
  std::vector<const Video*> List(const std::string& after, std::size_t count, bool oldest_first) const;

  std::size_t live() const { return live_; }
  std::size_t size() const { return jobs_.size(); }
  std::uint64_t stored_bytes() const { return bytes_; }
  const TableLimits& limits() const { return limits_; }
  std::uint64_t film_bytes_max() const {
    return limits_.film_bytes_max != 0 ? limits_.film_bytes_max : limits_.store_bytes_max;
  }

 private:
  struct Turn {
    Time now;
    std::vector<JobAction>& actions;
  };
  void On(Turn& turn, const Recovered& event);
  void On(Turn& turn, const Asked& event);
  void On(Turn& turn, const Started& event);
  void On(Turn& turn, const Progressed& event);
  void On(Turn& turn, const ResultGrew& event);
  void On(Turn& turn, const Ended& event);
  void On(Turn& turn, const Deleted& event);
  void On(Turn& turn, const Forgotten& event);
  void On(Turn& turn, const WebhookSettled& event);
  void On(Turn& turn, const Shared& event);
  void On(Turn& turn, const Unshared& event);
  void On(Turn& turn, const ClockPassed& event);

  Video* Live(const std::string& id);  // null: not here, or over
  void Finish(Turn& turn, Video& video, State state);
  void ForgetResult(Turn& turn, Video& video);
  void Remove(Turn& turn, const std::string& id);
  void MakeRoom(Turn& turn);
  void MakeRoomOf(Turn& turn, bool shared);

  TableLimits limits_;
  std::map<std::string, Video> jobs_;                    // by id
  std::map<std::string, std::string> keys_;              // key to id
  std::set<std::pair<std::int64_t, std::string>> ends_;  // (expires_s, id) of what is over
  std::size_t live_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_JOB_TABLE_H_
