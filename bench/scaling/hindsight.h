// The least GPU hours for a day that is already known, at a given p99 wait.
//
// One queue of all regions, first come first served, without distance, workers that start at once and cost
// nothing before; their number changes on the minute, and one that leaves ends its job first. That is more
// than any fleet can have.
//
// The number in each minute is chosen knowing every arrival and service time. For each minute and each number
// of workers from the most that could ever be busy in it downwards, the jobs of that minute that would wait
// longer than the p99 are counted, as a queue of that minute and the longest service before it; never
// fewer than its work keeps busy on average, because what is left over would be another minute's. Then
// workers are taken where that makes the fewest jobs late for each worker, until a hundredth of all jobs is
// late; so what a p99 allows is spent where it buys the most hours. Minutes are not independent (a line is
// carried over), so the whole day is queued with the plan, and the budget of late jobs is bisected until the
// p99 of the day is kept. Where services are as long as minutes that overrates plans, so others are tried as
// well, which are everywhere the same part of the way from the work to the most. It is the least of what was
// tried: an upper bound of the true least. The other side is the work itself, every worker always busy, which
// is printed beside it.
//
// O(jobs x numbers tried), and a dozen queues of the day.
#ifndef RINGWAY_BENCH_SCALING_HINDSIGHT_H_
#define RINGWAY_BENCH_SCALING_HINDSIGHT_H_

#include <vector>

namespace ringway::bench {

struct KnownJob {
  double at_s = 0;
  double service_s = 0;
};

struct Hindsight {
  double worker_hours = 0;
  double work_hours = 0;  // of the jobs
  double wait_p99_s = 0;
};

struct Window {  // hours and waits in [from_s, to_s)
  double from_s = 0, to_s = 0;
};

// Jobs ascending.
Hindsight LeastHours(const std::vector<KnownJob>& jobs, const Window& counted, double wait_p99_s);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_SCALING_HINDSIGHT_H_
