#include "sim/files/scenario_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/sim/fuzz_world.h"

namespace ringway::sim::scenario_file_test {
namespace {

using testing::HasSubstr;

constexpr char kTopology[] = R"(
apiVersion: ringway/v1
kind: World
metadata: {name: w}
spec:
  regions:
    - {name: east, title: E, coordinates: {latitudeDeg: 0, longitudeDeg: 0}, utcOffset: "+00:00", populationShare: 0.75}
    - {name: west, title: W, coordinates: {latitudeDeg: 0, longitudeDeg: 90}, utcOffset: "-08:00", populationShare: 0.25}
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: animate}
spec:
  serviceMean: 2s
  metrics: [{name: busy, aggregation: sum, capacity: 1, capacityPer: worker}]
  rings: [{name: all, rttMsMax: 500, unlockLoad: 0.8}]
  regions:
    - {region: east, workers: 30}
    - {region: west, workers: 10}
)";

constexpr char kScenario[] = R"(apiVersion: ringway/v1
kind: Scenario
metadata: {name: example}
spec:
  topology: world.yaml
  seed: 7
  duration: 300s
  warmup: 30s
  users: {patience: 20s, resubmitShare: 0.5}
  network: {jitterShare: 0.1}
  service: [{tier: animate, law: lognormal, mean: 2s, cv: 0.5}]
  demand:
    - {law: poisson, load: 0.5}
    - {law: trace, file: t.csv, rateRps: 1, regions: [west]}
  steps:
    - {at: 100s, for: 20s, killRegion: {regions: [east]}}
    - {at: 10s, every: 60s, for: 10s, scaleDemand: {factor: 2}}
)";

constexpr char kJobs[] =
    "timestamp,duration_ms,tier,region,tenant,priority\n"
    "2024-12-03 10:00:00,1000,animate,east,a,interactive\n"
    "2024-12-03 10:00:10,3000,animate,west,b,interactive\n"
    "2024-12-03 10:00:20,,animate,east,a,interactive\n"
    "2024-12-03 10:00:40,5000,animate,east,a,interactive\n";

// The same fleet with a tier more, of two priorities, as the first then has.
std::string TwoTiers() {
  std::string one =
      absl::StrReplaceAll(kTopology, {{"serviceMean: 2s", "serviceMean: 2s\n  priorities: [high, low]"}});
  const std::string second =
      absl::StrReplaceAll(one.substr(one.rfind("---")), {{"name: animate", "name: draw"}});
  return one + second;
}

absl::StatusOr<Scenario> Parse(const std::string& text) {
  return ParseScenario(text, "s.yaml", [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path == "world.yaml") return std::string(kTopology);
    if (path == "two.yaml") return TwoTiers();
    if (path == "hotter.yaml") {
      return absl::StrReplaceAll(kTopology,
                                 {{"serviceMean: 2s", "serviceMean: 2s\n  overloadThreshold: 0.6"}});
    }
    if (path == "larger.yaml") return absl::StrReplaceAll(kTopology, {{"workers: 30", "workers: 31"}});
    if (path == "t.csv") return std::string("time\n0\n1\n2\n3\n4\n");
    if (path == "jobs.csv") return std::string(kJobs);
    if (path == "many.csv") {
      std::string text = "time_s\n";
      for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, i, "\n");
      return text;
    }
    if (path == "tiers.csv") {
      return std::string("time,model,prio\n0,animate,low\n1,draw,low\n2,draw,high\n3,draw,low\n");
    }
    return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  });
}

TEST(ScenarioFileTest, ReadsEveryPart) {
  const auto scenario = Parse(kScenario);
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->name, "example");
  EXPECT_EQ(scenario->seed, 7u);
  EXPECT_EQ(scenario->duration_s, 300);
  EXPECT_EQ(scenario->users.patience_s, 20);
  EXPECT_EQ(MeanServiceS(scenario->service[TierId(0)].law), 2);
  ASSERT_EQ(scenario->demand.size(), 3u);
  // 40 workers of 2 s serve 20 requests per second; half of that, three quarters of it in the east.
  EXPECT_NEAR(MeanRateRps(scenario->demand[0].law), 7.5, 1e-9);
  EXPECT_NEAR(MeanRateRps(scenario->demand[1].law), 2.5, 1e-9);
  EXPECT_NEAR(MeanRateRps(scenario->demand[2].law), 1, 1e-9);
  EXPECT_EQ(scenario->demand[2].region, RegionId(1));
  ASSERT_EQ(scenario->steps.size(), 2u);
  EXPECT_EQ(std::get<KillRegion>(scenario->steps[0].fault).regions, RegionSet{RegionId(0)});
  EXPECT_EQ(scenario->steps[1].every_s, 60);
  EXPECT_THAT(scenario->remarks,
              testing::Contains(testing::AllOf(
                  HasSubstr("5 requests in 4.0 s"),
                  HasSubstr("no column tells how long a job takes (`columns: {service: NAME}`"))));
}

TEST(ScenarioFileTest, PricesAreOfEveryRegionButThoseThatDiffer) {
  EXPECT_FALSE(Parse(kScenario)->prices.has_value());
  const auto scenario = Parse(absl::StrReplaceAll(
      kScenario,
      {{"  seed: 7\n",
        "  seed: 7\n  prices: {gpuHour: 2.5, egressGb: 0.02, resultBytes: 3e6, regions: [{region: west, "
        "egressGb: 0.09}]}\n"}}));
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  ASSERT_TRUE(scenario->prices.has_value());
  const Prices& prices = *scenario->prices;
  EXPECT_EQ(prices.gpu_hour.raw(), (std::vector<double>{2.5, 2.5}));
  EXPECT_EQ(prices.egress_gb.raw(), (std::vector<double>{0.02, 0.09}));
  EXPECT_EQ(prices.result_bytes, 3e6);
  EXPECT_EQ(PricesText(prices), "gpu_hour=2.5 egress_gb=0.02;0.09 result_bytes=3000000");
}

TEST(ScenarioFileTest, AStepLoadsAnotherTopology) {
  const auto scenario = Parse(
      absl::StrReplaceAll(kScenario, {{"scaleDemand: {factor: 2}", "loadTopology: {file: hotter.yaml}"}}));
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const auto& load = std::get<LoadTopology>(scenario->steps[1].fault);
  EXPECT_EQ(load.file, "hotter.yaml");
  EXPECT_EQ(load.fleet->tiers[TierId(0)].route.overload_threshold, 0.6);
}

TEST(ScenarioFileTest, UnaryCallsMayComeTwiceAndLate) {
  const auto scenario = Parse(absl::StrReplaceAll(
      kScenario, {{"jitterShare: 0.1", "jitterShare: 0.1, repeatShare: 0.25, lateShare: 0.5"}}));
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->network.repeat_share, 0.25);
  EXPECT_EQ(scenario->network.late_share, 0.5);
}

TEST(ScenarioFileTest, AStepOrdersRoutersAboutAndAnotherStopsTheController) {
  const auto read = [](const std::string& fault) {
    const auto scenario = Parse(absl::StrReplaceAll(kScenario, {{"scaleDemand: {factor: 2}", fault}}));
    EXPECT_TRUE(scenario.ok()) << scenario.status();
    return scenario->steps[1].fault;
  };
  const auto order = std::get<OrderRouters>(read("orderRouters: {regions: [west], share: 0.5, cancel: 3}"));
  EXPECT_EQ(order.regions, RegionSet{RegionId(1)});
  EXPECT_EQ(order.share, 0.5);
  EXPECT_EQ(order.cancel, 3);
  EXPECT_EQ(std::get<OrderRouters>(read("orderRouters: {}")).cancel, 1);
  EXPECT_TRUE(std::get<KillController>(read("killController: {graceful: true}")).graceful);
  EXPECT_FALSE(std::get<KillController>(read("killController: {}")).graceful);
  EXPECT_EQ(std::get<BreakStreams>(read("breakStreams: {late: 1500ms}")).late_s, 1.5);
  EXPECT_EQ(std::get<BreakStreams>(read("breakStreams: {}")).late_s, 0);
}

// What the fuzzer begins with has to be let through, or it never comes to demand, prices and steps.
TEST(ScenarioFileTest, AnUpgradeSaysWhoGoesOverAndWhichWay) {
  const auto upgrade = [](const std::string& text) {
    const auto scenario =
        Parse(absl::StrReplaceAll(kScenario, {{"scaleDemand: {factor: 2}", "upgrade: {" + text + "}"}}));
    EXPECT_TRUE(scenario.ok()) << scenario.status();
    return scenario.ok() ? std::get<Upgrade>(scenario->steps.back().fault) : Upgrade();
  };
  const Upgrade all = upgrade("");
  EXPECT_TRUE(all.regions.empty());
  EXPECT_TRUE(all.routers && all.workers);
  EXPECT_FALSE(all.controller || all.back);
  const Upgrade some =
      upgrade("regions: [west], routers: false, workers: false, controller: true, back: true");
  EXPECT_EQ(some.regions, RegionSet{RegionId(1)});
  EXPECT_FALSE(some.routers || some.workers);
  EXPECT_TRUE(some.controller && some.back);
}

TEST(ScenarioFileTest, EveryScenarioOfTheFuzzersCorpusIsReadToItsEnd) {
  int scenarios = 0;
  std::size_t steps = 0, prices = 0, traces = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(RINGWAY_SOURCE_DIR "/tests/sim/corpus/fuzz_scenario")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (text.empty() || text[0] != 's') continue;
    const auto scenario = ParseScenario(text.substr(1), entry.path().filename(), ReadFuzzFile);
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    EXPECT_FALSE(scenario->demand.empty()) << entry.path();
    ++scenarios;
    steps += scenario->steps.size();
    prices += scenario->prices.has_value();
    for (const DemandSpec& demand : scenario->demand)
      traces += std::holds_alternative<TraceArrivals>(demand.law);
  }
  EXPECT_GE(scenarios, 5);
  EXPECT_GE(steps, 20u) << "one of each kind of fault";
  EXPECT_GE(prices, 1u);
  EXPECT_GE(traces, 1u);
}

TEST(ScenarioFileTest, BrokenFilesGetALineAColumnAndARemedy) {
  struct Case {
    const char* from;
    const char* to;
    const char* expected;
  };
  for (const Case& c : {
           Case{"kind: Scenario", "kind: Scenari", "Scenario"},
           Case{"topology: world.yaml", "topology: nowhere.yaml", "s.yaml:5:"},
           Case{"topology: world.yaml", "topology: t.csv", "a sound topology file"},
           Case{"  topology: world.yaml\n", "", "spec.topology"},
           Case{"duration: 300s", "duration: 300", "the unit is missing"},
           Case{"duration: 300s", "duration: -5s", "spec.duration"},
           Case{"warmup: 30s", "warmup: 400s", "shorter than the duration"},
           Case{"seed: 7", "seed: -1", "spec.seed"},
           Case{"seed: 7", "sede: 7", "did you mean \"seed\""},
           Case{"patience: 20s", "patiense: 20s", "did you mean \"patience\""},
           Case{"  seed: 7\n", "  seed: 7\n  autoscal: {}\n", "did you mean \"autoscale\""},
           Case{"resubmitShare: 0.5", "resubmitShare: 1.5", "spec.users.resubmitShare"},
           Case{"jitterShare: 0.1", "jitterShare: x", "spec.network.jitterShare"},
           Case{"law: lognormal", "law: lognormol", "did you mean \"lognormal\""},
           Case{"tier: animate", "tier: animated", "did you mean \"animate\""},
           Case{"law: poisson, load: 0.5", "law: poisson", "exactly one of rateRps"},
           Case{"law: poisson, load: 0.5", "law: poisson, load: 0.5, rateRps: 3", "exactly one of rateRps"},
           Case{"file: t.csv", "file: u.csv", "u.csv: no such file"},
           Case{"file: t.csv, ", "", "demand[1]"},
           Case{"regions: [west]", "regions: [wets]", "did you mean \"west\""},
           Case{"killRegion: {regions: [east]}", "killRegion: {}", "the regions that are lost"},
           Case{"killRegion: {regions: [east]}", "killRegoin: {regions: [east]}",
                "exactly one of killWorkers"},
           Case{"killRegion: {regions: [east]}", "killRegion: {regions: [east]}, killController: {}",
                "2 faults"},
           Case{"at: 100s, ", "", "when the step begins"},
           Case{"every: 60s, for: 10s", "every: 5s, for: 10s", "must have ended before"},
           Case{"factor: 2", "factor: 0", "factor"},
           Case{"scaleDemand: {factor: 2}", "loadTopology: {}", "the path of a topology file"},
           Case{"scaleDemand: {factor: 2}", "loadTopology: {file: none.yaml}", "none.yaml: no such file"},
           Case{"scaleDemand: {factor: 2}", "loadTopology: {file: t.csv}", "a sound topology file"},
           Case{"scaleDemand: {factor: 2}", "loadTopology: {file: larger.yaml}", "workers of the scenario's"},
           Case{"scaleDemand: {factor: 2}", "loadTopology: {file: two.yaml}", "workers of the scenario's"},
           Case{"  seed: 7\n", "  seed: 7\n  autoscale: {startUp: 60s}\n",
                "only with a tier that has `scaling`"},
           Case{"  seed: 7\n", "  seed: 7\n  prices: {}\n", "gpuHour, egressGb or both"},
           Case{"  seed: 7\n", "  seed: 7\n  prices: {gpuHour: -1}\n", "spec.prices.gpuHour"},
           Case{"  seed: 7\n", "  seed: 7\n  prices: {gpuHuor: 1}\n", "did you mean \"gpuHour\""},
           Case{"  seed: 7\n", "  seed: 7\n  prices: {egressGb: 0.1}\n",
                "how many bytes a job's result has on average"},
           Case{"  seed: 7\n", "  seed: 7\n  prices: {gpuHour: 1, resultBytes: 5}\n",
                "only with egressGb above 0"},
           Case{"  seed: 7\n", "  seed: 7\n  prices: {gpuHour: 1, regions: [{region: wets, gpuHour: 2}]}\n",
                "did you mean \"west\""},
           Case{"  seed: 7\n",
                "  seed: 7\n  prices: {regions: [{region: west, gpuHour: 2}, {region: west, gpuHour: 3}]}\n",
                "each region once"},
       }) {
    const std::string text = absl::StrReplaceAll(kScenario, {{c.from, c.to}});
    ASSERT_NE(text, kScenario) << c.from;
    const auto scenario = Parse(text);
    ASSERT_FALSE(scenario.ok()) << c.to;
    EXPECT_THAT(std::string(scenario.status().message()), HasSubstr(c.expected)) << c.to;
    EXPECT_THAT(std::string(scenario.status().message()), HasSubstr("s.yaml:")) << c.to;
  }
}

TEST(ScenarioFileTest, AnAutoscalerForTiersThatAreScaled) {
  const std::string topology =
      absl::StrReplaceAll(kTopology, {{"  serviceMean: 2s\n", "  serviceMean: 2s\n  scaling: {}\n"}});
  const auto parse = [&](const std::string& autoscale) {
    const std::string text = absl::StrReplaceAll(
        kScenario, {{"  seed: 7\n", absl::StrCat("  seed: 7\n  autoscale: ", autoscale, "\n")}});
    return ParseScenario(text, "s.yaml", [&](const std::string& path) -> absl::StatusOr<std::string> {
      if (path == "world.yaml") return topology;
      return std::string("TIMESTAMP\n2023-11-16 18:01:00\n2023-11-16 18:01:02\n2023-11-16 18:01:04\n");
    });
  };
  const auto scenario = parse("{startUp: 240s, every: 30s, initialShare: 0.25}");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  ASSERT_TRUE(scenario->autoscale);
  EXPECT_EQ(scenario->autoscale->start_up_s, 240);
  EXPECT_EQ(scenario->autoscale->every_s, 30);
  EXPECT_EQ(scenario->autoscale->initial_share, 0.25);
  for (const char* broken : {"{startUp: 0s}", "{every: 10ms}", "{initialShare: 0}", "{startup: 3s}"}) {
    EXPECT_FALSE(parse(broken).ok()) << broken;
  }
}

// The scenario with this demand alone.
absl::StatusOr<Scenario> WithDemand(const std::string& item) {
  const std::string text = kScenario;
  const std::size_t from = text.find("    - {law: poisson"), to = text.find("  steps:");
  return Parse(absl::StrCat(text.substr(0, from), "    - ", item, "\n", text.substr(to)));
}

TEST(ScenarioFileTest, ATraceIsPlayedAsItWasRecorded) {
  const auto scenario = WithDemand("{law: trace, file: jobs.csv, rate: recorded}");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  ASSERT_EQ(scenario->demand.size(), 2u);
  const auto& east = std::get<TraceArrivals>(scenario->demand[0].law);
  EXPECT_EQ(scenario->demand[0].region, RegionId(0));
  EXPECT_EQ(*east.offsets_s, (std::vector<double>{0, 20, 40}));
  EXPECT_EQ(east.scale, 1);
  EXPECT_EQ(east.length_s, 0);  // once
  EXPECT_EQ(east.recorded_s, 40);
  EXPECT_EQ((*east.jobs)[0].service_s, 1);
  EXPECT_EQ((*east.jobs)[1].service_s, RecordedJob::kNotRecorded);
  EXPECT_EQ((*east.jobs)[2].service_s, 5);
  EXPECT_EQ(scenario->tenants, (std::vector<std::string>{"a", "b"}));
  const auto& west = std::get<TraceArrivals>(scenario->demand[1].law);
  EXPECT_EQ(*west.offsets_s, (std::vector<double>{10}));
  EXPECT_EQ((*west.jobs)[0].tenant, 1u);
  EXPECT_THAT(scenario->remarks, testing::Contains(HasSubstr("recorded service times, 3 s on average")));
}

TEST(ScenarioFileTest, AWindowOfATraceIsAnOffsetOrADate) {
  for (const char* window : {"from: 5s, to: 35s", "from: 2024-12-03 10:00:05, to: 2024-12-03 10:00:35"}) {
    const auto scenario = WithDemand(
        absl::StrCat("{law: trace, file: jobs.csv, rate: recorded, regions: [west], ", window, "}"));
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    ASSERT_EQ(scenario->demand.size(), 1u) << "the demand's regions go before a column that nobody named";
    const auto& law = std::get<TraceArrivals>(scenario->demand[0].law);
    ASSERT_EQ(law.offsets_s->size(), 2u);
    EXPECT_NEAR((*law.offsets_s)[0], 5, 1e-6) << window;
    EXPECT_NEAR(law.recorded_s, 30, 1e-6) << window;
    EXPECT_EQ((*law.jobs)[0].service_s, 3);
  }
}

TEST(ScenarioFileTest, EveryRecordedRequestIsSentOnceWhoeverSharesThem) {
  const auto scenario = WithDemand("{law: trace, file: many.csv, rate: recorded, split: capacity}");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  ASSERT_EQ(scenario->demand.size(), 2u);
  std::vector<double> all_s;
  for (const DemandSpec& demand : scenario->demand) {
    const auto& law = std::get<TraceArrivals>(demand.law);
    EXPECT_EQ(law.scale, 1);
    all_s.insert(all_s.end(), law.offsets_s->begin(), law.offsets_s->end());
  }
  EXPECT_EQ(scenario->demand[1].region, RegionId(1));
  // A quarter of the workers is in the west.
  EXPECT_NEAR(static_cast<double>(std::get<TraceArrivals>(scenario->demand[1].law).offsets_s->size()), 250,
              50);
  std::sort(all_s.begin(), all_s.end());
  ASSERT_EQ(all_s.size(), 1000u);
  for (std::size_t i = 0; i < all_s.size(); ++i) EXPECT_EQ(all_s[i], static_cast<double>(i));
}

TEST(ScenarioFileTest, ATraceAtARateKeepsItsJobs) {
  const auto scenario = WithDemand("{law: trace, file: jobs.csv, load: 0.3}");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  // 40 workers of the recorded 3 s; a quarter of the requests come from the west.
  double rate_rps = 0;
  for (const DemandSpec& demand : scenario->demand) {
    const auto& law = std::get<TraceArrivals>(demand.law);
    EXPECT_NE(law.jobs, nullptr);
    EXPECT_TRUE(law.shared);
    rate_rps += MeanRateRps(law);
  }
  EXPECT_NEAR(rate_rps, 0.3 * 40 / 3, 1e-9);
  EXPECT_NEAR(MeanRateRps(scenario->demand[1].law), rate_rps / 4, 1e-9);
}

TEST(ScenarioFileTest, EachRecordedRequestIsOfItsOwnTierAndPriority) {
  const auto parse = [](const std::string& item) {
    std::string text = kScenario;
    const std::size_t from = text.find("    - {law: poisson"), to = text.find("  steps:");
    text = absl::StrCat(text.substr(0, from), "    - ", item, "\n", text.substr(to));
    return Parse(absl::StrReplaceAll(text, {{"world.yaml", "two.yaml"}}));
  };
  const auto scenario = parse("{law: trace, file: tiers.csv, rate: recorded, regions: [east]}");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  ASSERT_EQ(scenario->demand.size(), 3u);
  EXPECT_EQ(scenario->demand[0].tier, TierId(0));
  EXPECT_EQ(scenario->demand[0].priority, 1);
  EXPECT_EQ(scenario->demand[1].tier, TierId(1));
  EXPECT_EQ(scenario->demand[1].priority, 0);
  EXPECT_EQ(scenario->demand[2].priority, 1);
  EXPECT_EQ(*std::get<TraceArrivals>(scenario->demand[2].law).offsets_s, (std::vector<double>{1, 3}));

  const auto said =
      parse("{law: trace, file: tiers.csv, rate: recorded, regions: [east], tier: draw, priority: high}");
  ASSERT_TRUE(said.ok()) << said.status();
  ASSERT_EQ(said->demand.size(), 1u);
  EXPECT_EQ(said->demand[0].tier, TierId(1));
  const auto load = parse("{law: trace, file: tiers.csv, load: 0.5}");
  ASSERT_FALSE(load.ok());
  EXPECT_THAT(std::string(load.status().message()), HasSubstr("as the trace names its tiers"));
}

TEST(ScenarioFileTest, WhatATraceMayNotSayIsNamed) {
  struct Case {
    const char* item;
    const char* expected;
  };
  for (const Case& c : {
           Case{"{law: trace, file: jobs.csv, rate: recorde}", "did you mean \"recorded\""},
           Case{"{law: trace, file: jobs.csv, rate: recorded, load: 0.5}", "left out, as `rate: recorded`"},
           Case{"{law: trace, file: jobs.csv}", "exactly one of"},
           Case{"{law: trace, file: jobs.csv, rate: recorded, from: noon}",
                "an offset from the first arrival"},
           Case{"{law: trace, file: t.csv, rate: recorded, from: 2024-12-03}", "no dates"},
           Case{"{law: trace, file: jobs.csv, rate: recorded, from: 1h}", "the trace goes from 0s to 40s"},
           Case{"{law: trace, file: jobs.csv, rate: recorded, columns: {region: tenant}}",
                "jobs.csv:2: column 'tenant' (region): 'a'; allowed: east, west"},
           Case{"{law: trace, file: jobs.csv, rate: recorded, columns: {service: gpu}}", "no column 'gpu'"},
           Case{"{law: trace, file: jobs.csv, rate: recorded, columns: {servise: none}}",
                "did you mean \"service\""},
       }) {
    const auto scenario = WithDemand(c.item);
    ASSERT_FALSE(scenario.ok()) << c.item;
    EXPECT_THAT(std::string(scenario.status().message()), HasSubstr(c.expected)) << c.item;
  }
}

}  // namespace
}  // namespace ringway::sim::scenario_file_test
