#include "router/jobs/spill_line.h"

namespace ringway::router {

void SpillLine::OnArrival(Time now) {
  if (gate_.OnArrival(now)) alarm_ = now;
}

void SpillLine::Join(Time now, JobId job, Priority priority, Time since) {
  if (!priorities_.contains(job)) priorities_.resize(job.index() + 1);
  priorities_[job] = priority;
  dispatch::WakeHeap& line = waiting_[priority].since;
  line.Set(job.index(), since);
  if (line.first() == job.index()) alarm_ = std::min(alarm_, gate_.WorthFrom(now, since));
}

void SpillLine::Suspend(Time now, bool suspended) {
  if (suspended_ && !suspended) LookAgain(now);
  suspended_ = suspended;
}

void SpillLine::Leave(JobId job) {
  if (!priorities_.contains(job)) return;
  waiting_[priorities_[job]].since.Clear(job.index());
  for (const Waiting& line : waiting_) {
    if (!line.since.empty()) return;
  }
  alarm_ = InfiniteFuture();
}

JobId SpillLine::NextDue(Time now) {
  alarm_ = InfiniteFuture();
  for (Waiting& line : waiting_) {
    if (line.since.empty()) continue;
    const Time worth = gate_.WorthFrom(now, line.since.earliest());
    if (worth <= now) {
      alarm_ = now;  // the next may be due too
      return JobId(line.since.Pop());
    }
    alarm_ = std::min(alarm_, worth);
  }
  return JobId();
}

const dispatch::SpillTarget* SpillLine::Send(Time now, Duration waited, Duration left) {
  const dispatch::SpillTarget* const chosen = gate_.Choose(now, waited, left);
  if (chosen == nullptr) return nullptr;
  gate_.Spend(now);
  gate_.Left(chosen->region);
  return chosen;
}

void SpillLine::Came(Time now, RegionId region, Duration waited_there, bool served) {
  gate_.Came(region, now, std::max(waited_there, ZeroDuration()), served);
  LookAgain(now);
}

}  // namespace ringway::router
