// The commands that ask a controller, against one that plays its part from a script.
#include <cstdlib>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/scripted_admin.h"

namespace ringway::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(AdminTest, QuestionsPrintTheAnswer) {
  const Ran status = Ask({"status"});
  EXPECT_EQ(status.code, 0) << status.err;
  EXPECT_THAT(status.out, AllOf(HasSubstr("world aws"), HasSubstr("finding: eu-west-1 is stale")));
  EXPECT_EQ(Ask({"table", "--tier", "animate"}).code, 0);
  EXPECT_EQ(admin_.tier, "animate");
  EXPECT_THAT(Ask({"explain", "us-east-1", "--tier", "animate"}).out,
              HasSubstr("asked about us-east-1 of animate"));
  EXPECT_THAT(Ask({"audit", "--limit", "7"}).out, HasSubstr("kim@host  drain eu-west-1"));
}

TEST_F(AdminTest, JsonIsWholeAndAlone) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"status"},
                                             {"table"},
                                             {"explain", "us-east-1"},
                                             {"drain", "x"},
                                             {"audit", "--limit", "7"},
                                             {"whatif"}}) {
    std::vector<std::string> json = words;
    json.push_back("--json");
    const Ran ran = Ask(json);
    EXPECT_EQ(ran.code, 0) << words[0];
    EXPECT_THAT(ran.out, StartsWith("{")) << words[0];
    EXPECT_THAT(ran.err, IsEmpty()) << words[0];
  }
}

TEST_F(AdminTest, ActionsCarryWhoAndWhy) {
  const Ran ran = Ask({"drain", "eu-west-1", "--tier", "animate", "--why", "new rack"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "heard\n");
  EXPECT_TRUE(admin_.drain.drain());
  EXPECT_EQ(admin_.drain.region(), "eu-west-1");
  EXPECT_EQ(admin_.drain.tier(), "animate");
  EXPECT_EQ(admin_.drain.by().why(), "new rack");
  EXPECT_THAT(admin_.drain.by().who(), HasSubstr("@"));
  ::unsetenv("USER");
  Ask({"drain", "eu-west-1"});
  EXPECT_THAT(admin_.drain.by().who(),
              AllOf(HasSubstr("@"), Not(HasSubstr("unknown")), Not(StartsWith("@"))));
  Ask({"undrain", "eu-west-1"});
  EXPECT_FALSE(admin_.drain.drain());
  Ask({"pin", "us-east-1"});
  EXPECT_TRUE(admin_.pin.pin());
  Ask({"unpin", "us-east-1"});
  EXPECT_FALSE(admin_.pin.pin());
  Ask({"threshold", "0.7"});
  EXPECT_EQ(admin_.threshold, 0.7);
  Ask({"mode", "observe"});
  EXPECT_EQ(admin_.mode, "observe");
  Ask({"rollback", "3.41"});
  EXPECT_EQ(admin_.rollback.epoch(), 3u);
  EXPECT_EQ(admin_.rollback.version(), 41u);
}

TEST_F(AdminTest, ACanaryIsEndedAndShown) {
  EXPECT_EQ(Ask({"canary", "promote", "--why", "looks well"}).code, 0);
  EXPECT_TRUE(admin_.canary.promote());
  EXPECT_EQ(admin_.canary.by().why(), "looks well");
  EXPECT_EQ(Ask({"canary", "abort"}).code, 0);
  EXPECT_FALSE(admin_.canary.promote());
  EXPECT_NE(Ask({"canary"}).code, 0);

  EXPECT_EQ(Ask({"status"}).out.find("canary"), std::string::npos);
  v1::CanaryStatus& canary = admin_.canary_status;
  canary.set_phase("running");
  canary.set_id("3.41");
  canary.set_period_s(600);
  canary.set_elapsed_s(95);
  canary.set_table_epoch(3);
  canary.set_table_version(50);
  canary.add_changes("tier animate: overloadThreshold 0.8 -> 0.3");
  canary.add_chosen("r1-7");
  canary.set_waits_for("only 0 of 1 chosen routers report");
  v1::CanaryTier& tier = *canary.add_tiers();
  tier.set_tier("animate");
  tier.set_judged_s(61);
  tier.set_chosen_done(990);
  tier.set_chosen_lost(10);
  tier.set_expected_lost(2.5);
  const std::string running = Ask({"status"}).out;
  for (const char* part : {"canary 3.41  running on 1 routers, table 3.50, for 1m35s",
                           "tier animate: overloadThreshold 0.8 -> 0.3",
                           "1m1s of 10m judged; chosen routers lost 10 of 1000 jobs, 2.5 expected",
                           "chosen: r1-7", "waits: only 0 of 1"}) {
    EXPECT_NE(running.find(part), std::string::npos) << part << " in\n" << running;
  }
  canary.set_phase("reverted");
  canary.set_reason("routers with the new settings lose more");
  canary.clear_waits_for();
  const std::string reverted = Ask({"status"}).out;
  EXPECT_NE(reverted.find("lose more"), std::string::npos);
  EXPECT_NE(reverted.find("whatever the topology file says"), std::string::npos);
  EXPECT_NE(Ask({"--json", "status"}).out.find("\"phase\""), std::string::npos);
}

TEST_F(AdminTest, PartsAndTermsTravelWithTheOrder) {
  EXPECT_EQ(Ask({"drain", "eu-west-1", "--share", "0.5", "--for", "1h30m", "--force"}).code, 0);
  EXPECT_EQ(admin_.drain.share(), 0.5);
  EXPECT_EQ(admin_.drain.for_s(), 5400);
  EXPECT_TRUE(admin_.drain.force());
  Ask({"drain", "eu-west-1"});
  EXPECT_FALSE(admin_.drain.has_share());
  EXPECT_FALSE(admin_.drain.force());
  EXPECT_EQ(admin_.drain.for_s(), 0);
  EXPECT_EQ(
      Ask({"pin", "a", "--to", "a=0.7", "--to", "b=0.2", "--refuse", "0.1", "--priority", "1", "--for", "5m"})
          .code,
      0);
  EXPECT_EQ(admin_.pin.for_s(), 300);
  ASSERT_EQ(admin_.pin.row().routes_size(), 2);
  EXPECT_EQ(admin_.pin.row().routes(1).fraction(), 0.2);
  EXPECT_EQ(admin_.pin.regions(static_cast<int>(admin_.pin.row().routes(1).target())), "b");
  EXPECT_EQ(admin_.pin.row().shed_fraction(), 0.1);
  EXPECT_EQ(admin_.pin.row().priority(), 1u);
  Ask({"threshold", "0.6", "--region", "a", "--for", "2h"});
  EXPECT_EQ(admin_.threshold_asked.region(), "a");
  EXPECT_EQ(admin_.threshold_asked.for_s(), 7200);
  Ask({"threshold", "--clear"});
  EXPECT_TRUE(admin_.threshold_asked.clear());
  Ask({"rollback", "--at", "2026-11-23 12:00", "--for", "10m"});
  EXPECT_EQ(admin_.rollback.at_unix_us(), 1'795'435'200'000'000);
  EXPECT_EQ(admin_.rollback.epoch(), 0u);
  EXPECT_EQ(admin_.rollback.for_s(), 600);
  Ask({"whatif", "--drain", "a=0.25", "--drain", "b"});
  EXPECT_EQ(admin_.dry_run.drain_share().at("a"), 0.25);
  EXPECT_EQ(admin_.dry_run.drain(0), "b");
}

TEST_F(AdminTest, HistoryAndDiffAreTables) {
  const Ran history = Ask({"history", "--tier", "animate", "--since", "2026-11-23 11:00", "--limit", "3"});
  EXPECT_EQ(history.code, 0) << history.err;
  EXPECT_EQ(admin_.history.limit(), 3u);
  EXPECT_EQ(admin_.history.since_unix_us(), 1'795'431'600'000'000);
  EXPECT_THAT(
      history.out,
      ContainsRegex("3.41 +2026-11-23 12:00:00Z +animate +2 +25.0 % +a -> b 0 % -> 50 % +kim: drain a"));
  EXPECT_THAT(history.out, Not(HasSubstr("films"))) << "another tier";
  EXPECT_THAT(history.err, HasSubstr("a file ends early"));
  const Ran diff = Ask({"diff", "3.41", "2026-11-23 12:00"});
  EXPECT_EQ(diff.code, 0) << diff.err;
  EXPECT_EQ(admin_.diff.before().version(), 41u);
  EXPECT_EQ(admin_.diff.after().at_unix_us(), 1'795'435'200'000'000);
  EXPECT_THAT(diff.out,
              ContainsRegex("a +interactive +b +0.0 % +50.0 % +.2.00/s +the source is being drained"));
  EXPECT_THAT(diff.out, HasSubstr("1 rows are different; of the traffic of now 2.00/s, 25.0 %"));
}

TEST_F(AdminTest, WhatIfCarriesItsEdits) {
  const Ran ran = Ask(
      {"whatif", "--threshold", "0.6", "--drain", "a", "--drain", "b", "--scale", "c=2", "--scale", "d=0.5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("us-east-1 +interactive +us-east-2 +0.0 % +10.0 % +.0.50/s"));
  EXPECT_THAT(ran.out, Not(HasSubstr("a long sentence")));
  EXPECT_EQ(admin_.dry_run.overload_threshold(), 0.6);
  EXPECT_EQ(admin_.dry_run.drain_size(), 2);
  EXPECT_EQ(admin_.dry_run.demand_scale().at("c"), 2);
  EXPECT_EQ(admin_.dry_run.demand_scale().at("d"), 0.5);
}

TEST_F(AdminTest, ADryRunCarriesTheVeryOrderAndGivesNone) {
  struct Case {
    std::vector<std::string> words;
    v1::DryRunRequest::OrderCase order;
  };
  for (const Case& c :
       std::vector<Case>{{{"drain", "a", "--share", "0.5", "--for", "1h"}, v1::DryRunRequest::kDrainOrder},
                         {{"undrain", "a"}, v1::DryRunRequest::kDrainOrder},
                         {{"threshold", "0.6", "--region", "a"}, v1::DryRunRequest::kThresholdOrder},
                         {{"mode", "frozen"}, v1::DryRunRequest::kModeOrder},
                         {{"pin", "a", "--to", "b=1"}, v1::DryRunRequest::kPinOrder},
                         {{"unpin", "a"}, v1::DryRunRequest::kPinOrder},
                         {{"rollback", "3.41"}, v1::DryRunRequest::kRollbackOrder}}) {
    std::vector<std::string> words = c.words;
    words.push_back("--dry-run");
    const Ran ran = Ask(words);
    EXPECT_EQ(ran.code, 0) << words[0] << ": " << ran.err;
    EXPECT_EQ(admin_.dry_run.order_case(), c.order) << words[0];
    EXPECT_THAT(ran.out, AllOf(StartsWith("it would be answered: it would be done\n"),
                               HasSubstr("away 0.0 % -> 5.0 %, shed 0.0 % -> 0.0 %"),
                               ContainsRegex("us-east-1 +interactive +us-east-2 +0.0 % +10.0 % +.0.50/s"),
                               HasSubstr("nothing was changed")))
        << words[0];
  }
  EXPECT_TRUE(admin_.drain.region().empty() && admin_.pin.region().empty() && admin_.mode.empty() &&
              admin_.rollback.epoch() == 0 && admin_.threshold == 0)
      << "an order was given";
  Ask({"drain", "a", "--share", "0.5", "--for", "1h", "--force", "--dry-run"});
  EXPECT_EQ(admin_.dry_run.drain_order().share(), 0.5);
  EXPECT_EQ(admin_.dry_run.drain_order().for_s(), 3600);
  EXPECT_TRUE(admin_.dry_run.drain_order().force());
  EXPECT_EQ(admin_.dry_run.tier(), "animate") << "a drain of all tiers is shown tier by tier";
  EXPECT_EQ(admin_.dry_run.drain_order().tier(), "");
  EXPECT_THAT(Ask({"mode", "frozen", "--dry-run"}).out, HasSubstr("mode frozen: the table stays"));
}

// A controller ignores what it does not know. So the question is a call of its own: an order that carried it
// would be carried out by an earlier release.
TEST(OrderMessagesTest, NoOrderHasAFieldThatMakesItNone) {
  for (const auto* order :
       {v1::DrainRegionRequest::descriptor(), v1::SetThresholdRequest::descriptor(),
        v1::SetModeRequest::descriptor(), v1::PinRequest::descriptor(), v1::RollbackRequest::descriptor()}) {
    bool asked = false;
    for (int i = 0; i < order->field_count(); ++i) {
      EXPECT_THAT(order->field(i)->name(), Not(HasSubstr("dry"))) << order->name();
    }
    const auto* oneof = v1::DryRunRequest::descriptor()->FindOneofByName("order");
    for (int i = 0; i < oneof->field_count(); ++i) asked |= oneof->field(i)->message_type() == order;
    EXPECT_TRUE(asked) << order->name() << " cannot be asked about";
  }
}

TEST_F(AdminTest, ADryRunTellsWhatWouldBeRefusedAndWhoCannotAnswer) {
  const Ran json = Ask({"--json", "mode", "observe", "--dry-run"});
  EXPECT_EQ(json.code, 0);
  EXPECT_THAT(json.out, AllOf(StartsWith("{"), HasSubstr("\"tiers\""), HasSubstr("\"message\"")));
  admin_.does_it = false;
  const Ran refused = Ask({"drain", "a", "--dry-run"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out, StartsWith("it would be refused: it would be done"));
  admin_.dry_run_message = "";
  const Ran old = Ask({"mode", "frozen", "--dry-run"});
  EXPECT_EQ(old.code, 4);
  EXPECT_THAT(old.err, HasSubstr("of an older release"));
  EXPECT_THAT(old.out, IsEmpty());
}

TEST_F(AdminTest, AMisspeltWordOfAFewIsAnsweredWithTheLikelyOne) {
  const Ran mode = Ask({"mode", "actve"});
  EXPECT_EQ(mode.code, 2);
  EXPECT_THAT(mode.err, AllOf(HasSubstr("found \"actve\"; allowed: active, observe, frozen"),
                              HasSubstr("did you mean \"active\"?")));
  EXPECT_THAT(Ask({"names", "region"}).err, HasSubstr("did you mean \"regions\"?"));
}

TEST_F(AdminTest, APriorityHasANameAndANumber) {
  EXPECT_EQ(Ask({"pin", "us-east-1", "--to", "a=1", "--priority", "batch"}).code, 0);
  EXPECT_EQ(admin_.pin.row().priority(), 1u);
  EXPECT_EQ(Ask({"pin", "us-east-1", "--refuse", "1", "--priority", "interactive"}).code, 0);
  EXPECT_EQ(admin_.pin.row().priority(), 0u);
  EXPECT_EQ(Ask({"names", "priorities"}).out, "batch\ninteractive\n");
  admin_.pin.Clear();
  const Ran wrong = Ask({"pin", "us-east-1", "--to", "a=1", "--priority", "bacth"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err,
              AllOf(HasSubstr("--priority: found \"bacth\"; allowed of tier animate: interactive, batch"),
                    HasSubstr("did you mean \"batch\"?")));
  EXPECT_EQ(Ask({"pin", "us-east-1", "--priority", "batch"}).code, 2) << "of a row that stays as it is";
  EXPECT_EQ(admin_.pin.region(), "") << "an order was given";
}

TEST_F(AdminTest, AnOrderToTheWrongTierIsToldWhichOneHasIt) {
  v1::TierStatus films;
  films.set_tier("films");
  films.add_priorities("overnight");
  films.add_regions()->set_region("us-east-1");
  films.add_regions()->set_region("eu-west-1");
  films.mutable_regions(1)->set_workers(2);
  admin_.further_tiers = {films};
  const auto pin = [&](const std::string& tier, const std::string& priority) {
    return Ask({"pin", "us-east-1", "--to", "us-east-1=1", "--tier", tier, "--priority", priority}).err;
  };
  EXPECT_THAT(pin("animate", "overnight"), HasSubstr("interactive, batch; tier films has"));
  EXPECT_THAT(pin("films", "batch"), HasSubstr("allowed of tier films: overnight; tier animate has"));
  EXPECT_THAT(pin("flims", "batch"),
              AllOf(HasSubstr("allowed: animate, films"), HasSubstr("mean \"films\"?")));
  EXPECT_THAT(Ask({"pin", "us-east-1", "--to", "us-east-1=1", "--priority", "batch"}).err,
              HasSubstr("--tier: needed, as there are several: animate, films"));
  admin_.does_it = false;
  EXPECT_THAT(Ask({"pin", "us-east-1", "--tier", "films"}).err,
              HasSubstr("tier films has no workers in us-east-1; tier animate has"));
  EXPECT_THAT(Ask({"pin", "us-east-1", "--tier", "animate", "--to", "eu-west-1=1"}).err,
              HasSubstr("tier animate has no workers in eu-west-1; tier films has"));
  EXPECT_THAT(Ask({"pin", "us-east-1", "--tier", "animate", "--to", "eu-wset-1=1"}).err,
              HasSubstr("did you mean \"eu-west-1\"?"));
}

TEST_F(AdminTest, NamesAreOneALine) {
  EXPECT_EQ(Ask({"names", "regions"}).out, "us-east-1\n");
  EXPECT_EQ(Ask({"names", "tiers"}).out, "animate\n");
  EXPECT_EQ(Ask({"names", "routers"}).out, "");
}

TEST_F(AdminTest, WrongValuesNeverReachTheController) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"threshold", "80"},
                                             {"threshold", "0"},
                                             {"mode", "off"},
                                             {"rollback", "41"},
                                             {"rollback", "a.b"},
                                             {"rollback", "3.41", "--at", "1h"},
                                             {"rollback", "--at", "noon"},
                                             {"diff", "yesterday"},
                                             {"history", "--since", "soon"},
                                             {"drain", "x", "--share", "2"},
                                             {"drain", "x", "--for", "0s"},
                                             {"drain", "x", "--for", "long"},
                                             {"threshold", "0.5", "--clear"},
                                             {"threshold"},
                                             {"rollback"},
                                             {"pin", "x", "--to", "y"},
                                             {"whatif", "--scale", "x"},
                                             {"whatif", "--scale", "x=-1"},
                                             {"audit", "--limit", "0"}}) {
    EXPECT_EQ(Ask(words).code, 2) << words[0] << " " << words.back();
  }
}

TEST_F(AdminTest, ExitCodesTellNoFromRefused) {
  admin_.does_it = false;
  EXPECT_EQ(Ask({"drain", "x"}).code, 1);
  admin_.answer = grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "no token");
  const Ran refused = Ask({"drain", "x"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("no token"), HasSubstr("RINGWAY_TOKEN")));
  admin_.answer = grpc::Status::OK;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"explain", "us-eats-1"}, {"drain", "us-eats-1"}}) {
    const Ran unknown = Ask(words);
    EXPECT_EQ(unknown.code, 1) << words[0];
    EXPECT_THAT(unknown.err, HasSubstr("did you mean \"us-east-1\"?"));
  }
}

TEST_F(AdminTest, TheTokenTravelsFromFileOrEnvironment) {
  Ask({"status"});
  EXPECT_EQ(admin_.authorization, "");
  const std::string path = ::testing::TempDir() + "/admin_token";
  std::ofstream(path) << "secret-1\n";
  Ask({"status", "--token-file", path});
  EXPECT_EQ(admin_.authorization, "Bearer secret-1");
  ::setenv("RINGWAY_TOKEN", "secret-2", 1);
  Ask({"status"});
  ::unsetenv("RINGWAY_TOKEN");
  EXPECT_EQ(admin_.authorization, "Bearer secret-2");
}

}  // namespace
}  // namespace ringway::cli
