#include "tests/sim/blind_probing.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "core/rng.h"

namespace ringway::sim {

void JobRecorder::OnSubmitted(Time now, const Submission& submission) {
  if (jobs_.empty()) first_ = submission.serial;
  jobs_.push_back({.at_s = ToDoubleSeconds(now - UnixEpoch()), .service_s = submission.service_s});
}

void JobRecorder::OnEnded(Time, const Ending& ending) {
  jobs_[ending.serial - first_].served = ending.outcome == Outcome::kDone;
}

double ServedShare(const std::vector<SeenJob>& jobs, double from_s) {
  double counted = 0, served = 0;
  for (const SeenJob& job : jobs) {
    if (job.at_s < from_s) continue;
    ++counted;
    served += job.served;
  }
  return counted > 0 ? served / counted : 1;
}

std::vector<SeenJob> ProbeBlindly(std::vector<SeenJob> jobs, int workers, double deadline_s,
                                  std::uint64_t seed) {
  Rng rng(seed, 0x626c696e64);
  std::priority_queue<double, std::vector<double>, std::greater<>> endings;  // of the busy workers
  for (SeenJob& job : jobs) {
    while (!endings.empty() && endings.top() <= job.at_s) endings.pop();
    const int idle = workers - static_cast<int>(endings.size());
    // Which of the idle workers is found does not matter; which is asked next is drawn without repeating.
    bool found = false;
    for (int look = 0; look < std::min(kBlindProbes, workers) && !found; ++look) {
      found = static_cast<int>(rng.Below(static_cast<std::uint64_t>(workers - look))) < idle;
    }
    job.served = found && job.service_s <= deadline_s;
    if (found) endings.push(job.at_s + std::min(job.service_s, deadline_s));
  }
  return jobs;
}

}  // namespace ringway::sim
