// A router is killed and its workers live on: the region's other router reports them, so that the controller
// neither forgets them nor sheds what they could serve; and hands them back when the router returns.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

std::uint32_t Seen(const SmallWorld& world) {
  const auto status = world.Status();
  return status && status->tiers_size() == 1 ? status->tiers(0).regions(0).workers_seen() : 0;
}

class AdoptionTest : public ::testing::TestWithParam<const char*> {};

TEST_P(AdoptionTest, WorkersOutliveTheirRouter) {
  SmallWorld world({.regions = {{"oslo", 2, 2}},
                    .service_mean_s = 0.2,
                    .dispatch = absl::StrCat("{mode: ", GetParam(), "}"),
                    .controller_flags = {"--epoch-period", "250ms", "--report-period", "250ms"},
                    // Short, so that what is forgotten is forgotten within the test.
                    .guard = "{staleAfter: 1s, missingAfter: 2s}"});
  ASSERT_TRUE(world.AwaitReady());
  ASSERT_EQ(Seen(world), 4u);
  world.router("oslo-1").Kill();
  EXPECT_TRUE(Eventually([&] {
    return absl::StrContains(world.router("oslo-0").Log(), "is reported by this router");
  })) << world.router("oslo-0").Log();
  // Longer than any report of the dead router is believed.
  for (int i = 0; i < 30; ++i) {
    absl::SleepFor(Milliseconds(100));
    ASSERT_EQ(Seen(world), 4u) << "after " << i * 0.1 << " s";
  }
  // Seven in ten of what four workers can do is more than two can.
  OpenLoop load({.routers = {world.router("oslo-0").grpc()}, .tier = kTier, .rps = 14, .span = Seconds(4)});
  load.Start();
  const auto records = load.Finish();
  EXPECT_GE(Count(records).success(), 0.97) << Failures(records);

  world.router("oslo-1").StartAgain();
  EXPECT_TRUE(Eventually([&] {
    return absl::StrContains(world.router("oslo-0").Log(), "is reported by another router again");
  })) << world.router("oslo-0").Log();
  EXPECT_EQ(Seen(world), 4u);
  // A worker that dies with its router is given up.
  world.router("oslo-1").Kill();
  world.worker("oslo-1-w0").Kill();
  EXPECT_TRUE(Eventually([&] { return Seen(world) == 3; }));
  absl::SleepFor(Seconds(2));
  EXPECT_EQ(Seen(world), 3u);
}
INSTANTIATE_TEST_SUITE_P(BothModes, AdoptionTest, ::testing::Values("probe", "ledger"));

}  // namespace
}  // namespace ringway::live
