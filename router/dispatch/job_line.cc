#include "router/dispatch/job_line.h"

#include "core/check.h"

namespace ringway::dispatch {

void JobLine::Join(JobId job, Priority priority) {
  if (!links_.contains(job)) links_.resize(job.index() + 1);
  RINGWAY_CHECK(!links_[job].in_line);
  Ends& ends = ends_[priority];
  links_[job] = {.before = ends.last, .after = JobId(), .priority = priority, .in_line = true};
  if (ends.last.valid()) {
    links_[ends.last].after = job;
  } else {
    ends.first = job;
  }
  ends.last = job;
  ++size_;
}

void JobLine::Leave(JobId job) {
  if (!contains(job)) return;
  Links& links = links_[job];
  Ends& ends = ends_[links.priority];
  if (links.before.valid()) {
    links_[links.before].after = links.after;
  } else {
    ends.first = links.after;
  }
  if (links.after.valid()) {
    links_[links.after].before = links.before;
  } else {
    ends.last = links.before;
  }
  links = Links();
  --size_;
}

JobId JobLine::front() const {
  for (const Ends& ends : ends_) {
    if (ends.first.valid()) return ends.first;
  }
  return JobId();
}

}  // namespace ringway::dispatch
