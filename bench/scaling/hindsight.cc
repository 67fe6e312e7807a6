#include "bench/scaling/hindsight.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

namespace ringway::bench {
namespace {

constexpr double kMinuteS = 60;
constexpr double kPercentile = 0.99;
constexpr int kHalvings = 12;

// Earliest end on top.
using Ends = std::priority_queue<double, std::vector<double>, std::greater<>>;

class Day {
 public:
  Day(const std::vector<KnownJob>& jobs, const Window& counted)
      : jobs_(jobs), from_s_(counted.from_s), to_s_(counted.to_s) {
    for (const KnownJob& job : jobs) {
      before_s_ = std::max(before_s_, job.service_s);
      if (Counted(job.at_s)) {
        work_s_ += job.service_s;
        ++counted_;
      }
    }
  }

  // Of each minute: late[k] jobs with most - k workers, down to what its work keeps busy.
  struct Minute {
    int most = 0;
    int least = 1;
    double mean = 0;  // busy, if nobody waited
    std::vector<double> late;
  };
  std::vector<Minute> ByMinute(double wait_s) const {
    std::vector<Minute> minutes;
    for (double begin_s = from_s_; begin_s < to_s_; begin_s += kMinuteS) {
      Minute minute;
      minute.mean = MeanBusy(begin_s);
      minute.least = std::max(1, static_cast<int>(std::ceil(minute.mean)));
      minute.most = std::max(minute.least, MostBusy(begin_s));
      for (int n = minute.most; n >= minute.least; --n) {
        minute.late.push_back(Late(begin_s, n, wait_s));
        // A tenth of the minute's jobs late is worse than any plan would choose; a day allows a hundredth.
        if (minute.late.back() > 50 + 0.3 * Arrived(begin_s)) break;
      }
      minutes.push_back(std::move(minute));
    }
    return minutes;
  }

  // Workers by minute from from_s on, with `budget` late jobs.
  static std::vector<int> Plan(const std::vector<Minute>& minutes, double budget) {
    struct Step {
      double price = 0;  // late jobs for each worker less
      double late = 0;
      std::size_t minute = 0;
      std::size_t down = 0;  // to how many below the most
      bool operator<(const Step& other) const { return price > other.price; }
    };
    // The cheapest way further down: over several workers, where the next alone is dear.
    const auto next = [&minutes](std::size_t m, std::size_t down) {
      Step best{.price = -1};
      const std::vector<double>& late = minutes[m].late;
      for (std::size_t to = down + 1; to < late.size(); ++to) {
        const double more = std::max(0.0, late[to] - late[down]);
        const double price = more / static_cast<double>(to - down);
        if (best.price < 0 || price <= best.price) best = {price, more, m, to};
      }
      return best;
    };
    std::priority_queue<Step> steps;
    std::vector<int> plan;
    double late = 0;
    for (std::size_t m = 0; m < minutes.size(); ++m) {
      plan.push_back(minutes[m].most);
      late += minutes[m].late.front();
      if (const Step step = next(m, 0); step.price >= 0) steps.push(step);
    }
    while (!steps.empty()) {
      const Step step = steps.top();
      steps.pop();
      if (late + step.late > budget) break;
      late += step.late;
      plan[step.minute] = minutes[step.minute].most - static_cast<int>(step.down);
      if (const Step further = next(step.minute, step.down); further.price >= 0) steps.push(further);
    }
    return plan;
  }

  // Between what the work keeps busy and the most, everywhere the same part of the way up.
  static std::vector<int> Between(const std::vector<Minute>& minutes, double part) {
    std::vector<int> plan;
    for (const Minute& minute : minutes) {
      const double workers = minute.mean + part * (minute.most - minute.mean);
      plan.push_back(std::max(1, static_cast<int>(std::ceil(workers))));
    }
    return plan;
  }

  static double WorkerHours(const std::vector<int>& plan) {
    double hours = 0;
    for (const int workers : plan) hours += workers / 60.0;
    return hours;
  }

  double WaitP99(const std::vector<int>& plan) const {
    Ends ends;
    std::vector<double> waits;
    waits.reserve(counted_);
    double free_s = 0;  // nobody starts before whoever came earlier
    for (const KnownJob& job : jobs_) {
      if (job.at_s < from_s_ - before_s_ || job.at_s >= to_s_) continue;
      double t_s = std::max(job.at_s, free_s);
      while (true) {
        while (!ends.empty() && ends.top() <= t_s) ends.pop();
        const auto minute = static_cast<std::size_t>(std::max(0.0, (t_s - from_s_) / kMinuteS));
        const int workers = plan[std::min(minute, plan.size() - 1)];
        if (t_s < from_s_ || static_cast<int>(ends.size()) < workers) break;
        t_s = std::min(ends.top(), from_s_ + kMinuteS * static_cast<double>(minute + 1));
      }
      free_s = t_s;
      ends.push(t_s + job.service_s);
      if (Counted(job.at_s)) waits.push_back(t_s - job.at_s);
    }
    if (waits.empty()) return 0;
    const auto nth = static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(waits.size() - 1));
    std::nth_element(waits.begin(), waits.begin() + nth, waits.end());
    return waits[static_cast<std::size_t>(nth)];
  }

  double work_s() const { return work_s_; }
  double counted() const { return static_cast<double>(counted_); }

 private:
  bool Counted(double at_s) const { return at_s >= from_s_ && at_s < to_s_; }
  std::size_t FirstFrom(double at_s) const {
    return static_cast<std::size_t>(
        std::lower_bound(jobs_.begin(), jobs_.end(), at_s,
                         [](const KnownJob& job, double t_s) { return job.at_s < t_s; }) -
        jobs_.begin());
  }
  double Arrived(double begin_s) const {
    return static_cast<double>(FirstFrom(begin_s + kMinuteS) - FirstFrom(begin_s));
  }

  // If nobody ever waited, on average over the minute.
  double MeanBusy(double begin_s) const {
    double busy_s = 0;
    for (std::size_t i = FirstFrom(begin_s - before_s_);
         i < jobs_.size() && jobs_[i].at_s < begin_s + kMinuteS; ++i) {
      const double end_s = std::min(jobs_[i].at_s + jobs_[i].service_s, begin_s + kMinuteS);
      busy_s += std::max(0.0, end_s - std::max(jobs_[i].at_s, begin_s));
    }
    return busy_s / kMinuteS;
  }

  // If nobody ever waited.
  int MostBusy(double begin_s) const {
    Ends ends;
    std::size_t most = 0;
    for (std::size_t i = FirstFrom(begin_s - before_s_);
         i < jobs_.size() && jobs_[i].at_s < begin_s + kMinuteS; ++i) {
      while (!ends.empty() && ends.top() <= jobs_[i].at_s) ends.pop();
      ends.push(jobs_[i].at_s + jobs_[i].service_s);
      if (jobs_[i].at_s >= begin_s) most = std::max(most, ends.size());
    }
    return static_cast<int>(most);
  }

  double Late(double begin_s, int workers, double wait_s) const {
    Ends ends;
    double late = 0, free_s = 0;
    for (std::size_t i = FirstFrom(begin_s - before_s_);
         i < jobs_.size() && jobs_[i].at_s < begin_s + kMinuteS; ++i) {
      double t_s = std::max(jobs_[i].at_s, free_s);
      while (!ends.empty() && ends.top() <= t_s) ends.pop();
      while (static_cast<int>(ends.size()) >= workers) {
        t_s = ends.top();
        ends.pop();
      }
      free_s = t_s;
      ends.push(t_s + jobs_[i].service_s);
      late += jobs_[i].at_s >= begin_s && t_s - jobs_[i].at_s > wait_s;
    }
    return late;
  }

  const std::vector<KnownJob>& jobs_;
  double from_s_, to_s_;
  double before_s_ = 0;  // a minute: jobs of so long before may still run in it
  double work_s_ = 0;
  std::size_t counted_ = 0;
};

}  // namespace

Hindsight LeastHours(const std::vector<KnownJob>& jobs, const Window& counted, double wait_p99_s) {
  const Day day(jobs, counted);
  const std::vector<Day::Minute> minutes = day.ByMinute(wait_p99_s);
  // A line that is carried over makes more jobs late than were counted, so less may be spent than allowed.
  double low = 0, high = 1.2 * (1 - kPercentile) * day.counted();
  std::vector<int> best;  // nobody late but those who cannot be helped
  for (const Day::Minute& minute : minutes) best.push_back(minute.most);
  const auto keeps = [&](std::vector<int> plan) {
    if (day.WaitP99(plan) > wait_p99_s) return false;
    if (Day::WorkerHours(plan) < Day::WorkerHours(best)) best = std::move(plan);
    return true;
  };
  double part_low = 0, part_high = 1;
  for (int k = 0; k < kHalvings; ++k) {
    const double budget = (low + high) / 2, part = (part_low + part_high) / 2;
    (keeps(Day::Plan(minutes, budget)) ? low : high) = budget;
    (keeps(Day::Between(minutes, part)) ? part_high : part_low) = part;
  }
  return {.worker_hours = Day::WorkerHours(best),
          .work_hours = day.work_s() / 3600,
          .wait_p99_s = day.WaitP99(best)};
}

}  // namespace ringway::bench
