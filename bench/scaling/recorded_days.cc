#include "bench/scaling/recorded_days.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/rng.h"
#include "sim/demand/trace.h"

namespace ringway::bench {
namespace {

constexpr int kHoursADay = 24;
constexpr double kHourS = 3600, kShiftS = 1800;
constexpr double kSitePeak = 8;  // workers that a site may ever need
constexpr std::uint64_t kWhoPlays = 0x77686f70;

struct Job {
  double at_s = 0;  // of its day
  double service_s = 0;
};
using RecordedDay = std::vector<Job>;

absl::StatusOr<sim::Trace> ReadRecording(const RecordedSpec& spec) {
  std::ifstream file(spec.file);
  if (!file) return absl::NotFoundError(spec.file + ": cannot be read; wanted is a CSV of jobs");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  sim::TraceColumns columns = sim::TraceColumns::OnlyTimes();
  columns[sim::TraceField::kTime].name = spec.time_column;
  columns[sim::TraceField::kService].name = spec.service_column;
  auto trace = sim::ParseTraceJobs(text, spec.file, columns);
  if (!trace.ok()) return trace.status();
  if (!trace->since_1970_s || trace->service_s.empty())
    return absl::InvalidArgumentError(spec.file +
                                      ": no dates or no service times; --time and --service name "
                                      "the columns");
  return trace;
}

// Seconds from the first job to a moment when a day ends: the begin of the hour of the day with the fewest
// jobs.
double QuietestS(const sim::Trace& trace) {
  std::array<int, kHoursADay> jobs{};
  for (const double at_s : trace.offsets_s) ++jobs[static_cast<std::size_t>(std::fmod(at_s, kDayS) / kHourS)];
  return kHourS * static_cast<double>(std::min_element(jobs.begin(), jobs.end()) - jobs.begin());
}

std::vector<RecordedDay> CutIntoDays(const sim::Trace& trace) {
  const double cut_s = QuietestS(trace);
  std::map<int, RecordedDay> all;
  for (std::size_t i = 0; i < trace.offsets_s.size(); ++i) {
    if (trace.service_s[i] <= 0) continue;
    const double at_s = trace.offsets_s[i] - cut_s;
    const int day = static_cast<int>(std::floor(at_s / kDayS));
    all[day].push_back({.at_s = at_s - day * kDayS, .service_s = trace.service_s[i]});
  }
  std::vector<std::size_t> sizes;
  for (const auto& [day, jobs] : all) sizes.push_back(jobs.size());
  if (sizes.empty()) return {};
  const auto middle = sizes.begin() + std::ssize(sizes) / 2;
  std::nth_element(sizes.begin(), middle, sizes.end());
  std::vector<RecordedDay> kept;
  for (auto& [day, jobs] : all) {
    if (2 * jobs.size() >= *middle) kept.push_back(std::move(jobs));
  }
  return kept;
}

double MeanServiceS(const std::vector<RecordedDay>& days) {
  double sum_s = 0, jobs = 0;
  for (const RecordedDay& day : days) {
    for (const Job& job : day) sum_s += job.service_s;
    jobs += static_cast<double>(day.size());
  }
  return sum_s / jobs;
}

// A region's days begin with its night.
void Play(const RecordedDay& day, double begin_s, double length_s, std::vector<Job>& jobs) {
  for (const Job& job : day) {
    jobs.push_back({.at_s = std::fmod(begin_s + job.at_s + length_s, length_s), .service_s = job.service_s});
  }
}

}  // namespace

absl::StatusOr<Days> RecordedDays(const RecordedSpec& spec) {
  const auto trace = ReadRecording(spec);
  if (!trace.ok()) return trace.status();
  const std::vector<RecordedDay> recorded = CutIntoDays(*trace);
  if (recorded.empty()) return absl::InvalidArgumentError(spec.file + ": no job took any time");
  Days days;
  days.length_s = spec.days * kDayS;
  days.service_mean_s = MeanServiceS(recorded);
  std::vector<std::vector<Job>> jobs(static_cast<std::size_t>(spec.regions));
  std::vector<double> busy(jobs.size());
  DaysSpec places{.name = "recorded", .regions = spec.regions, .seed = spec.seed};
  places.busy_min = places.busy_max = kSitePeak * spec.sites / 3;
  days.fleet = MakeFleet(places, days.service_mean_s, busy);
  for (std::size_t r = 0; r < jobs.size(); ++r) {
    Rng rng(spec.seed, kWhoPlays + r);
    const double night_s = -60.0 * days.fleet->world.regions[RegionId(r)].utc_offset_minutes;
    for (int day = 0; day < spec.days; ++day) {
      for (int site = 0; site < spec.sites; ++site) {
        const double shift_s = kShiftS * (2 * rng.Uniform() - 1);
        const RecordedDay& played = recorded[rng.Below(recorded.size())];
        Play(played, day * kDayS + night_s + shift_s, days.length_s, jobs[r]);
      }
    }
  }
  for (std::vector<Job>& own : jobs) {
    std::sort(own.begin(), own.end(), [](const Job& a, const Job& b) { return a.at_s < b.at_s; });
    auto offsets = std::make_shared<std::vector<double>>();
    auto told = std::make_shared<std::vector<sim::RecordedJob>>();
    for (const Job& job : own) {
      offsets->push_back(job.at_s);
      told->push_back({.service_s = job.service_s});
    }
    days.offsets_s.push_back(std::move(offsets));
    days.jobs.push_back(std::move(told));
  }
  return days;
}

}  // namespace ringway::bench
