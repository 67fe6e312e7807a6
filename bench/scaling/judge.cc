#include "bench/scaling/judge.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "bench/scaling/hindsight.h"
#include "bench/scaling/played.h"

namespace ringway::bench {
namespace {

std::vector<KnownJob> JobsOf(const Days& days) {
  std::vector<KnownJob> jobs;
  for (std::size_t r = 0; r < days.jobs.size(); ++r) {
    for (std::size_t i = 0; i < days.jobs[r]->size(); ++i) {
      jobs.push_back({(*days.offsets_s[r])[i], (*days.jobs[r])[i].service_s});
    }
  }
  std::sort(jobs.begin(), jobs.end(), [](const KnownJob& a, const KnownJob& b) { return a.at_s < b.at_s; });
  return jobs;
}

struct Judged {
  Played played;
  Hindsight least;       // at the p99 wait that was had
  Hindsight least_good;  // at one service time, or at what was had where that is shorter
  double ratio() const { return played.gpu_hours / least.worker_hours; }
  double ratio_good() const { return played.gpu_hours / least_good.worker_hours; }
};

Judged Judge(const std::string& cell, const Days& days, const HowPlayed& how, bool brief) {
  Judged judged;
  judged.played = Play(days, how);
  const std::vector<KnownJob> jobs = JobsOf(days);
  const double from_s = how.history_days * kDayS;
  const auto least = [&](double wait_p99_s) { return LeastHours(jobs, {from_s, days.length_s}, wait_p99_s); };
  judged.least = least(judged.played.wait_p99_s);
  judged.least_good =
      judged.played.wait_p99_s <= days.service_mean_s ? judged.least : least(days.service_mean_s);
  const Played& p = judged.played;
  if (!brief) {
    std::printf("      %-34s %8.1f %8.1f %6.3f %6.2f %8.1f %7.2f %7.3f %6.0f %6.0f %6.0f %8.4f %6.3f %7.1f\n",
                cell.c_str(), p.gpu_hours, judged.least.worker_hours, judged.ratio(), judged.least.wait_p99_s,
                judged.least.work_hours, p.wait_p99_s, p.wait_mean_s, p.starts, p.stops, p.thrash,
                p.exceeded_share, p.home_share, p.wall_s);
    std::fflush(stdout);
  }
  return judged;
}

}  // namespace

void JudgeCell(const std::string& cell, const Days& days, bool brief, std::vector<Claim>& claims) {
  const Judged judged = Judge(cell, days, HowPlayed(), brief);
  const Played& p = judged.played;
  // A p99 wait of minutes is had where a spike comes faster than workers start. Knowing it, hindsight would
  // need hardly more than the work; so such a day is held against what a good service would have cost.
  claims.push_back(AtMost(cell + ".hours_over_hindsight", judged.ratio_good(), 1.25, "x"));
  claims.push_back(Figure(cell + ".hours_over_hindsight_at_its_p99", judged.ratio(), "x"));
  claims.push_back(AtMost(cell + ".thrash", p.starts > 0 ? p.thrash / p.starts : 0, 0.01, "of starts"));
  claims.push_back(AtMost(cell + ".wait_p99", p.wait_p99_s / days.service_mean_s, 0.2, "service times"));
  if (days.even)
    claims.push_back(AtMost(cell + ".rate_above_provided", p.exceeded_share, 0.01, "of minutes"));
  const bool sound = p.sound && p.served_share == 1;
  claims.push_back(AtLeast(cell + ".sound", sound ? 1 : 0, 1, "(1: no checker complained, all served)"));
}

void PrintHead() {
  std::printf("      %-34s %8s %8s %6s %6s %8s %7s %7s %6s %6s %6s %8s %6s %7s\n", "", "GPU h", "least h",
              "ratio", "its p99", "work h", "p99 s", "mean s", "starts", "stops", "thrash", "exceeded",
              "home", "wall s");
}

void Tune(const std::string& cell, const Days& days) {
  const auto play = [&](const char* name, const auto& edit) {
    HowPlayed how;
    edit(how);
    (void)Judge(absl::StrFormat("%s %s", cell, name), days, how, false);
  };
  play("as shipped", [](HowPlayed&) {});
  play("regions alone", [](HowPlayed& how) { how.pooled = false; });
  play("overloadThreshold 0.8", [](HowPlayed& how) { how.overload_threshold = 0.8; });
  play("start-up 10 m", [](HowPlayed& how) {
    how.start_up_s = 600;
    how.scaling.start_up = Minutes(10);
  });
  play("waitTarget 0.3", [](HowPlayed& how) { how.scaling.wait_target = 0.3; });
  play("risk 0.05", [](HowPlayed& how) { how.scaling.risk = 0.05; });
  play("risk 0.5", [](HowPlayed& how) { how.scaling.risk = 0.5; });
  play("stableFor 2 m", [](HowPlayed& how) { how.scaling.stable_for = Minutes(2); });
  play("stableFor 20 m", [](HowPlayed& how) { how.scaling.stable_for = Minutes(20); });
}

}  // namespace ringway::bench
