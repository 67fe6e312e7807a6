#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "cli/load/arrivals.h"
#include "cli/load/entries.h"
#include "cli/load/summary.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"

namespace ringway::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<double> AllOf(const ArrivalPlan& plan) {
  std::vector<double> times;
  Arrivals arrivals(plan);
  while (const std::optional<double> next = arrivals.Next()) times.push_back(*next);
  return times;
}

// Coefficient of variation of the gaps.
double GapCv(const std::vector<double>& times) {
  double sum = 0, squares = 0, before = 0;
  for (const double at : times) {
    sum += at - before;
    squares += (at - before) * (at - before);
    before = at;
  }
  const double n = static_cast<double>(times.size()), mean = sum / n;
  return std::sqrt(squares / n - mean * mean) / mean;
}

TEST(ArrivalsTest, TheRateIsKeptAndTheGapsFollowTheLaw) {
  const double length_s = 20'000, rate_rps = 2;
  const auto check = [&](Law law, double cv) {
    const std::vector<double> times =
        AllOf({.rate_rps = rate_rps, .law = law, .cv = cv, .length_s = length_s, .seed = 7});
    // The count of a renewal process has about cv^2 times the variance of a Poisson one.
    const double expected = rate_rps * length_s;
    EXPECT_NEAR(static_cast<double>(times.size()), expected, 5 * std::max(0.3, cv) * std::sqrt(expected))
        << cv;
    EXPECT_NEAR(GapCv(times), law == Law::kPoisson ? 1 : cv, 0.08 * cv) << cv;
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_LT(times.back(), length_s);
  };
  check(Law::kPoisson, 1);
  check(Law::kGamma, 0.3);
  check(Law::kGamma, 1);
  check(Law::kGamma, 2.5);
}

TEST(ArrivalsTest, TheSeedDecides) {
  const ArrivalPlan plan{.rate_rps = 3, .law = Law::kGamma, .length_s = 50, .seed = 1};
  ArrivalPlan other = plan;
  other.seed = 2;
  EXPECT_EQ(AllOf(plan), AllOf(plan));
  EXPECT_NE(AllOf(plan), AllOf(other));
}

TEST(ArrivalsTest, ATraceKeepsItsTimesOrIsBroughtToARate) {
  const auto trace = std::make_shared<std::vector<double>>(std::vector<double>{0, 1, 1.5, 4});
  EXPECT_THAT(AllOf({.rate_rps = 0, .trace_s = trace}), ElementsAre(0, 1, 1.5, 4));
  EXPECT_THAT(AllOf({.rate_rps = 0, .length_s = 1.2, .trace_s = trace}), ElementsAre(0, 1));
  EXPECT_EQ(AllOf({.rate_rps = 2, .trace_s = trace}).size(), 8u);  // one a second by itself
}

v1::StatusReply Fleet() {
  v1::StatusReply fleet;
  for (const auto& [name, region] :
       {std::pair{"a", "paris"}, std::pair{"b", "paris"}, std::pair{"c", "oslo"}}) {
    v1::RouterStatus* router = fleet.add_routers();
    router->set_name(name);
    router->set_region(region);
    router->set_address(absl::StrCat(name, ":1"));
  }
  return fleet;
}

TEST(EntriesTest, RegionsTakeEqualPartsUnlessTheyAreWeighed) {
  const auto all = EntriesOf(Fleet(), {});
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].region, "oslo");
  EXPECT_THAT((*all)[1].routers, ElementsAre("a:1", "b:1"));
  const auto some = EntriesOf(Fleet(), {"paris=3"});
  ASSERT_TRUE(some.ok());
  ASSERT_EQ(some->size(), 1u);
  EXPECT_EQ((*some)[0].share, 3);
}

TEST(EntriesTest, WhatIsNoRegionIsNamed) {
  EXPECT_THAT(std::string(EntriesOf(Fleet(), {"pariss"}).status().message()),
              HasSubstr("did you mean \"paris\"?"));
  for (const char* wrong : {"paris=", "paris=x", "paris=0", "paris=-1", "paris=nan"})
    EXPECT_EQ(EntriesOf(Fleet(), {wrong}).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  EXPECT_EQ(EntriesOf({}, {}).status().code(), absl::StatusCode::kNotFound);
}

v1::End EndOf(const std::string& outcome, const std::string& region, const std::string& message = "") {
  v1::End end;
  end.set_outcome(outcome);
  end.set_message(message);
  end.mutable_trace()->set_source_region("paris");
  end.mutable_trace()->set_region(region);
  end.mutable_trace()->set_offers(region.empty() ? 0 : 1);
  return end;
}

TEST(SummaryTest, TellsRefusedFromFailedByReason) {
  Summary summary;
  for (int i = 0; i < 6; ++i) summary.Sent("paris");
  summary.Add("paris", EndOf("done", "paris"), 2);
  summary.Add("paris", EndOf("done", "oslo"), 4);
  summary.Add("paris", EndOf("shed", "", "no room within reach"), 0.1);
  summary.Add("paris", EndOf("timeout", ""), 1);
  summary.Add("paris", EndOf("failed", "paris", "the worker is gone"), 1);
  summary.NotSent();
  const std::string text = summary.Text(3, false);
  EXPECT_THAT(text, HasSubstr("done 2 (33.3 %), refused 2, failed 1"));
  EXPECT_THAT(text, HasSubstr("refused as shed: 1, for example \"no room within reach\""));
  EXPECT_THAT(text, HasSubstr("refused as timeout: 1"));
  EXPECT_THAT(text, HasSubstr("failed as failed: 1, for example \"the worker is gone\""));
  EXPECT_THAT(text, HasSubstr("1 more were due and not sent"));
  EXPECT_THAT(text, HasSubstr("50.0 %"));  // of the done ones, at home
  EXPECT_THAT(summary.ProgressText(3), HasSubstr("sent 6  done 2  refused 2  failed 1  in flight 1"));
  EXPECT_NEAR(summary.all().latency_s.Quantile(0.99), 4, 0.1);  // of the done ones only
}

TEST(LoadCommandTest, WrongWordsAreNamedWithWhatIsAllowed) {
  using cli::Ringway;
  const cli::Ran law = Ringway({"load", "--arrivals", "posson"});
  EXPECT_EQ(law.code, cli::kExitUsage);
  EXPECT_THAT(law.err, HasSubstr("found \"posson\"; allowed: poisson, gamma"));
  EXPECT_THAT(law.err, HasSubstr("did you mean \"poisson\"?"));
  const cli::Ran span = Ringway({"load", "--duration", "soon"});
  EXPECT_EQ(span.code, cli::kExitUsage);
  EXPECT_THAT(span.err, HasSubstr("--duration: found \"soon\"; allowed: a duration such as 30s"));
  const cli::Ran nobody = Ringway({"load", "--controller", "127.0.0.1:1", "--duration", "1s"});
  EXPECT_EQ(nobody.code, cli::kExitUnreachable);
  EXPECT_THAT(nobody.err, HasSubstr("--entry HOST:PORT"));
  EXPECT_THAT(Ringway({"load", "--help"}).out, HasSubstr("ringway load --rate 2 --duration 60s"));
}

}  // namespace
}  // namespace ringway::load
