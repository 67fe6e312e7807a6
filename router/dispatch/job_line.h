// A line of jobs that wait: most important priority first, oldest within it.
//
// One doubly linked list for each priority, threaded through an array indexed by JobId, so that a job in the
// middle leaves in O(1), as one does whose client hangs up or whose alarm comes.
//
// Invariant: a job is in the line at most once. Bound: one entry for each JobId seen. Complexity: O(1) per
// call. One owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_JOB_LINE_H_
#define RINGWAY_ROUTER_DISPATCH_JOB_LINE_H_

#include <cstddef>

#include "core/ids.h"
#include "core/job.h"
#include "core/state.h"

namespace ringway::dispatch {

class JobLine {
 public:
  // To the end of its priority. It must not be in the line.
  void Join(JobId job, Priority priority);
  // Does nothing if it is not in the line.
  void Leave(JobId job);
  bool contains(JobId job) const { return links_.contains(job) && links_[job].in_line; }
  // Invalid when nobody waits.
  JobId front() const;
  JobId front(Priority priority) const { return ends_[priority].first; }
  std::size_t size() const { return size_; }

  RINGWAY_STATE(links_, ends_, size_)

 private:
  struct Links {
    JobId before;
    JobId after;
    Priority priority = 0;
    bool in_line = false;
    RINGWAY_STATE(before, after, priority, in_line)
  };
  struct Ends {
    JobId first;
    JobId last;
    RINGWAY_STATE(first, last)
  };
  IdVector<JobId, Links> links_;
  PerPriority<Ends> ends_;
  std::size_t size_ = 0;
};

}  // namespace ringway::dispatch

#endif  // RINGWAY_ROUTER_DISPATCH_JOB_LINE_H_
