#include "router/job_record.h"

#include <utility>

namespace ringway::router {

void JobRecord::Begin(const JobFacts& new_facts) {
  std::vector<WorkerId> kept = std::move(round);
  kept.clear();
  *this = JobRecord();
  round = std::move(kept);
  facts = new_facts;
}

void WaitingLine::Join(JobArena& jobs, JobId job) {
  Ends& ends = ends_[jobs[job].facts.priority];
  jobs[job].line_before = ends.last;
  jobs[job].line_after = JobId();
  if (ends.last.valid()) {
    jobs[ends.last].line_after = job;
  } else {
    ends.first = job;
  }
  ends.last = job;
  ++size_;
}

void WaitingLine::Leave(JobArena& jobs, JobId job) {
  JobRecord& record = jobs[job];
  Ends& ends = ends_[record.facts.priority];
  if (record.line_before.valid()) {
    jobs[record.line_before].line_after = record.line_after;
  } else {
    ends.first = record.line_after;
  }
  if (record.line_after.valid()) {
    jobs[record.line_after].line_before = record.line_before;
  } else {
    ends.last = record.line_before;
  }
  record.line_before = record.line_after = JobId();
  --size_;
}

JobId WaitingLine::front() const {
  for (const Ends& ends : ends_) {
    if (ends.first.valid()) return ends.first;
  }
  return JobId();
}

}  // namespace ringway::router
