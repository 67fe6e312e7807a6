// The jobs of a router, by the door that they came in: gRPC calls and plain HTTP requests.
//
// There is one set of JobIds, and each that is taken belongs to one door, which performs what the machine
// wants done about that job. A door bounds its own jobs; the table bounds all of them.
//
// Invariant: an id is taken at most once at a time, by a door that outlives the table's use of it.
// Complexity: O(1) a call. Threads: the loop's.
#ifndef RINGWAY_ROUTER_JOBS_JOB_TABLE_H_
#define RINGWAY_ROUTER_JOBS_JOB_TABLE_H_

#include <cstddef>
#include <vector>

#include "core/check.h"
#include "core/ids.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router {

// Where jobs come from and their answers go. Perform is not to step the machine at once.
class JobDoor {
 public:
  virtual ~JobDoor() = default;
  virtual void Perform(const OfferToWorker& offer) = 0;
  virtual void Perform(const ForwardToRouter& forward) = 0;
  virtual void Perform(const WithdrawAttempt& withdraw) = 0;
  virtual void Perform(EndJob& end) = 0;
};

// A tier has workers of one kind; a job that came in by the other door cannot be carried to them.
inline AttemptEnded WrongDoor(const OfferToWorker& offer) {
  return {.job = offer.job,
          .attempt = offer.attempt,
          .worker = offer.worker,
          .outcome = Outcome::kRejected,
          .answered = true,
          .may_have_started = false,
          .message = "the workers of this tier do not speak the protocol of this request"};
}

class JobTable {
 public:
  explicit JobTable(std::size_t jobs_max) : doors_(jobs_max, nullptr) {
    for (std::size_t i = jobs_max; i > 0; --i) free_.push_back(JobId(i - 1));
  }

  // Invalid: every id is taken.
  JobId Take(JobDoor& door) {
    if (free_.empty()) return JobId();
    const JobId id = free_.back();
    free_.pop_back();
    doors_[id] = &door;
    return id;
  }
  // The machine has ended the job, or was never told of it.
  void Free(JobId id) {
    RINGWAY_CHECK(doors_[id] != nullptr);
    doors_[id] = nullptr;
    free_.push_back(id);
  }
  JobDoor& door(JobId id) const {
    RINGWAY_CHECK(doors_[id] != nullptr);
    return *doors_[id];
  }
  std::size_t jobs_max() const { return doors_.size(); }

 private:
  IdVector<JobId, JobDoor*> doors_;
  std::vector<JobId> free_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_JOBS_JOB_TABLE_H_
