#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/topology/texts.h"
#include "topology/rtt_estimate.h"
#include "topology/topology.h"

namespace ringway {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Topology Parse(const std::string& text) {
  absl::StatusOr<Topology> topology = ParseTopology(text, "t.yaml");
  EXPECT_TRUE(topology.ok()) << topology.status();
  return topology.ok() ? *topology : Topology();
}

TEST(WorldFileTest, ReadsEveryFieldOfARegion) {
  const Topology topology = Parse(Text(kWorldText, kTierText));
  ASSERT_EQ(topology.fleet->world.regions.size(), 2u);
  const Region& paris = topology.fleet->world.regions[RegionId(0)];
  EXPECT_EQ(topology.fleet->world.name, "small");
  EXPECT_EQ(paris.name, "paris");
  EXPECT_EQ(paris.title, "Paris");
  EXPECT_EQ(paris.latitude_deg, 48.8566);
  EXPECT_EQ(paris.longitude_deg, 2.3522);
  EXPECT_EQ(paris.utc_offset_minutes, 60);
  EXPECT_EQ(paris.population_share, 0.25);
  EXPECT_EQ(topology.fleet->world.regions[RegionId(1)].title, "new-york") << "the title defaults to the name";
  EXPECT_EQ(topology.fleet->world.regions[RegionId(1)].utc_offset_minutes, -300);
}

TEST(WorldFileTest, ACanaryIsAskedForInTheWorld) {
  EXPECT_FALSE(Parse(Text(kWorldText, kTierText)).fleet->canary);
  const auto with = [](const std::string& canary) {
    return absl::StrCat(Text(kWorldText), "  canary: ", canary, "\n", Text(kTierText));
  };
  EXPECT_EQ(Parse(with("{}")).fleet->canary, (CanarySpec{.share = 0.1, .period = Minutes(10)}));
  EXPECT_EQ(Parse(with("{share: 0.5, for: 90s}")).fleet->canary,
            (CanarySpec{.share = 0.5, .period = Seconds(90)}));
  struct Case {
    const char* canary;
    const char* expected;
  };
  for (const auto& [canary, expected] :
       {Case{"{share: 0}", "t.yaml:16:19: spec.canary.share"}, Case{"{share: 0.51}", "0.5"},
        Case{"{share: 10%}", "spec.canary.share"}, Case{"{for: 9s}", "spec.canary.for"},
        Case{"{for: 25h}", "spec.canary.for"}, Case{"{for: 600}", "the unit is missing"},
        Case{"{shares: 0.1}", "did you mean \"share\""}, Case{"[0.1]", "spec.canary"}}) {
    const auto topology = ParseTopology(with(canary), "t.yaml");
    ASSERT_FALSE(topology.ok()) << canary;
    EXPECT_THAT(std::string(topology.status().message()), HasSubstr(expected)) << canary;
  }
}

TEST(WorldFileTest, EstimatesWhatIsNotMeasuredAndSaysSo) {
  const Topology topology = Parse(Text(kWorldText, kTierText));
  const RttMatrix& rtt = topology.fleet->world.rtt;
  const RegionId paris(0), new_york(1);
  EXPECT_TRUE(rtt.estimated(paris, new_york));
  EXPECT_FALSE(rtt.estimated(paris, paris));
  EXPECT_NEAR(rtt.ms(paris, new_york), 3.5 + 0.0157 * 5837, 0.5);
  EXPECT_EQ(rtt.ms(paris, new_york), rtt.ms(new_york, paris));
  EXPECT_EQ(rtt.ms(paris, paris), 0.5);
  ASSERT_FALSE(topology.remarks.empty());
  EXPECT_THAT(topology.remarks[0], HasSubstr("2 of 2 RTTs are estimated"));
}

TEST(WorldFileTest, APairCountsBothWaysUnlessTheOtherWayIsListed) {
  const std::string one_way = "  rtt: {pairs: [{from: paris, to: new-york, rttMs: 80}]}\n";
  const RttMatrix both = Parse(absl::StrCat(Text(kWorldText), one_way, Text(kTierText))).fleet->world.rtt;
  EXPECT_EQ(both.ms(RegionId(0), RegionId(1)), 80);
  EXPECT_EQ(both.ms(RegionId(1), RegionId(0)), 80);
  EXPECT_FALSE(both.estimated(RegionId(1), RegionId(0)));

  const std::string two_ways =
      "  rtt:\n    pairs:\n      - {from: paris, to: new-york, rttMs: 80}\n"
      "      - {from: new-york, to: paris, rttMs: 90}\n";
  const RttMatrix each = Parse(absl::StrCat(Text(kWorldText), two_ways, Text(kTierText))).fleet->world.rtt;
  EXPECT_EQ(each.ms(RegionId(0), RegionId(1)), 80);
  EXPECT_EQ(each.ms(RegionId(1), RegionId(0)), 90);
}

TEST(WorldFileTest, AMatrixMayLeavePairsOutAndAPairWins) {
  const std::string holes = "  rtt: {withinRegionMs: 1, matrixMs: [[~, 81], [~, 0.7]]}\n";
  const RttMatrix rtt = Parse(absl::StrCat(Text(kWorldText), holes, Text(kTierText))).fleet->world.rtt;
  EXPECT_EQ(rtt.ms(RegionId(0), RegionId(0)), 1);
  EXPECT_NEAR(rtt.ms(RegionId(1), RegionId(1)), 0.7, 1e-6);
  EXPECT_EQ(rtt.ms(RegionId(1), RegionId(0)), 81) << "taken from the other direction";
  EXPECT_FALSE(rtt.estimated(RegionId(1), RegionId(0)));

  const std::string pair =
      "  rtt: {matrixMs: [[0, 81], [81, 0]], pairs: [{from: paris, to: new-york, rttMs: 5}]}\n";
  EXPECT_EQ(Parse(absl::StrCat(Text(kWorldText), pair, Text(kTierText)))
                .fleet->world.rtt.ms(RegionId(1), RegionId(0)),
            5);
}

TEST(WorldFileTest, PopulationIsEqualWhenNobodySaysAndSumsToOne) {
  std::string text = Edited(Text(kWorldText, kTierText), "      populationShare: 0.25\n", "");
  EXPECT_THAT(ParseTopology(text, "t").status().message(), HasSubstr("populationShare on 1 of 2"));
  text = Edited(text, "      populationShare: 0.75\n", "");
  const Topology topology = Parse(text);
  EXPECT_EQ(topology.fleet->world.regions[RegionId(0)].population_share, 0.5);
}

TEST(WorldFileTest, RemarksOnRttsThatPhysicsForbidsAndOnDetours) {
  const std::string fast = "  rtt: {pairs: [{from: paris, to: new-york, rttMs: 20}]}\n";
  const Topology topology = Parse(absl::StrCat(Text(kWorldText), fast, Text(kTierText)));
  EXPECT_THAT(topology.remarks,
              Contains(HasSubstr("below the speed of light, worst paris to new-york at 20.0 ms")));

  const std::string third =
      "    - {name: london, coordinates: {latitudeDeg: 51.5, longitudeDeg: -0.1}, populationShare: 0}\n";
  const std::string slow =
      "  rtt: {pairs: [{from: paris, to: london, rttMs: 200}, {from: london, to: new-york, rttMs: 75},\n"
      "                {from: paris, to: new-york, rttMs: 85}]}\n";
  EXPECT_THAT(Parse(absl::StrCat(Text(kWorldText), third, slow, Text(kTierText))).remarks,
              Contains(HasSubstr("worst paris to london (200 ms, over new-york 160 ms)")).Times(0));
  const std::string slower = Edited(slow, "rttMs: 200", "rttMs: 400");
  EXPECT_THAT(Parse(absl::StrCat(Text(kWorldText), third, slower, Text(kTierText))).remarks,
              Contains(HasSubstr("worst paris to london (400 ms, over new-york 160 ms)")));
}

// Any set of measured pairs, one way or both: the matrix is complete, symmetric where nobody said otherwise,
// exact where somebody did, and marked exactly where nobody said anything.
TEST(WorldFileTest, RandomPairsGiveACompleteMarkedMatrix) {
  Rng rng(11);
  for (int round = 0; round < 300; ++round) {
    const std::size_t regions = 2 + rng.Below(7);
    std::string text = "apiVersion: ringway/v1\nkind: World\nmetadata: {name: w}\nspec:\n  regions:\n";
    for (std::size_t i = 0; i < regions; ++i) {
      const double latitude = rng.Uniform() * 180 - 90;
      const double longitude = rng.Uniform() * 360 - 180;
      absl::StrAppend(&text, "    - {name: r", i, ", coordinates: {latitudeDeg: ", latitude,
                      ", longitudeDeg: ", longitude, "}}\n");
    }
    std::vector<double> listed(regions * regions, -1);
    absl::StrAppend(&text, "  rtt:\n    pairs:\n");
    for (std::size_t a = 0; a < regions; ++a) {
      for (std::size_t b = 0; b < regions; ++b) {
        if (a == b || !rng.Chance(0.3)) continue;
        listed[a * regions + b] = static_cast<double>(rng.Below(300));
        absl::StrAppend(&text, "      - {from: r", a, ", to: r", b, ", rttMs: ", listed[a * regions + b],
                        "}\n");
      }
    }
    const std::string tier = Edited(Text(kTierText), "paris", "r0");
    const Topology topology = Parse(absl::StrCat(text, tier));
    ASSERT_TRUE(topology.fleet) << text;
    const RttMatrix& rtt = topology.fleet->world.rtt;
    for (std::size_t a = 0; a < regions; ++a) {
      for (std::size_t b = 0; b < regions; ++b) {
        const double there = listed[a * regions + b];
        const double back = listed[b * regions + a];
        const double ms = rtt.ms(RegionId(a), RegionId(b));
        if (a == b) continue;
        const double mirrored = rtt.ms(RegionId(b), RegionId(a));
        EXPECT_EQ(ms, there >= 0 ? there : back >= 0 ? back : mirrored);
        EXPECT_EQ(rtt.estimated(RegionId(a), RegionId(b)), there < 0 && back < 0);
      }
    }
  }
}

}  // namespace
}  // namespace ringway
