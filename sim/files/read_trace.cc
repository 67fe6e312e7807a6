#include "sim/files/read_trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/rng.h"
#include "core/time.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kDealStream = 0x6465616c;  // deals rows out to regions

// ---- what the scenario says ----

TraceColumns ReadColumns(Mapping& m) {
  TraceColumns columns;
  Mapping names = m.Child("columns");
  for (std::size_t f = 0; f < kTraceFields; ++f) {
    columns.fields[f].name = names.Text(kTraceFieldNames[f], "");
  }
  names.Finish();
  Mapping units = m.Child("units");
  for (const TraceField field : {TraceField::kService, TraceField::kDeadline}) {
    columns[field].unit =
        static_cast<TraceUnit>(units.Choice(kTraceFieldNames[static_cast<std::size_t>(field)], 0,
                                            {std::begin(kTraceUnits), std::end(kTraceUnits)}));
  }
  units.Finish();
  TraceColumns::Choice& time = columns[TraceField::kTime];
  if (m.Has("column")) time.name = m.Text("column", "");
  time.unit = static_cast<TraceUnit>(m.Choice("unit", 0, {std::begin(kTraceUnits), std::end(kTraceUnits)}));
  return columns;
}

// An end of the window in seconds after the trace's first arrival: an offset such as 14h, or a date.
std::optional<double> ReadEnd(Mapping& m, std::string_view key, const Trace& trace) {
  const std::string text = m.Text(key, "");
  Duration offset;
  if (ParseDuration(text, &offset) && offset >= ZeroDuration()) return ToDoubleSeconds(offset);
  auto date = ParseTraceDate(text);
  if (!date) date = ParseTraceDate(absl::StrCat(text, " 00:00:00"));
  if (date && trace.since_1970_s) return *date - *trace.since_1970_s;
  m.Report(key, "an offset from the first arrival such as 14h, or a date such as 2023-11-16 18:15:00",
           date ? "the trace has offsets, no dates" : "");
  return std::nullopt;
}

template <class T>
void Cut(std::vector<T>& values, std::size_t first, std::size_t last) {
  if (values.empty()) return;
  values.resize(last);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
}

// Keeps what came from `from_s` to before `to_s`, and counts from there.
void CutTo(Trace& trace, double from_s, double to_s) {
  const auto place = [&](double at_s) {
    return static_cast<std::size_t>(std::lower_bound(trace.offsets_s.begin(), trace.offsets_s.end(), at_s) -
                                    trace.offsets_s.begin());
  };
  const std::size_t first = place(from_s), last = std::max(first, place(to_s));
  for (auto* values : {&trace.offsets_s, &trace.service_s, &trace.deadline_s, &trace.size}) {
    Cut(*values, first, last);
  }
  for (auto* words : {&trace.tier, &trace.tenant, &trace.priority, &trace.region})
    Cut(words->of, first, last);
  for (double& offset : trace.offsets_s) offset -= from_s;
  if (trace.since_1970_s) *trace.since_1970_s += from_s;
}

std::string ColumnsRead(const Trace& trace) {
  std::vector<std::string_view> read;
  const auto add = [&read](bool there, TraceField field) {
    if (there) read.push_back(kTraceFieldNames[static_cast<std::size_t>(field)]);
  };
  add(!trace.service_s.empty(), TraceField::kService);
  add(!trace.tier.of.empty(), TraceField::kTier);
  add(!trace.tenant.of.empty(), TraceField::kTenant);
  add(!trace.priority.of.empty(), TraceField::kPriority);
  add(!trace.deadline_s.empty(), TraceField::kDeadline);
  add(!trace.region.of.empty(), TraceField::kRegion);
  add(!trace.size.empty(), TraceField::kSize);
  return absl::StrJoin(
      read, ", ", [](std::string* out, std::string_view name) { out->append(name.data(), name.size()); });
}

std::string RemarkOn(const std::string& path, const TraceWindow& window) {
  const Trace& trace = window.trace;
  std::string remark = absl::StrFormat(
      "trace %s: %d requests in %.1f s (times read as %s), coefficient of variation of the gaps %.2f", path,
      trace.offsets_s.size(), window.length_s,
      trace.unit == TraceUnit::kFound ? "dates" : kTraceUnits[static_cast<std::size_t>(trace.unit)],
      trace.GapCv());
  if (const std::string columns = ColumnsRead(trace); !columns.empty()) {
    absl::StrAppend(&remark, "; each job's own: ", columns);
  }
  if (trace.service_s.empty() && trace.size.empty()) {
    absl::StrAppend(&remark, "; no column tells how long a job takes (`columns: {service: NAME}` names one)");
  }
  return remark;
}

// ---- from rows to arrival processes ----

// The places of a column's words among the names that are allowed.
absl::StatusOr<std::vector<std::uint32_t>> Places(const Trace& trace, const TraceWords& words,
                                                  const std::vector<std::string>& allowed, TraceField field) {
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < words.names.size(); ++i) {
    const auto at = std::find(allowed.begin(), allowed.end(), words.names[i]);
    if (at == allowed.end()) {
      const std::string_view name = kTraceFieldNames[static_cast<std::size_t>(field)];
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s:%d: column '%s' (%s): '%s'; allowed: %s; `columns: {%s: none}` leaves the column out",
          trace.file, words.lines[i], words.column, std::string(name), words.names[i].substr(0, 60),
          absl::StrJoin(allowed.begin(), allowed.begin() + std::min<std::ptrdiff_t>(30, std::ssize(allowed)),
                        ", "),
          std::string(name)));
    }
    places.push_back(static_cast<std::uint32_t>(at - allowed.begin()));
  }
  return places;
}

// A column that says whose a row is, as numbers of the fleet. Not of use: the demand says it.
struct Owner {
  const TraceWords* words = nullptr;
  std::vector<std::uint32_t> places;
  bool used() const { return words != nullptr; }
  std::uint32_t Of(std::size_t row) const { return places[words->of[row]]; }
};

absl::StatusOr<Owner> OwnerIn(const Trace& trace, const TraceWords& words,
                              const std::vector<std::string>& allowed, TraceField field) {
  Owner owner;
  if (words.of.empty()) return owner;
  auto places = Places(trace, words, allowed, field);
  if (!places.ok()) return places.status();
  owner.words = &words;
  owner.places = *std::move(places);
  return owner;
}

// Who sends what: the rows of one arrival process.
struct Rows {
  std::vector<double> offsets_s;
  std::vector<RecordedJob> jobs;
};
constexpr std::uint32_t kAnyRegion = ~std::uint32_t{0};
using RowKey = std::tuple<std::uint32_t, Priority, std::uint32_t>;  // tier, priority, region

// What the trace tells of each row besides its time.
class Jobs {
 public:
  Jobs(const Trace& trace, Scenario& scenario) : trace_(trace), first_tenant_(scenario.tenants.size()) {
    if (!trace.tenant.of.empty()) {
      scenario.tenants.insert(scenario.tenants.end(), trace.tenant.names.begin(), trace.tenant.names.end());
    }
    double sum = 0, count = 0;
    for (const double size : trace.size) {
      if (size <= 0) continue;
      sum += size;
      ++count;
    }
    if (count > 0) mean_size_ = sum / count;
  }
  bool any() const {
    return !trace_.service_s.empty() || !trace_.deadline_s.empty() || !trace_.size.empty() ||
           !trace_.tenant.of.empty();
  }
  RecordedJob Of(std::size_t row) const {
    RecordedJob job;
    if (!trace_.service_s.empty()) job.service_s = trace_.service_s[row];
    if (!trace_.deadline_s.empty()) job.deadline_s = trace_.deadline_s[row];
    if (!trace_.size.empty() && trace_.size[row] > 0) job.size = trace_.size[row] / mean_size_;
    if (!trace_.tenant.of.empty()) {
      job.tenant = static_cast<std::uint32_t>(first_tenant_ + trace_.tenant.of[row]);
    }
    return job;
  }

 private:
  const Trace& trace_;
  std::size_t first_tenant_;
  double mean_size_ = 1;
};

// Draws one of the demand's regions by their shares.
std::uint32_t Deal(const TraceDemand& demand, Rng& rng) {
  double left = rng.Uniform();
  for (std::size_t i = 0; i < demand.shares.size(); ++i) {
    left -= demand.shares[i];
    if (left < 0) return demand.regions[i].value();
  }
  // Rounding left a little; the last region that gets anything gets it.
  std::size_t last = demand.shares.size() - 1;
  while (last > 0 && demand.shares[last] <= 0) --last;
  return demand.regions[last].value();
}

class Streams {
 public:
  Streams(const TraceWindow& window, const TraceDemand& demand, Scenario& scenario)
      : window_(window), demand_(demand), scenario_(scenario), jobs_(window.trace, scenario) {}

  void Add(const RowKey& key, std::size_t row) {
    Rows& rows = rows_[key];
    rows.offsets_s.push_back(window_.trace.offsets_s[row]);
    if (jobs_.any()) rows.jobs.push_back(jobs_.Of(row));
  }

  void Finish() {
    for (auto& [key, rows] : rows_) {
      TraceArrivals law;
      law.offsets_s = std::make_shared<const std::vector<double>>(std::move(rows.offsets_s));
      if (!rows.jobs.empty())
        law.jobs = std::make_shared<const std::vector<RecordedJob>>(std::move(rows.jobs));
      if (!demand_.rate_rps) {
        law.recorded_s = window_.length_s;
        Push(key, std::get<2>(key), std::move(law));
        continue;
      }
      const double recorded_rps = static_cast<double>(window_.trace.offsets_s.size()) / window_.length_s;
      law.length_s = window_.length_s;
      law.shared = *demand_.rate_rps > recorded_rps;
      law.scale = *demand_.rate_rps / recorded_rps;
      if (std::get<2>(key) != kAnyRegion) {
        Push(key, std::get<2>(key), std::move(law));
        continue;
      }
      for (std::size_t i = 0; i < demand_.regions.size(); ++i) {
        TraceArrivals part = law;
        part.scale *= demand_.shares[i];
        if (part.scale > 0) Push(key, demand_.regions[i].value(), std::move(part));
      }
    }
  }

 private:
  void Push(const RowKey& key, std::uint32_t region, TraceArrivals law) {
    if (scenario_.demand.size() >= kDemandsMax) return;
    scenario_.demand.push_back({.tier = TierId(std::get<0>(key)),
                                .region = RegionId(region),
                                .priority = std::get<1>(key),
                                .law = std::move(law)});
  }

  const TraceWindow& window_;
  const TraceDemand& demand_;
  Scenario& scenario_;
  Jobs jobs_;
  std::map<RowKey, Rows> rows_;
};

std::vector<std::string> TierNames(const Fleet& fleet) {
  std::vector<std::string> names;
  for (const Tier& tier : fleet.tiers) names.push_back(tier.name);
  return names;
}

std::vector<std::string> RegionNamesOf(const Fleet& fleet) {
  std::vector<std::string> names;
  for (const Region& region : fleet.world.regions) names.push_back(region.name);
  return names;
}

}  // namespace

std::optional<double> RecordedServiceMeanS(const Trace& trace) {
  double sum = 0, count = 0;
  for (const double service_s : trace.service_s) {
    if (service_s < 0) continue;
    sum += service_s;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<TraceWindow> ReadTraceWindow(Mapping& m, const ReadFile& read, Scenario& scenario) {
  m.Require("file", "the path of a CSV file, relative to this one");
  const std::string path = m.Text("file", "");
  TraceColumns columns = ReadColumns(m);
  // What the demand says itself goes before a column that nobody named, and where the fleet leaves no choice,
  // names of another fleet do no harm.
  const auto leave = [&](bool known, TraceField field) {
    if (known && columns[field].name.empty()) columns[field].name = std::string(TraceColumns::kLeftOut);
  };
  const Fleet& fleet = *scenario.fleet;
  const bool one_priority = std::all_of(fleet.tiers.begin(), fleet.tiers.end(),
                                        [](const Tier& tier) { return tier.priorities.size() == 1; });
  leave(m.Has("tier") || fleet.tiers.size() == 1, TraceField::kTier);
  leave(m.Has("priority") || one_priority, TraceField::kPriority);
  leave(m.Has("regions") || m.Has("split") || fleet.world.regions.size() == 1, TraceField::kRegion);
  const bool has_from = m.Has("from"), has_to = m.Has("to");
  for (const std::string_view key : {"from", "to"}) m.Raw(key);  // known, also where the file cannot be read
  if (path.empty()) return std::nullopt;
  const auto text = read(path);
  if (!text.ok()) {
    m.Report("file", "a CSV file that can be read", std::string(text.status().message()));
    return std::nullopt;
  }
  auto trace = ParseTraceJobs(*text, path, columns);
  if (!trace.ok()) {
    m.Report("file", "a trace with a time column", std::string(trace.status().message()));
    return std::nullopt;
  }
  TraceWindow window{.trace = *std::move(trace)};
  const auto from_s = has_from ? ReadEnd(m, "from", window.trace) : std::optional(0.0);
  const double last_s = window.trace.offsets_s.back();
  const auto to_s = has_to ? ReadEnd(m, "to", window.trace) : std::optional(last_s);
  if (!from_s || !to_s) return std::nullopt;
  window.length_s = *to_s > *from_s ? *to_s - *from_s : 1;
  if (has_from || has_to) {
    CutTo(window.trace, *from_s, has_to ? *to_s : std::nextafter(last_s, HUGE_VAL));
    if (window.trace.offsets_s.empty()) {
      m.Report(has_to ? "to" : "from",
               absl::StrFormat("a window with requests in it; the trace goes from 0s to %.0fs", last_s));
      return std::nullopt;
    }
  }
  scenario.remarks.push_back(RemarkOn(path, window));
  return window;
}

absl::Status AddTraceDemand(const TraceWindow& window, const TraceDemand& demand, Scenario& scenario) {
  const Trace& trace = window.trace;
  const auto tiers = OwnerIn(trace, trace.tier, TierNames(*scenario.fleet), TraceField::kTier);
  if (!tiers.ok()) return tiers.status();
  const auto regions = OwnerIn(trace, trace.region, RegionNamesOf(*scenario.fleet), TraceField::kRegion);
  if (!regions.ok()) return regions.status();
  // Every tier has its own priorities; the words are the same in all that the trace names, or it is refused.
  const TierId first = demand.tier.valid() ? demand.tier : TierId(tiers->used() ? tiers->Of(0) : 0);
  const std::vector<std::string>& names = scenario.fleet->tiers[first].priorities;
  const auto priorities = OwnerIn(trace, trace.priority, names, TraceField::kPriority);
  if (!priorities.ok()) return priorities.status();
  Streams streams(window, demand, scenario);
  Rng deal(scenario.seed, kDealStream);
  for (std::size_t row = 0; row < trace.offsets_s.size(); ++row) {
    const std::uint32_t tier = tiers->used() ? tiers->Of(row) : first.value();
    const auto priority = priorities->used() ? static_cast<Priority>(priorities->Of(row)) : demand.priority;
    std::uint32_t region = regions->used() ? regions->Of(row) : kAnyRegion;
    if (region == kAnyRegion && !demand.rate_rps) region = Deal(demand, deal);
    if (priorities->used() && scenario.fleet->tiers[TierId(tier)].priorities != names) {
      return absl::InvalidArgumentError(
          absl::StrCat(trace.file, ": column '", trace.priority.column, "' (priority): tiers ",
                       scenario.fleet->tiers[first].name, " and ", scenario.fleet->tiers[TierId(tier)].name,
                       " have different priorities; allowed: `columns: {priority: none}`"));
    }
    streams.Add({tier, priority, region}, row);
  }
  streams.Finish();
  return absl::OkStatus();
}

}  // namespace ringway::sim
