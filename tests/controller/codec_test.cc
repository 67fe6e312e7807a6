// What routers and files say: sound messages come through unchanged, broken ones are refused with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "absl/strings/str_cat.h"
#include "controller/journal/event_codec.h"
#include "controller/wire/report_codec.h"
#include "controller/wire/state_codec.h"
#include "runtime/state_file.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

RouterReport SomeReport() {
  Rig rig(MakeFleet());
  rig.Connect();
  RouterReport report = rig.ReportOf(1);
  report.workers[0].metrics = {{0, 0.25, Seconds(1.5)}};
  report.epoch_seen_max = 7;
  report.view = {6, 5};
  report.tiers[0].appointment = {4, 3};
  report.round_trips = {{kR1, 81.25}, {kR2, 0}};
  report.tiers[0].wait_s_sum = 0.125;
  report.tiers[0].ran = 3;
  report.tiers[0].held_s_sum = 2.5;
  return report;
}

TEST(ReportCodecTest, AReportComesBackAsItWas) {
  const auto fleet = MakeFleet();
  const RouterReport report = SomeReport();
  const auto decoded = DecodeReport(EncodeReport(report, *fleet), *fleet);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, report);
  const RouterHello hello{
      .router = "a", .region = RegionId(1), .address = "h:1", .table = {2, 3}, .build = "x"};
  EXPECT_EQ(*DecodeHello(EncodeHello(hello, *fleet), *fleet), hello);
}

TEST(ReportCodecTest, BrokenReportsAreRefusedWithThePlace) {
  const auto fleet = MakeFleet();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Break = std::function<void(v1::Report&)>;
  const std::vector<std::pair<Break, const char*>> cases = {
      {[](v1::Report& r) { r.set_wire_version(0); }, "wire_version is 0"},
      {[](v1::Report& r) { r.set_wire_version(99); }, "wire_version is 99"},
      {[](v1::Report& r) { r.set_period_s(0); }, "period_s"},
      {[](v1::Report& r) { r.set_period_s(-1); }, "period_s"},
      {[&](v1::Report& r) { r.set_period_s(nan); }, "period_s"},
      {[](v1::Report& r) { r.set_period_s(1e9); }, "period_s"},
      {[&](v1::Report& r) { r.mutable_round_trips(0)->set_ms(nan); }, "round_trips"},
      {[](v1::Report& r) { r.mutable_round_trips(0)->set_ms(-1); }, "round_trips"},
      {[](v1::Report& r) { r.mutable_tiers(0)->add_entered(1); }, "entered has 2 priorities"},
      {[](v1::Report& r) { r.mutable_tiers(0)->set_entered(0, ~0ull); }, "entered is beyond"},
      {[](v1::Report& r) { r.mutable_tiers(0)->mutable_sent(0)->set_count(~0ull); }, "sent is beyond"},
      {[](v1::Report& r) {
         for (int i = 0; i < 9; ++i) r.mutable_tiers(0)->add_sent()->set_region("r0");
       },
       "sent names"},
      {[&](v1::Report& r) { r.mutable_tiers(0)->set_wait_s_sum(nan); }, "wait_s_sum"},
      {[](v1::Report& r) { r.mutable_tiers(0)->set_service_s_sum(-1); }, "service_s_sum"},
      {[](v1::Report& r) { r.mutable_tiers(0)->set_held_s_sum(-1); }, "held_s_sum"},
      {[](v1::Report& r) { *r.add_tiers() = r.tiers(0); }, "'t0' appears twice"},
      {[](v1::Report& r) { r.mutable_workers(0)->set_name(""); }, "name"},
      {[](v1::Report& r) { r.mutable_workers(0)->set_name(std::string(300, 'x')); }, "300 bytes"},
      {[&](v1::Report& r) { r.mutable_workers(0)->set_busy_s(nan); }, "busy_s"},
      {[](v1::Report& r) { r.mutable_workers(0)->mutable_metrics(0)->set_age_s(-1); }, "age_s"},
      {[](v1::Report& r) { *r.mutable_workers(0)->add_metrics() = r.workers(0).metrics(0); },
       "'busy' appears twice"},
      {[](v1::Report& r) {
         for (int i = 0; i < 1100; ++i) *r.add_workers() = r.workers(0);
       },
       "at most 1024"},
  };
  for (const auto& [spoil, says] : cases) {
    v1::Report message = EncodeReport(SomeReport(), *fleet);
    spoil(message);
    const auto decoded = DecodeReport(message, *fleet);
    ASSERT_FALSE(decoded.ok()) << says;
    EXPECT_THAT(std::string(decoded.status().message()), HasSubstr(says));
  }
}

TEST(ReportCodecTest, BadMetricValuesAndUnknownNamesPass) {
  const auto fleet = MakeFleet();
  v1::Report message = EncodeReport(SomeReport(), *fleet);
  message.mutable_workers(0)->mutable_metrics(0)->set_value(std::numeric_limits<double>::quiet_NaN());
  message.mutable_workers(0)->add_metrics()->set_name("unheard-of");
  message.add_tiers()->set_tier("gone");
  message.add_workers()->set_tier("gone");
  message.mutable_tiers(0)->add_sent()->set_region("gone");
  const auto decoded = DecodeReport(message, *fleet);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->tiers.size(), 1u);
  EXPECT_EQ(decoded->workers.size(), 5u);
}

TEST(StateCodecTest, ADayOfDemandComesBack) {
  DurableState state;
  state.fleet = MakeFleet();
  DurableTier tier;
  tier.tier = "t0";
  tier.histories.push_back({"r1", {.newest = 14000000, .rates = {2.5F, -1.0F, 3.0F}}});
  state.tiers.push_back(tier);
  const auto decoded = DecodeState(EncodeState(state));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_EQ(decoded->tiers[0].histories.size(), 1u);
  EXPECT_EQ(decoded->tiers[0].histories[0].region, "r1");
  EXPECT_EQ(decoded->tiers[0].histories[0].saved.newest, 14000000);
  EXPECT_EQ(decoded->tiers[0].histories[0].saved.rates, (std::vector<float>{2.5F, -1.0F, 3.0F}));
}

TEST(StateCodecTest, BrokenStatesAreRefused) {
  Rig rig(MakeFleet());
  rig.Connect();
  rig.PassSeconds(3);
  const v1::ControllerState good = EncodeState(rig.machine.Durable());
  ASSERT_TRUE(DecodeState(good).ok());
  using Break = std::function<void(v1::ControllerState&)>;
  const std::vector<Break> cases = {
      [](v1::ControllerState& s) { s.set_state_version(0); },
      [](v1::ControllerState& s) { s.set_state_version(2); },
      [](v1::ControllerState& s) { s.mutable_tiers(0)->set_mode("asleep"); },
      [](v1::ControllerState& s) { s.mutable_tiers(0)->set_overload_threshold(7); },
      [](v1::ControllerState& s) { s.mutable_tiers(0)->add_drains()->set_from(-1); },
      [](v1::ControllerState& s) {
        s.mutable_table()->mutable_tiers(0)->mutable_rows(0)->set_shed_fraction(2);
      },
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    v1::ControllerState bad = good;
    cases[i](bad);
    EXPECT_FALSE(DecodeState(bad).ok()) << "case " << i;
  }
}

// A state file that version 1 wrote; see journal_test for the journal's.
TEST(StateCodecTest, TheStateFileOfVersion1IsRead) {
  const std::string path = absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/controller/golden/controller.state");
  if (std::getenv("RINGWAY_WRITE_GOLDEN") != nullptr) {
    Rig rig(MakeFleet());
    rig.demand_rps[RegionId(0)] = 12;
    rig.Connect();
    rig.PassSeconds(20);
    rig.Ask(DrainCommand{.region = "r2", .tier = "", .drain = true});
    rig.Ask(PinCommand{.tier = "t0", .region = "r1", .routes = {{"r1", 1}}});
    rig.Ask(ThresholdCommand{"t0", 0.7});
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    ASSERT_TRUE(
        runtime::WriteStateFile(path, "controller", 1, EncodeState(rig.machine.Durable()).SerializeAsString())
            .ok());
  }
  const auto file = runtime::ReadStateFile(path, "controller", kStateVersionOldest, kStateVersion);
  ASSERT_TRUE(file.ok()) << file.status();
  v1::ControllerState message;
  ASSERT_TRUE(message.ParseFromString(file->payload));
  const auto state = DecodeState(message);
  ASSERT_TRUE(state.ok()) << state.status();
  Rig next(MakeFleet(), *state);
  EXPECT_EQ(next.machine.epoch(), 2u);
  EXPECT_TRUE(next.machine.tiers()[0].region(RegionId(2)).drain.goal == 1);
  EXPECT_EQ(next.machine.tiers()[0].orders().drains[RegionId(2)], (Timed<double>{.lasting = 1}));
  EXPECT_EQ(next.machine.tiers()[0].tier().route.overload_threshold, 0.7);
  EXPECT_EQ(next.machine.tiers()[0].pins().size(), 1u);
  EXPECT_LT(next.HomeFraction(RegionId(0)), 1);
  EXPECT_EQ(next.machine.directory()->routers.size(), 6u);
}

}  // namespace
}  // namespace ringway::controller
