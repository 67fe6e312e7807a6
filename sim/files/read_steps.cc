#include "sim/files/read_steps.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "sim/files/scenario_file.h"
#include "topology/topology.h"

namespace ringway::sim {
namespace {

constexpr Duration kStepsLongest = Hours(24 * 366);

struct StepContext {
  const RegionNames& names;
  const Fleet& fleet;
  const ReadFile& read;
  Problems& problems;
};

RegionSet Regions(Mapping& m, const StepContext& c) { return ReadRegions(m, "regions", c.names, c.problems); }

Fault ReadKillWorkers(Mapping& m, const StepContext& c) {
  return KillWorkers{Regions(m, c), m.Number("share", 1, {0, 1}), m.Number("skip", 0, {0, 1})};
}
Fault ReadKillRouters(Mapping& m, const StepContext& c) {
  return KillRouters{Regions(m, c), static_cast<int>(m.Integer("count", 1, 1, 1000))};
}
Fault ReadRestartRouters(Mapping& m, const StepContext& c) {
  return RestartRouters{Regions(m, c), static_cast<int>(m.Integer("count", 1, 1, 1000))};
}
Fault ReadKillLeaders(Mapping& m, const StepContext& c) { return KillLeaders{Regions(m, c)}; }
Fault ReadKillRegion(Mapping& m, const StepContext& c) {
  m.Require("regions", "the regions that are lost");
  return KillRegion{Regions(m, c)};
}
Fault ReadKillController(Mapping& m, const StepContext&) {
  return KillController{.graceful = m.Flag("graceful", false)};
}
Fault ReadOrderRouters(Mapping& m, const StepContext& c) {
  return OrderRouters{Regions(m, c), m.Number("share", 0.2, {0, 1}),
                      static_cast<int>(m.Integer("cancel", 1, 0, 1000))};
}
Fault ReadDrain(Mapping& m, const StepContext& c) {
  m.Require("regions", "the regions to drain");
  return DrainRegion{Regions(m, c), m.Number("share", 1, {0, 1, true}), m.Flag("expires", false)};
}
Fault ReadPartition(Mapping& m, const StepContext& c) {
  m.Require("from", "the regions on one side");
  return Partition{ReadRegions(m, "from", c.names, c.problems), ReadRegions(m, "to", c.names, c.problems)};
}
Fault ReadDelay(Mapping& m, const StepContext& c) {
  return ExtraDelay{ReadRegions(m, "from", c.names, c.problems), ReadRegions(m, "to", c.names, c.problems),
                    m.Number("rttMs", 200, {0, 60'000})};
}
Fault ReadSlow(Mapping& m, const StepContext& c) {
  return SlowWorkers{Regions(m, c), m.Number("share", 1, {0, 1}), m.Number("factor", 3, {0.01, 1000})};
}
Fault ReadDrainWorkers(Mapping& m, const StepContext& c) {
  return DrainWorkers{Regions(m, c), m.Number("share", 1, {0, 1})};
}
Fault ReadLoseWrites(Mapping& m, const StepContext& c) {
  return LoseWrites{Regions(m, c), m.Flag("routers", true), m.Flag("controller", true),
                    m.Flag("wiped", false)};
}
Fault ReadClocks(Mapping& m, const StepContext& c) {
  return SetClocksBack{Regions(m, c), m.Number("share", 1, {0, 1}), m.Number("seconds", 3600, {0, 1e9})};
}
Fault ReadUpgrade(Mapping& m, const StepContext& c) {
  return Upgrade{Regions(m, c), m.Flag("routers", true), m.Flag("workers", true), m.Flag("controller", false),
                 m.Flag("back", false)};
}
Fault ReadWrongTier(Mapping& m, const StepContext& c) {
  return WrongTier{Regions(m, c), m.Number("share", 1, {0, 1})};
}
Fault ReadSinkhole(Mapping& m, const StepContext& c) {
  return Sinkhole{Regions(m, c), static_cast<int>(m.Integer("count", 1, 1, 1'000'000))};
}
Fault ReadStall(Mapping& m, const StepContext& c) {
  return StallWorkers{Regions(m, c), m.Number("share", 1, {0, 1})};
}
Fault ReadPause(Mapping& m, const StepContext& c) {
  return PauseRouters{Regions(m, c), static_cast<int>(m.Integer("count", 1, 1, 1000))};
}
Fault ReadBreak(Mapping& m, const StepContext& c) {
  return BreakStreams{Regions(m, c), m.Number("share", 1, {0, 1}),
                      ToDoubleSeconds(m.Span("late", ZeroDuration(), ZeroDuration(), Seconds(60)))};
}
Fault ReadFail(Mapping& m, const StepContext& c) {
  return FailJobs{Regions(m, c), static_cast<int>(m.Integer("count", 5, 1, 1'000'000))};
}
Fault ReadBad(Mapping& m, const StepContext& c) {
  return BadJobs{Regions(m, c), m.Number("share", 0.5, {0, 1})};
}
Fault ReadScale(Mapping& m, const StepContext& c) {
  return ScaleDemand{Regions(m, c), m.Number("factor", 3, {0.001, 1000})};
}
Fault ReadFreeze(Mapping& m, const StepContext& c) { return FreezeMetrics{Regions(m, c)}; }
Fault ReadThreshold(Mapping& m, const StepContext& c) {
  m.Require("value", "an overload threshold above 0 and at most 1");
  const TierId tier = ReadTierName(m, c.fleet, c.problems);
  return SetThreshold{tier, m.Number("value", 0.8, {0, 1, true})};
}

// Users, workers and routers of a simulation are those of its own topology.
bool SamePeople(const Fleet& a, const Fleet& b) {
  const auto same_region = [](const Region& x, const Region& y) { return x.name == y.name; };
  const auto same_workers = [](const TierRegion& x, const TierRegion& y) { return x.workers == y.workers; };
  const auto same_tier = [&](const Tier& x, const Tier& y) {
    return x.name == y.name && x.priorities == y.priorities &&
           std::equal(x.regions.begin(), x.regions.end(), y.regions.begin(), y.regions.end(), same_workers);
  };
  return std::equal(a.world.regions.begin(), a.world.regions.end(), b.world.regions.begin(),
                    b.world.regions.end(), same_region) &&
         std::equal(a.tiers.begin(), a.tiers.end(), b.tiers.begin(), b.tiers.end(), same_tier);
}
Fault ReadLoadTopology(Mapping& m, const StepContext& c) {
  m.Require("file", "the path of a topology file, relative to this one");
  LoadTopology load{.file = m.Text("file", ""), .fleet = nullptr};
  if (load.file.empty()) return load;
  const auto text = c.read(load.file);
  if (!text.ok()) {
    m.Report("file", "a file that can be read", std::string(text.status().message()));
    return load;
  }
  const auto topology = ParseTopology(*text, load.file);
  if (!topology.ok()) {
    m.Report("file", "a sound topology file", std::string(topology.status().message()));
  } else if (!SamePeople(c.fleet, *topology->fleet)) {
    m.Report("file", "a topology with the regions, tiers, priorities and workers of the scenario's");
  } else {
    load.fleet = topology->fleet;
  }
  return load;
}

struct FaultKind {
  std::string_view name;
  Fault (*read)(Mapping&, const StepContext&);
};

constexpr FaultKind kFaults[] = {
    {"killWorkers", ReadKillWorkers},
    {"killRouters", ReadKillRouters},
    {"restartRouters", ReadRestartRouters},
    {"killLeaders", ReadKillLeaders},
    {"killRegion", ReadKillRegion},
    {"killController", ReadKillController},
    {"drain", ReadDrain},
    {"partition", ReadPartition},
    {"delay", ReadDelay},
    {"slowWorkers", ReadSlow},
    {"drainWorkers", ReadDrainWorkers},
    {"sinkhole", ReadSinkhole},
    {"stallWorkers", ReadStall},
    {"pauseRouters", ReadPause},
    {"breakStreams", ReadBreak},
    {"failJobs", ReadFail},
    {"badJobs", ReadBad},
    {"scaleDemand", ReadScale},
    {"freezeMetrics", ReadFreeze},
    {"setThreshold", ReadThreshold},
    {"loadTopology", ReadLoadTopology},
    {"wrongTier", ReadWrongTier},
    {"loseWrites", ReadLoseWrites},
    {"setClocksBack", ReadClocks},
    {"orderRouters", ReadOrderRouters},
    {"upgrade", ReadUpgrade},
};

std::string FaultNames() {
  return absl::StrJoin(kFaults, ", ", [](std::string* out, const FaultKind& kind) {
    out->append(kind.name.data(), kind.name.size());
  });
}

void ReadStep(const Place& place, const StepContext& context, Scenario& scenario) {
  Mapping m(place, context.problems);
  ScenarioStep step;
  m.Require("at", "when the step begins, for example 120s");
  step.at_s = ToDoubleSeconds(m.Span("at", ZeroDuration(), ZeroDuration(), kStepsLongest));
  if (m.Has("for")) {
    step.lasts_s = ToDoubleSeconds(m.Span("for", kStepsLongest, Milliseconds(1), kStepsLongest));
  }
  if (m.Has("every")) {
    step.every_s = ToDoubleSeconds(m.Span("every", kStepsLongest, Milliseconds(1), kStepsLongest));
  }
  int found = 0;
  for (const FaultKind& kind : kFaults) {
    const bool here = m.Has(kind.name);
    Mapping child = m.Child(kind.name);
    if (!here) continue;
    ++found;
    step.fault = kind.read(child, context);
    child.Finish();
  }
  if (found != 1) {
    context.problems.Add(
        {m.at(), m.path(), absl::StrCat(found, " faults"), "exactly one of " + FaultNames(), ""});
  }
  if (step.every_s > 0 && step.lasts_s > step.every_s) {
    m.Report("every", "at least as long as `for`: a step must have ended before it begins again");
  }
  m.Finish();
  scenario.steps.push_back(std::move(step));
}

}  // namespace

RegionSet ReadRegions(Mapping& mapping, std::string_view key, const RegionNames& names, Problems& problems) {
  RegionSet regions;
  for (const Place& place : mapping.List(key, kRegionsMax)) {
    const RegionId region = names.Read(place, problems);
    if (region.valid()) regions.push_back(region);
  }
  return regions;
}

TierId ReadTierName(Mapping& mapping, const Fleet& fleet, Problems&) {
  if (!mapping.Has("tier")) {
    mapping.Raw("tier");  // known, though absent
    if (fleet.tiers.size() == 1) return TierId(0);
    mapping.Require("tier", "the name of a tier: the topology has several");
    return TierId();
  }
  std::vector<std::string_view> words;
  for (const Tier& tier : fleet.tiers) words.push_back(tier.name);
  return TierId(mapping.Choice("tier", 0, words));
}

void ReadSteps(Mapping& spec, const RegionNames& names, const ReadFile& read, Scenario& scenario,
               Problems& problems) {
  const StepContext context{names, *scenario.fleet, read, problems};
  for (const Place& place : spec.List("steps", kStepsMax)) ReadStep(place, context, scenario);
}

}  // namespace ringway::sim
