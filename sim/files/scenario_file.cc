#include "sim/files/scenario_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/files/read_demand.h"
#include "sim/files/read_prices.h"
#include "sim/files/read_steps.h"
#include "sim/study/parameters.h"
#include "topology/envelope.h"
#include "topology/topology.h"

namespace ringway::sim {
namespace {

const std::vector<std::string_view> kKinds = {"Scenario"};
const std::vector<std::string_view> kServiceLaws = {"exponential", "fixed", "lognormal", "empirical"};
constexpr Duration kLongest = Hours(24 * 366);

double ReadSeconds(Mapping& m, std::string_view key, double fallback_s, Duration min = ZeroDuration()) {
  return ToDoubleSeconds(m.Span(key, Seconds(fallback_s), min, kLongest));
}

std::shared_ptr<const Fleet> ReadFleet(Mapping& spec, const ReadFile& read, std::string& path) {
  if (!spec.Require("topology", "the path of a topology file, relative to this one")) return nullptr;
  path = spec.Text("topology", "");
  const auto text = read(path);
  if (!text.ok()) {
    spec.Report("topology", "a file that can be read", std::string(text.status().message()));
    return nullptr;
  }
  const auto topology = ParseTopology(*text, path);
  if (!topology.ok()) {
    spec.Report("topology", "a sound topology file", std::string(topology.status().message()));
    return nullptr;
  }
  return topology->fleet;
}

ServiceLaw ReadLaw(Mapping& m, double mean_default_s) {
  const double mean_s = ReadSeconds(m, "mean", mean_default_s, Microseconds(1));
  const double cv = m.Number("cv", 0.5, {0, 100});
  std::vector<double> samples;
  for (const Place& place : m.List("samplesS", 1'000'000)) {
    double value = 0;
    if (absl::SimpleAtod(place.node->text, &value) && value > 0) samples.push_back(value);
  }
  switch (m.Choice("law", 0, kServiceLaws)) {
    case 1:
      return FixedService{mean_s};
    case 2:
      return LogNormalService{mean_s, cv};
    case 3:
      if (samples.empty()) m.Report("samplesS", "a list of measured service times in seconds, above 0");
      return EmpiricalService{samples.empty() ? std::vector<double>{mean_s} : std::move(samples)};
    default:
      return ExponentialService{mean_s};
  }
}

void ReadService(Mapping& spec, Scenario& scenario, Problems& problems) {
  for (const Tier& tier : scenario.fleet->tiers) {
    scenario.service.push_back({.law = ExponentialService{ToDoubleSeconds(tier.service_mean)}});
  }
  for (const Place& place : spec.List("service", scenario.fleet->tiers.size())) {
    Mapping m(place, problems);
    const TierId tier = ReadTierName(m, *scenario.fleet, problems);
    if (tier.valid()) {
      scenario.service[tier].law = ReadLaw(m, ToDoubleSeconds(scenario.fleet->tiers[tier].service_mean));
      scenario.service[tier].steps = static_cast<int>(m.Integer("steps", 20, 1, 1000));
    }
    m.Finish();
  }
}

void ReadNetwork(Mapping m, NetworkSpec& network) {
  network.jitter_share = m.Number("jitterShare", network.jitter_share, {0, 10});
  network.loss_share = m.Number("lossShare", network.loss_share, {0, 1});
  network.local_ms = m.Number("localMs", network.local_ms, {0, 1000});
  network.repeat_share = m.Number("repeatShare", network.repeat_share, {0, 1});
  network.late_share = m.Number("lateShare", network.late_share, {0, 1});
  m.Finish();
}

void ReadUsers(Mapping m, UserSpec& users) {
  if (m.Has("patience")) users.patience_s = ReadSeconds(m, "patience", 0, Milliseconds(1));
  users.tell_deadline = m.Flag("tellDeadline", users.tell_deadline);
  users.resubmit_share = m.Number("resubmitShare", users.resubmit_share, {0, 1});
  users.resubmit_after_s = ReadSeconds(m, "resubmitAfter", users.resubmit_after_s);
  users.keyed_share = m.Number("keyedShare", users.keyed_share, {0, 1});
  users.twice_share = m.Number("twiceShare", users.twice_share, {0, 1});
  users.leave_share = m.Number("leaveShare", users.leave_share, {0, 1});
  users.leave_after_s = ReadSeconds(m, "leaveAfter", users.leave_after_s);
  users.resubmit_max = static_cast<int>(m.Integer("resubmitMax", users.resubmit_max, 0, 1'000'000));
  m.Finish();
}

void ReadController(Mapping m, Scenario& scenario) {
  scenario.controller = m.Flag("enabled", true);
  scenario.epoch_period_s = ReadSeconds(m, "epochPeriod", 1, Milliseconds(10));
  scenario.report_period_s = ReadSeconds(m, "reportPeriod", 1, Milliseconds(10));
  m.Finish();
}

void ReadAutoscale(Mapping& spec, Scenario& scenario) {
  Mapping m = spec.Child("autoscale");
  if (!spec.Has("autoscale")) return;
  AutoscaleSpec read;
  read.start_up_s = ReadSeconds(m, "startUp", read.start_up_s, Seconds(1));
  read.every_s = ReadSeconds(m, "every", read.every_s, Seconds(1));
  read.initial_share = m.Number("initialShare", read.initial_share, {0, 1, true});
  const bool any = std::any_of(scenario.fleet->tiers.begin(), scenario.fleet->tiers.end(),
                               [](const Tier& tier) { return tier.scaling.has_value(); });
  if (!any) {
    spec.Report("autoscale", "only with a tier that has `scaling` in the topology",
                "without it the controller wants no number of workers");
  }
  m.Finish();
  scenario.autoscale = read;
}

// The parameters of studies, set in the file; demand has been read by then.
void ReadSettings(Mapping m, Scenario& scenario) {
  for (const std::string_view name : ParameterNames()) {
    if (!m.Has(name)) continue;
    const double value = m.Number(name, 0, {0, 1e12});
    const absl::Status set = SetParameter(name, value, scenario);
    if (!set.ok()) m.Report(name, "a value in its range", std::string(set.message()));
  }
  m.Finish();
}

void ReadSpec(Mapping& spec, const ReadFile& read, Scenario& scenario, Problems& problems) {
  scenario.seed = static_cast<std::uint64_t>(spec.Integer("seed", 1, 0, std::int64_t{1} << 53));
  scenario.duration_s = ReadSeconds(spec, "duration", 600, Seconds(1));
  scenario.warmup_s = ReadSeconds(spec, "warmup", 60);
  if (scenario.warmup_s >= scenario.duration_s) spec.Report("warmup", "shorter than the duration");
  scenario.routers_per_region = static_cast<int>(spec.Integer("routersPerRegion", 2, 1, 1000));
  ReadController(spec.Child("controller"), scenario);
  ReadNetwork(spec.Child("network"), scenario.network);
  ReadUsers(spec.Child("users"), scenario.users);
  scenario.fleet = ReadFleet(spec, read, scenario.topology_file);
  if (scenario.fleet == nullptr) return;  // nothing below can be judged without it
  const RegionNames names(scenario.fleet->world);
  ReadService(spec, scenario, problems);
  ReadAutoscale(spec, scenario);
  ReadPrices(spec, names, scenario, problems);
  ReadDemand(spec, names, read, scenario, problems);
  ReadSteps(spec, names, read, scenario, problems);
  ReadSettings(spec.Child("settings"), scenario);
  spec.Finish();
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(std::string_view text, const std::string& file_name,
                                       const ReadFile& read) {
  Problems problems(file_name);
  const YamlFile file = YamlFile::Parse(text, problems);
  std::vector<Envelope> envelopes = ReadEnvelopes(file, kKinds, problems);
  Scenario scenario;
  if (envelopes.size() == 1) {
    scenario.name = envelopes[0].name;
    ReadSpec(envelopes[0].spec, read, scenario, problems);
  } else if (problems.empty()) {
    problems.Add(
        {{}, "kind", absl::StrCat(envelopes.size(), " documents"), "one document of kind Scenario", ""});
  }
  if (!problems.empty()) return problems.ToStatus();
  return scenario;
}

absl::StatusOr<Scenario> LoadScenario(const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto place = [&folder](const std::string& named) {
    const std::filesystem::path relative(named);
    return relative.is_absolute() ? named : (folder / relative).string();
  };
  auto scenario =
      ParseScenario(*text, path, [&place](const std::string& named) { return ReadTextFile(place(named)); });
  if (scenario.ok()) scenario->topology_file = place(scenario->topology_file);
  return scenario;
}

}  // namespace ringway::sim
