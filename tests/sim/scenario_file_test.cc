#include "sim/files/scenario_file.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ringway::sim {
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

absl::StatusOr<Scenario> Parse(const std::string& text) {
  return ParseScenario(text, "s.yaml", [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path == "world.yaml") return std::string(kTopology);
    if (path == "t.csv") return std::string("time\n0\n1\n2\n3\n4\n");
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
  EXPECT_EQ(std::get<KillRegion>(scenario->steps[0].trouble).regions, RegionSet{RegionId(0)});
  EXPECT_EQ(scenario->steps[1].every_s, 60);
  EXPECT_THAT(scenario->remarks, testing::Contains(HasSubstr("5 requests in 4.0 s")));
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
                "2 troubles"},
           Case{"at: 100s, ", "", "when the step begins"},
           Case{"every: 60s, for: 10s", "every: 5s, for: 10s", "must have ended before"},
           Case{"factor: 2", "factor: 0", "factor"},
       }) {
    const std::string text = absl::StrReplaceAll(kScenario, {{c.from, c.to}});
    ASSERT_NE(text, kScenario) << c.from;
    const auto scenario = Parse(text);
    ASSERT_FALSE(scenario.ok()) << c.to;
    EXPECT_THAT(std::string(scenario.status().message()), HasSubstr(c.expected)) << c.to;
    EXPECT_THAT(std::string(scenario.status().message()), HasSubstr("s.yaml:")) << c.to;
  }
}

}  // namespace
}  // namespace ringway::sim
