// A canary from the file that asks for it to its verdict, step by step and without a controller.
#include "controller/canary/trial.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "core/rng.h"

namespace ringway::canary {
namespace {

std::shared_ptr<Fleet> File(double threshold, bool asks = true) {
  auto fleet = std::make_shared<Fleet>();
  for (const char* name : {"paris", "oslo"}) {
    Region region;
    region.name = name;
    fleet->world.regions.push_back(region);
  }
  Tier tier;
  tier.name = "animate";
  tier.route.overload_threshold = threshold;
  tier.regions = IdVector<RegionId, TierRegion>(2, TierRegion{.workers = 10});
  fleet->tiers.push_back(tier);
  if (asks) fleet->canary = CanarySpec{.share = 0.25, .period = Seconds(60)};
  return fleet;
}

double ThresholdOf(const Fleet& fleet) { return fleet.tiers[TierId(0)].route.overload_threshold; }

class TrialTest : public ::testing::Test {
 protected:
  void Load(const std::shared_ptr<const Fleet>& file) {
    in_force_ = trial_.Load(absl::StrCat("1.", ++loaded_), *in_force_, file);
  }
  void Restart(const std::shared_ptr<const Fleet>& file) {
    const TrialState kept = trial_.state();
    trial_ = Trial();
    in_force_ = trial_.Start("2.0", kept, file);
  }

  std::vector<RouterPlace> Routers() const {
    std::vector<RouterPlace> routers;
    for (const char* region : {"paris", "oslo"}) {
      for (int i = 0; i < 4; ++i) routers.push_back({absl::StrCat(region, "-", i), region});
    }
    return routers;
  }

  // A second in which every router ends `jobs` jobs.
  std::optional<Verdict> Second(double lost_chosen = 0, double lost_rest = 0) {
    if (trial_.running()) trial_.Sent({1, ++version_});
    Presence presence{.resting = resting_};
    for (const RouterPlace& router : Routers()) {
      const bool chosen = trial_.Chosen(router.router);
      const bool heard = chosen ? chosen_heard_ : rest_heard_;
      if (chosen) presence.chosen_heard += heard;
      if (!chosen) presence.rest_heard += heard;
      presence.rest += !chosen;
      if (!heard) continue;
      trial_.Entered(router.router);
      const double lost = std::floor(jobs_ * (chosen ? lost_chosen : lost_rest) + rng_.Uniform());
      trial_.Hear(router.router, router.region, "animate", table_.value_or(TableVersion{1, version_}),
                  {jobs_ - lost, lost});
    }
    presence.chosen = static_cast<int>(trial_.state().chosen.size());
    const auto routers = trial_.WantsRouters() && routers_known_ ? Routers() : std::vector<RouterPlace>();
    return trial_.EndWindow(1, 1, presence, routers);
  }
  std::optional<Verdict> PassSeconds(int n, double lost_chosen = 0, double lost_rest = 0) {
    for (int i = 0; i < n; ++i) {
      if (auto verdict = Second(lost_chosen, lost_rest)) return verdict;
    }
    return std::nullopt;
  }
  // Loads a file that has another threshold, and measures.
  void Begin() {
    Load(File(0.3));
    EXPECT_FALSE(PassSeconds(11));
    ASSERT_TRUE(trial_.running());
  }

  Trial trial_;
  std::shared_ptr<const Fleet> in_force_ = File(0.8);
  Rng rng_{1};
  double jobs_ = 10;
  bool chosen_heard_ = true, rest_heard_ = true, routers_known_ = true;
  std::optional<TableVersion> table_;  // that routers say they have
  std::vector<std::string> resting_;
  std::uint64_t version_ = 0;
  int loaded_ = 0;
};

TEST_F(TrialTest, AFileWithoutCanaryIsInForceAtOnce) {
  Load(File(0.3, false));
  EXPECT_EQ(ThresholdOf(*in_force_), 0.3);
  EXPECT_FALSE(trial_.open());
  EXPECT_TRUE(trial_.state().in_force.empty());
}

TEST_F(TrialTest, WhatDoesNotShapeTablesNeedsNone) {
  auto file = File(0.8);
  file->tiers[TierId(0)].regions[RegionId(0)].workers = 99;
  Load(file);
  EXPECT_FALSE(trial_.open());
  EXPECT_EQ(in_force_->tiers[TierId(0)].regions[RegionId(0)].workers, 99);
}

TEST_F(TrialTest, AGoodFilePassesAfterThePeriod) {
  Load(File(0.3));
  EXPECT_EQ(ThresholdOf(*in_force_), 0.8) << "until it has passed";
  EXPECT_FALSE(PassSeconds(9, 0.02, 0.02));
  EXPECT_EQ(trial_.state().phase, Phase::kMeasuring);
  EXPECT_FALSE(PassSeconds(2, 0.02, 0.02));
  ASSERT_TRUE(trial_.running());
  EXPECT_EQ(trial_.state().chosen.size(), 2u) << "one of four in either region";
  EXPECT_EQ(trial_.state().evidence.at("animate").state().before.ended(), 8 * 11 * 10.0);
  EXPECT_FALSE(PassSeconds(59, 0.02, 0.02));
  const auto verdict = Second(0.02, 0.02);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->phase, Phase::kPassed) << verdict->reason;
  trial_.End(*verdict);
  EXPECT_EQ(ShapeOf(*File(0.3)), trial_.state().in_force);
}

TEST_F(TrialTest, ChosenRoutersThatLoseMoreRevertIt) {
  Begin();
  const auto verdict = PassSeconds(60, 0.3, 0);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->phase, Phase::kReverted);
  EXPECT_NE(verdict->reason.find("lose more: tier animate"), std::string::npos) << verdict->reason;
  EXPECT_LT(trial_.state().elapsed_s, 15);
}

TEST_F(TrialTest, ATierThatFallsRevertsIt) {
  Begin();
  const auto verdict = PassSeconds(60, 0.2, 0.2);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->phase, Phase::kReverted);
  EXPECT_NE(verdict->reason.find("since it began"), std::string::npos) << verdict->reason;
}

TEST_F(TrialTest, IgnoranceNeverPasses) {
  const auto ends = [&](const char* why) {
    ASSERT_FALSE(PassSeconds(170)) << why;
    const auto verdict = PassSeconds(20);
    ASSERT_TRUE(verdict) << why;
    EXPECT_EQ(verdict->phase, Phase::kReverted) << why;
    EXPECT_NE(verdict->reason.find(why), std::string::npos) << verdict->reason;
    trial_.End(*verdict);
  };
  Begin();
  chosen_heard_ = false;
  ends("only 0 of 2 chosen routers report");
  chosen_heard_ = true;
  Begin();
  rest_heard_ = false;
  ends("only 0 of the 6 other routers report");
  rest_heard_ = true;
  Begin();
  jobs_ = 0;  // as routers of an earlier release report
  ends("0 of 100 jobs of both groups");
  jobs_ = 10;
  Begin();
  resting_ = {"animate"};
  ends("tier animate is not planned");
  resting_.clear();
  Load(File(0.4));
  routers_known_ = false;
  ends("no region has two routers");
  routers_known_ = true;
  Load(File(0.4));
  jobs_ = 0;
  ends("0 of 100 jobs have ended before");
}

// The table that it had when it reported tells which settings a report is about.
TEST_F(TrialTest, ReportsUnderTheTableBeforeDoNotCount) {
  Begin();
  table_ = TableVersion{0, 9};
  EXPECT_FALSE(PassSeconds(30, 0.5, 0));
  EXPECT_EQ(trial_.state().evidence.at("animate").state().chosen.ended(), 0);
}

TEST_F(TrialTest, SilenceOnlyDelays) {
  Begin();
  EXPECT_FALSE(PassSeconds(30));
  chosen_heard_ = false;
  EXPECT_FALSE(PassSeconds(50));
  EXPECT_NE(trial_.waits_for().find("chosen routers"), std::string::npos);
  chosen_heard_ = true;
  EXPECT_FALSE(PassSeconds(29));
  const auto verdict = Second();
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->phase, Phase::kPassed);
}

TEST_F(TrialTest, ARestartGoesOnWhereItWas) {
  Begin();
  EXPECT_FALSE(PassSeconds(40));
  const TrialState before = trial_.state();
  Restart(File(0.3));
  EXPECT_EQ(ThresholdOf(*in_force_), 0.8);
  ASSERT_TRUE(trial_.running());
  EXPECT_EQ(trial_.state().chosen, before.chosen);
  EXPECT_EQ(trial_.state().id, before.id);
  EXPECT_EQ(ThresholdOf(*trial_.tried()), 0.3);
  EXPECT_FALSE(PassSeconds(19));
  ASSERT_TRUE(Second());
}

TEST_F(TrialTest, WhatWasRevertedStaysSoAfterARestart) {
  Begin();
  trial_.End({Phase::kReverted, "bad"});
  Restart(File(0.3));
  EXPECT_EQ(ThresholdOf(*in_force_), 0.8) << "the file on disk is still the bad one";
  EXPECT_FALSE(trial_.open());
  EXPECT_EQ(trial_.state().reason, "bad");
  Restart(File(0.8));
  EXPECT_FALSE(trial_.open());
  Restart(File(0.4));
  EXPECT_TRUE(trial_.open()) << "another file is tried, at a start as well";
  EXPECT_EQ(trial_.state().id, "2.0");
  EXPECT_EQ(ThresholdOf(*in_force_), 0.8);
  Restart(File(0.4, false));
  EXPECT_EQ(ThresholdOf(*in_force_), 0.4);
}

TEST_F(TrialTest, AFileThatIsLoadedIsTriedFromTheBeginning) {
  Begin();
  const std::string id = trial_.state().id;
  Load(File(0.4));
  EXPECT_EQ(trial_.state().phase, Phase::kMeasuring);
  EXPECT_NE(trial_.state().id, id);
  EXPECT_EQ(ThresholdOf(*in_force_), 0.8);
  EXPECT_EQ(ThresholdOf(*trial_.tried()), 0.4);
  Load(File(0.8));
  EXPECT_FALSE(trial_.open()) << "the settings in force are no news";
  Begin();
  trial_.End({Phase::kReverted, "bad"});
  Load(File(0.3));
  EXPECT_TRUE(trial_.open()) << "whoever loads it again means it";
  Load(File(0.3, false));
  EXPECT_EQ(ThresholdOf(*in_force_), 0.3);
}

TEST_F(TrialTest, AFirstStartTriesNothing) {
  in_force_ = trial_.Start("1.0", {}, File(0.3));
  EXPECT_EQ(ThresholdOf(*in_force_), 0.3);
  EXPECT_FALSE(trial_.open());
  EXPECT_EQ(trial_.state().in_force, ShapeOf(*File(0.3)));
}

}  // namespace
}  // namespace ringway::canary
