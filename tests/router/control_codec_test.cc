// What a router says to the controller, and how it reads a welcome and the word of a worker.
#include "router/wire/control_codec.h"

#include <gtest/gtest.h>

#include <limits>

#include "router/wire/worker_codec.h"
#include "tests/router/two_workers.h"

namespace ringway::router {
namespace {

TEST(RouterControlCodec, AReportTellsOfTiersThatAreNotRetired) {
  Fleet fleet = FleetOfTwo();
  fleet.tiers.push_back(fleet.tiers[TierId(0)]);
  fleet.tiers[TierId(1)].name = "old";
  SendReport sent{.sequence = 9, .period = Milliseconds(1500), .table = {2, 5}, .epoch_seen_max = 3};
  sent.view = {4, 2};
  sent.tiers.resize(2);
  dispatch::TrafficCounters& counters = sent.tiers[TierId(0)].counters;
  counters.entered[1] = 6;
  counters.sent.resize(2);
  counters.sent[RegionId(1)] = 7;
  counters.attempts = 8;
  counters.wait = Milliseconds(2500);
  sent.tiers[TierId(0)].waiting = 11;
  IdVector<TierId, bool> retired(2, false);
  retired[TierId(1)] = true;
  const v1::Report report = EncodeReport(sent, fleet, retired);
  EXPECT_EQ(report.sequence(), 9u);
  EXPECT_EQ(report.period_s(), 1.5);
  EXPECT_EQ(report.table_epoch(), 2u);
  EXPECT_EQ(report.table_version(), 5u);
  EXPECT_EQ(report.epoch_seen_max(), 3u);
  EXPECT_EQ(report.view_epoch(), 4u);
  EXPECT_EQ(report.view_version(), 2u);
  ASSERT_EQ(report.tiers_size(), 1);
  const v1::TierReport& tier = report.tiers(0);
  EXPECT_EQ(tier.tier(), "animate");
  ASSERT_EQ(tier.entered_size(), 2);
  EXPECT_EQ(tier.entered(1), 6u);
  ASSERT_EQ(tier.sent_size(), 1) << "a region that got nothing is not told of";
  EXPECT_EQ(tier.sent(0).region(), "there");
  EXPECT_EQ(tier.sent(0).count(), 7u);
  EXPECT_EQ(tier.offers(), 8u);
  EXPECT_EQ(tier.wait_s_sum(), 2.5);
  EXPECT_EQ(tier.waiting(), 11u);
}

TEST(RouterControlCodec, AWorkerIsToldByItsNameAndAddress) {
  const v1::WorkerReport worker = EncodeWorker({.worker = WorkerId(0),
                                                .healthy = false,
                                                .draining = true,
                                                .busy = true,
                                                .adopted = true,
                                                .busy_time = Milliseconds(250)},
                                               {"w", "animate", "a:1"});
  EXPECT_EQ(worker.name(), "w");
  EXPECT_EQ(worker.tier(), "animate");
  EXPECT_EQ(worker.address(), "a:1");
  EXPECT_FALSE(worker.healthy());
  EXPECT_TRUE(worker.draining());
  EXPECT_EQ(worker.busy(), 1u);
  EXPECT_TRUE(worker.adopted());
  EXPECT_EQ(worker.busy_s(), 0.25);
}

TEST(RouterControlCodec, AWelcomeOfAnUnknownReleaseIsRefusedAndAnAbsurdPeriodIsNot) {
  v1::Welcome welcome;
  EXPECT_FALSE(DecodeWelcome(welcome).ok());
  welcome.set_wire_version(1);
  welcome.set_epoch(7);
  welcome.set_report_period_s(0.25);
  const auto read = DecodeWelcome(welcome);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->epoch, 7u);
  EXPECT_EQ(read->report_period, Milliseconds(250));
  for (const double absurd : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    welcome.set_report_period_s(absurd);
    EXPECT_EQ(DecodeWelcome(welcome)->report_period, Seconds(1)) << absurd;
  }
}

TEST(WorkerCodec, AStateIsAnAnnouncement) {
  v1::WorkerState state;
  state.set_healthy(true);
  state.set_sequence(12);
  state.set_fence("L2-1-8");
  state.set_lease("L2-1-7");
  ledger::Announce announce = AnnouncementOf(WorkerId(3), state);
  EXPECT_EQ(announce.status, ledger::WorkerStatus::kIdle);
  EXPECT_EQ(announce.sequence, 12u);
  EXPECT_EQ(announce.fence, (Lease{{2, 1}, 8}));
  EXPECT_EQ(announce.running, Lease{}) << "of a job that has ended";
  state.set_busy(true);
  announce = AnnouncementOf(WorkerId(3), state);
  EXPECT_EQ(announce.status, ledger::WorkerStatus::kBusy);
  EXPECT_EQ(announce.running, (Lease{{2, 1}, 7}));
  state.set_draining(true);
  EXPECT_EQ(AnnouncementOf(WorkerId(3), state).status, ledger::WorkerStatus::kLeaving);
  state.set_busy(false);
  state.set_draining(false);
  state.set_healthy(false);
  EXPECT_EQ(AnnouncementOf(WorkerId(3), state).status, ledger::WorkerStatus::kBusy) << "it rests";
}

TEST(WorkerCodec, AFenceSaysWhoAndUpToWhat) {
  const v1::FenceRequest request =
      EncodeFence({.worker = WorkerId(0), .by = {4, 2}, .upto = {{4, 2}, 9}, .revoke = true});
  EXPECT_EQ(request.leader_epoch(), 4u);
  EXPECT_EQ(request.appointment(), 2u);
  EXPECT_EQ(request.upto(), "L4-2-9");
  EXPECT_TRUE(request.revoke());
}

}  // namespace
}  // namespace ringway::router
