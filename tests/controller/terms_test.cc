// Terms of orders on disk: a restart goes on from their dates, and a clock that was put back prolongs
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "controller/daemon/daemon.h"
#include "controller/daemon/state_store.h"
#include "controller/wire/state_codec.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"
#include "runtime/state_file.h"
#include "tests/controller/daemon_fixture.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;

DurableState WithTimedDrain(Time until, Duration length) {
  DurableState state;
  DurableTier tier{.tier = "t"};
  DurableDrain drain{.region = "a", .ramp = {.goal = 0.5}};
  drain.order.Set(0.5, Term{.until = until, .length = length, .who = "ann"});
  tier.drains.push_back(drain);
  state.tiers.push_back(tier);
  return state;
}

TEST(TermsTest, AreDatesOnDiskAndTheMachinesTimeInMemory) {
  live::ScratchFolder folder;
  const runtime::Logger quiet("test", runtime::LogLevel::kError);
  StateStore store(folder.path(), quiet, [](bool) {});
  const Time until = runtime::MonotonicNow() + Hours(2);
  ASSERT_TRUE(store.SaveNow(WithTimedDrain(until, Hours(3))).ok());
  const auto state = store.Load();
  ASSERT_TRUE(state.ok()) << state.status();
  const Timed<double>& order = state->tiers[0].drains[0].order;
  EXPECT_EQ(order.lasting, 0);
  ASSERT_TRUE(order.over.has_value());
  EXPECT_EQ(order.over->first, 0.5);
  EXPECT_EQ(order.over->second.who, "ann");
  EXPECT_NEAR(ToDoubleSeconds(order.over->second.until - until), 0, 1);
}

TEST(TermsTest, AClockThatWasPutBackProlongsNothingBeyondTheTerm) {
  live::ScratchFolder folder;
  const runtime::Logger quiet("test", runtime::LogLevel::kError);
  StateStore store(folder.path(), quiet, [](bool) {});
  // Written when the clock was ten hours ahead of now.
  ASSERT_TRUE(
      runtime::WriteStateFile(
          store.path(), "controller", kStateVersion,
          EncodeState(WithTimedDrain(runtime::WallNow() + Hours(10), Minutes(30))).SerializeAsString())
          .ok());
  const auto state = store.Load();
  ASSERT_TRUE(state.ok()) << state.status();
  const Duration left = state->tiers[0].drains[0].order.over->second.until - runtime::MonotonicNow();
  EXPECT_LE(left, Minutes(30));
  EXPECT_GT(left, Minutes(20));
}

class TimedDrainTest : public DaemonFixture {
 protected:
  TimedDrainTest() { Start(); }
  v1::TierStatus Status() {
    grpc::ClientContext context;
    v1::StatusReply reply;
    EXPECT_TRUE(admin_->Status(&context, v1::StatusRequest(), &reply).ok());
    return reply.tiers(0);
  }
  v1::ActionReply Drain(double for_s) {
    grpc::ClientContext context;
    v1::DrainRegionRequest request;
    request.mutable_by()->set_who("ann");
    request.set_region("a");
    request.set_drain(true);
    request.set_share(0.5);
    request.set_for_s(for_s);
    v1::ActionReply reply;
    const grpc::Status status = admin_->Drain(&context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return reply;
  }
};

TEST_F(TimedDrainTest, EndsInTheNextLifeAndIsAudited) {
  EXPECT_FALSE(Drain(0.1).done()) << "shorter than a second";
  const v1::ActionReply drained = Drain(3);
  ASSERT_TRUE(drained.done()) << drained.message();
  EXPECT_THAT(drained.message(), HasSubstr("draining a by 50 % in all tiers, paced over 1s for 3s"));
  Start();
  const v1::TierStatus status = Status();
  ASSERT_EQ(status.timed_size(), 1);
  EXPECT_EQ(status.timed(0).what(), "drained by 50 %");
  EXPECT_EQ(status.timed(0).then(), "serves fully");
  EXPECT_EQ(status.timed(0).who(), "ann");
  EXPECT_LE(status.timed(0).left_s(), 3);
  EXPECT_EQ(status.regions(0).drain_goal(), 0.5);
  ASSERT_TRUE(live::Eventually([&] { return Status().timed_size() == 0; }));
  EXPECT_EQ(Status().regions(0).drain_goal(), 0);
  grpc::ClientContext context;
  v1::AuditReply audit;
  ASSERT_TRUE(admin_->Audit(&context, v1::AuditRequest(), &audit).ok());
  EXPECT_EQ(audit.entries(0).who(), "ringway");
  EXPECT_EQ(audit.entries(0).action(), "expired tier=t a: drained by 50 % -> serves fully");
  EXPECT_EQ(audit.entries(0).why(), "ordered by ann for 3s");
}

}  // namespace
}  // namespace ringway::controller
