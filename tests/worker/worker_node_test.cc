// What a worker's node makes of streams, of its backend, of watchers and of orders.
#include "worker/worker_node.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/recording_shell.h"

namespace ringway {
namespace {

using ::testing::IsEmpty;

constexpr AttemptId kFirst = 1;
constexpr AttemptId kSecond = 2;
constexpr AttemptId kThird = 3;

WorkerSettings Small() {
  WorkerSettings settings;
  settings.slot.upload_max = Seconds(3);
  settings.slot.drain_max = Seconds(60);
  settings.slot.failures_before_rest = 2;
  settings.slot.rest = Seconds(5);
  settings.payload_bytes_max = 100;
  settings.result_bytes_max = 1000;
  settings.unsent_bytes_max = 1500;
  settings.delivery_max = Seconds(30);
  settings.heartbeat = Milliseconds(500);
  return settings;
}

class WorkerNodeTest : public ::testing::Test {
 protected:
  // Steps, and leaves what came of it alone in the record.
  template <class Event>
  const RecordingShell& Step(const Event& event) {
    shell_.actions.clear();
    node_.Step(now_, event, shell_);
    return shell_;
  }
  template <class Event>
  const RecordingShell& After(Duration span, const Event& event) {
    now_ += span;
    return Step(event);
  }
  const RecordingShell& Offer(AttemptId id, std::uint64_t payload_bytes = 0,
                              Time deadline = InfiniteFuture()) {
    return Step(
        AttemptOffered{{.attempt = id, .lease = {}, .grant = {}, .deadline = deadline}, payload_bytes});
  }
  void Run(AttemptId id) {
    Offer(id);
    Step(UploadEnded{id});
    ASSERT_EQ(shell_.Count<StartWork>(), 1u);
  }
  // Ended so, and nothing to hear it but the stream.
  void End(AttemptId id, Outcome outcome = Outcome::kDone) {
    Run(id);
    Step(WorkEnded{outcome});
  }
  EndAttempt OnlyEnd() {
    const auto ends = shell_.All<EndAttempt>();
    EXPECT_EQ(ends.size(), 1u);
    return ends.empty() ? EndAttempt{} : ends.front();
  }

  Time now_ = UnixEpoch() + Seconds(1000);
  RecordingShell shell_;
  WorkerNode node_{Small()};
};

TEST_F(WorkerNodeTest, AJobIsAcceptedStartedWhenItsPayloadIsCompleteAndEnds) {
  EXPECT_EQ(Offer(kFirst, 10).Count<AcceptAttempt>(), 1u);
  EXPECT_EQ(shell_.Count<TellWatchers>(), 1u);
  EXPECT_EQ(Step(PayloadArrived{kFirst, 10}).Count<KeepPayload>(), 1u);
  EXPECT_EQ(shell_.actions.size(), 1u);
  EXPECT_EQ(Step(UploadEnded{kFirst}).Count<StartWork>(), 1u);
  EXPECT_EQ(Step(WorkProgressed{1, 4}).Count<RelayProgress>(), 1u);
  EXPECT_EQ(Step(ResultMade{500}).Count<RelayResult>(), 1u);
  After(Seconds(2), WorkEnded{Outcome::kDone});
  const EndAttempt end = OnlyEnd();
  EXPECT_EQ(end.outcome, Outcome::kDone);
  EXPECT_EQ(end.result_bytes, 500u);
  EXPECT_TRUE(end.started);
  EXPECT_EQ(end.service, Seconds(2));
  EXPECT_EQ(shell_.Count<TellWatchers>(), 1u) << "the slot is free again, and all hear it";
  EXPECT_EQ(node_.totals().done, 1u);
  EXPECT_EQ(Offer(kSecond).Count<AcceptAttempt>(), 1u) << "while the first result is on its way out";
}

class Played : public WorkerNodeTest {
 public:
  using WorkerNodeTest::After;
  using WorkerNodeTest::End;
  using WorkerNodeTest::node_;
  using WorkerNodeTest::now_;
  using WorkerNodeTest::Offer;
  using WorkerNodeTest::OnlyEnd;
  using WorkerNodeTest::Run;
  using WorkerNodeTest::shell_;
  using WorkerNodeTest::Step;
  void TestBody() override {}
};

struct EndRow {
  const char* name;
  std::function<void(Played&)> happens;
  Outcome outcome;
  EndReason reason;
  bool started = false;
};

std::vector<EndRow> EndsOfUploads() {
  return {
      {"a chunk before the header",
       [](Played& w) {
         w.Step(PayloadArrived{kFirst, 1});
       },
       Outcome::kRejected, EndReason::kNoHeader},
      {"no offer to this worker", [](Played& w) { w.Step(MessageMalformed{kFirst}); }, Outcome::kRejected,
       EndReason::kMalformed},
      {"nothing at all", [](Played& w) { w.Step(UploadEnded{kFirst}); }, Outcome::kRejected,
       EndReason::kNoJob},
      {"a second header",
       [](Played& w) {
         w.Offer(kFirst);
         w.Offer(kFirst);
       },
       Outcome::kRejected, EndReason::kNotPayload},
      {"something else after the header",
       [](Played& w) {
         w.Offer(kFirst);
         w.Step(MessageMalformed{kFirst});
       },
       Outcome::kRejected, EndReason::kNotPayload},
      {"a payload that is too large",
       [](Played& w) {
         w.Offer(kFirst);
         w.Step(PayloadArrived{kFirst, 100});
         w.Step(PayloadArrived{kFirst, 1});
       },
       Outcome::kRejected, EndReason::kPayloadTooLarge},
      {"a payload that is shorter than stated",
       [](Played& w) {
         w.Offer(kFirst, 10);
         w.Step(PayloadArrived{kFirst, 9});
         w.Step(UploadEnded{kFirst});
       },
       Outcome::kRejected, EndReason::kPayloadLength},
      {"an upload that stalls",
       [](Played& w) {
         w.Offer(kFirst);
         w.After(Seconds(3), WorkerWake{});
       },
       Outcome::kTimeout, EndReason::kWork},
      {"who offered leaves while uploading",
       [](Played& w) {
         w.Offer(kFirst);
         w.Step(AttemptCancelled{kFirst});
       },
       Outcome::kCancelled, EndReason::kWork},
      {"his stream closes",
       [](Played& w) {
         w.Offer(kFirst);
         w.Step(StreamClosed{kFirst});
       },
       Outcome::kCancelled, EndReason::kWork},
  };
}

std::vector<EndRow> EndsOfRuns() {
  return {
      {"he leaves while the job runs",
       [](Played& w) {
         w.Run(kFirst);
         EXPECT_EQ(w.Step(AttemptCancelled{kFirst}).Count<CancelWork>(), 1u);
         EXPECT_EQ(w.shell_.Count<BreakStream>(), 1u);
         EXPECT_EQ(w.shell_.Count<EndAttempt>(), 0u);
         w.Step(WorkEnded{Outcome::kCancelled});
       },
       Outcome::kCancelled, EndReason::kWork, true},
      {"he wants it no more while the job runs, and waits",
       [](Played& w) {
         w.Run(kFirst);
         EXPECT_EQ(w.Step(AttemptWithdrawn{kFirst}).Count<CancelWork>(), 1u);
         EXPECT_EQ(w.shell_.Count<BreakStream>(), 0u);
         EXPECT_EQ(w.shell_.Count<EndAttempt>(), 0u);
         EXPECT_THAT(w.Step(AttemptWithdrawn{kSecond}).actions, IsEmpty()) << "another one's";
         w.Step(WorkEnded{Outcome::kCancelled});
       },
       Outcome::kCancelled, EndReason::kWork, true},
      {"the deadline passes while the job runs",
       [](Played& w) {
         w.Offer(kFirst, 0, w.now_ + Seconds(1));
         w.Step(UploadEnded{kFirst});
         EXPECT_EQ(w.After(Seconds(1), WorkerWake{}).Count<CancelWork>(), 1u);
         w.Step(WorkEnded{Outcome::kCancelled});
       },
       Outcome::kTimeout, EndReason::kWork, true},
      {"a result that is too large, of a job that the backend calls done",
       [](Played& w) {
         w.Run(kFirst);
         EXPECT_EQ(w.Step(ResultMade{1000}).Count<RelayResult>(), 1u);
         EXPECT_EQ(w.Step(ResultMade{1}).Count<CancelWork>(), 1u);
         EXPECT_THAT(w.Step(ResultMade{1}).actions, IsEmpty());
         w.Step(WorkEnded{Outcome::kDone});
         EXPECT_EQ(w.node_.totals().done, 0u);
       },
       Outcome::kFailed, EndReason::kResultTooLarge, true},
      {"the backend fails",
       [](Played& w) {
         w.Run(kFirst);
         w.Step(WorkEnded{Outcome::kFailed});
       },
       Outcome::kFailed, EndReason::kWork, true},
  };
}

std::vector<EndRow> Refusals() {
  return {
      {"the slot is taken",
       [](Played& w) {
         w.Run(kFirst);
         w.Offer(kSecond);
         EXPECT_GT(w.OnlyEnd().retry_after, ZeroDuration());
       },
       Outcome::kBusy, EndReason::kRefused},
      {"the deadline has passed", [](Played& w) { w.Offer(kFirst, 0, w.now_); }, Outcome::kTimeout,
       EndReason::kRefused},
      {"it drains",
       [](Played& w) {
         w.Step(SlotDrain{});
         w.Offer(kFirst);
         EXPECT_EQ(w.OnlyEnd().refusal, Refusal::kDraining);
       },
       Outcome::kBusy, EndReason::kRefused},
  };
}

void ExpectEnds(const std::vector<EndRow>& rows) {
  for (const EndRow& row : rows) {
    SCOPED_TRACE(row.name);
    Played worker;
    row.happens(worker);
    const EndAttempt end = worker.OnlyEnd();
    EXPECT_EQ(end.outcome, row.outcome);
    EXPECT_EQ(end.reason, row.reason);
    EXPECT_EQ(end.started, row.started);
    const bool others = end.reason == EndReason::kRefused;
    EXPECT_TRUE(others || !worker.node_.slot().busy());
  }
}

TEST(WorkerNodeEnds, AnUploadEndsOnceForTheRightReason) { ExpectEnds(EndsOfUploads()); }
TEST(WorkerNodeEnds, AJobThatRunsEndsOnceForTheRightReason) { ExpectEnds(EndsOfRuns()); }
TEST(WorkerNodeEnds, WhoIsRefusedHearsWhy) { ExpectEnds(Refusals()); }

TEST_F(WorkerNodeTest, WhatComesAfterTheEndIsIgnored) {
  End(kFirst);
  EXPECT_THAT(Step(PayloadArrived{kFirst, 1}).actions, IsEmpty());
  EXPECT_THAT(Step(MessageMalformed{kFirst}).actions, IsEmpty());
  EXPECT_THAT(Step(UploadEnded{kFirst}).actions, IsEmpty());
  EXPECT_THAT(Offer(kFirst).actions, IsEmpty());
  EXPECT_THAT(Step(StreamClosed{kFirst}).actions, IsEmpty());
}

TEST_F(WorkerNodeTest, NobodyIsToldWhoseStreamBroke) {
  Run(kFirst);
  Step(AttemptCancelled{kFirst});
  EXPECT_THAT(Step(WorkProgressed{1, 4}).actions, IsEmpty());
  EXPECT_THAT(Step(ResultMade{10}).actions, IsEmpty());
  Step(StreamClosed{kFirst});
  EXPECT_EQ(Step(WorkEnded{Outcome::kCancelled}).Count<EndAttempt>(), 1u) << "for the log and the figures";
}

TEST_F(WorkerNodeTest, WatchersHearChangesAndAHeartbeat) {
  EXPECT_EQ(node_.NextHeartbeat(), InfiniteFuture());
  const auto first = Step(WatchOpened{7}).All<TellWatcher>();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].watch, 7u);
  EXPECT_EQ(shell_.Count<TellWatchers>(), 0u);
  EXPECT_EQ(node_.NextHeartbeat(), now_ + Milliseconds(500));
  // One that comes later does not put off what the first is to hear.
  EXPECT_EQ(After(Milliseconds(300), WatchOpened{8}).Count<TellWatcher>(), 1u);
  EXPECT_EQ(node_.NextHeartbeat(), now_ + Milliseconds(200));
  EXPECT_EQ(After(Milliseconds(199), WorkerWake{}).Count<TellWatchers>(), 0u);
  EXPECT_EQ(After(Milliseconds(1), WorkerWake{}).Count<TellWatchers>(), 1u);
  // A change is as good.
  now_ += Milliseconds(100);
  EXPECT_EQ(Offer(kFirst).Count<TellWatchers>(), 1u);
  EXPECT_EQ(node_.NextHeartbeat(), now_ + Milliseconds(500));
  Step(WatchClosed{});
  EXPECT_NE(node_.NextHeartbeat(), InfiniteFuture());
  Step(WatchClosed{});
  EXPECT_EQ(node_.NextHeartbeat(), InfiniteFuture());
}

TEST_F(WorkerNodeTest, ANumberIsNeverUsedTwice) {
  const auto opened = Step(WatchOpened{7}).All<TellWatcher>().at(0).sequence;
  const auto accepted = Offer(kFirst).All<TellWatchers>().at(0).sequence;
  Step(SlotDrain{});
  const auto drained = shell_.All<TellWatchers>().at(0).sequence;
  const auto answered = shell_.All<TellCaller>().at(0).sequence;
  const auto fenced = Step(SlotFenced{.by = {1, 1}, .upto = {{1, 1}, 0}}).All<TellCaller>().at(0).sequence;
  EXPECT_TRUE(opened < accepted && accepted < drained && drained < answered && answered < fenced);
}

TEST_F(WorkerNodeTest, ThatAGrantedJobHasBegunIsNoNewAnnouncement) {
  Step(WatchOpened{7});
  const Lease lease{{1, 1}, 5};
  const auto begun = Step(AttemptOffered{{.attempt = kFirst, .grant = lease}, 0}).All<TellWatchers>();
  ASSERT_EQ(begun.size(), 1u);
  EXPECT_FALSE(begun[0].announces);
  EXPECT_EQ(begun[0].sequence, node_.slot().sequence());
  const auto beat = After(Milliseconds(500), WorkerWake{}).All<TellWatchers>();
  ASSERT_EQ(beat.size(), 1u);
  EXPECT_TRUE(beat[0].announces);
  EXPECT_GT(beat[0].sequence, begun[0].sequence);
  // A probe's job is news to a leader.
  Step(UploadEnded{kFirst});
  Step(WorkEnded{Outcome::kDone});
  EXPECT_TRUE(shell_.All<TellWatchers>().at(0).announces);
  EXPECT_TRUE(Offer(kSecond).All<TellWatchers>().at(0).announces);
}

TEST_F(WorkerNodeTest, AFenceReachesTheSlot) {
  Step(SlotFenced{.by = {4, 2}, .upto = {{4, 2}, 0}});
  EXPECT_EQ(node_.slot().fence(), (Lease{{4, 2}, 0}));
}

TEST_F(WorkerNodeTest, SaysWhenItBeginsAndCeasesToServe) {
  EXPECT_THAT(Step(SlotDrain{}).All<ServingChanged>().at(0).serving, false);
  EXPECT_EQ(Step(SlotDrain{}).Count<ServingChanged>(), 0u);
  EXPECT_THAT(Step(SlotDrain{false}).All<ServingChanged>().at(0).serving, true);
  End(kFirst, Outcome::kFailed);
  End(kSecond, Outcome::kFailed);
  EXPECT_THAT(shell_.All<ServingChanged>().at(0).serving, false);
  EXPECT_EQ(node_.NextWake(), now_ + Seconds(5));
  EXPECT_THAT(After(Seconds(5), WorkerWake{}).All<ServingChanged>().at(0).serving, true);
}

TEST_F(WorkerNodeTest, StopsWhenNothingRunsAndNothingIsOnItsWayOut) {
  Run(kFirst);
  EXPECT_EQ(Step(StopOrdered{}).Count<WentQuiet>(), 0u);
  EXPECT_EQ(Offer(kSecond).Count<AcceptAttempt>(), 0u);
  EXPECT_EQ(Step(SlotDrain{false}).Count<TellCaller>(), 1u);
  Offer(kThird);
  EXPECT_EQ(OnlyEnd().refusal, Refusal::kDraining) << "a worker that was told to end stays in its drain";
  EXPECT_EQ(Step(WorkEnded{Outcome::kDone}).Count<WentQuiet>(), 0u);
  EXPECT_EQ(Step(StreamClosed{kFirst}).Count<WentQuiet>(), 1u);
  EXPECT_EQ(Step(StopOrdered{}).Count<WentQuiet>(), 0u);
}

TEST_F(WorkerNodeTest, AnIdleWorkerStopsAtOnce) { EXPECT_EQ(Step(StopOrdered{}).Count<WentQuiet>(), 1u); }

TEST_F(WorkerNodeTest, AResultThatNobodyFetchesIsGivenUp) {
  End(kFirst);
  EXPECT_EQ(node_.NextWake(), now_ + Seconds(30));
  EXPECT_EQ(After(Seconds(29), WorkerWake{}).Count<BreakStream>(), 0u);
  const auto broken = After(Seconds(1), WorkerWake{}).All<BreakStream>();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].reason, BreakReason::kNotFetched);
  EXPECT_EQ(node_.NextWake(), InfiniteFuture());
  EXPECT_EQ(After(Seconds(30), WorkerWake{}).Count<BreakStream>(), 0u);
}

TEST_F(WorkerNodeTest, OfResultsThatTakeTooMuchTheOldestGoes) {
  for (const AttemptId id : {kFirst, kSecond}) {
    Run(id);
    Step(ResultMade{700});
    EXPECT_THAT(Step(ResultWaits{id, 700}).actions, IsEmpty());
    Step(WorkEnded{Outcome::kDone});
  }
  Run(kThird);
  Step(ResultMade{101});
  auto broken = Step(ResultWaits{kThird, 101}).All<BreakStream>();
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].attempt, kFirst);
  EXPECT_EQ(broken[0].reason, BreakReason::kTooMuchUnsent);
  // It counts no more, though its stream has not closed yet.
  EXPECT_THAT(Step(ResultWaits{kFirst, 700}).actions, IsEmpty());
  EXPECT_THAT(Step(ResultWaits{kThird, 800}).actions, IsEmpty());
  EXPECT_THAT(Step(ResultWaits{kSecond, 0}).actions, IsEmpty());
  EXPECT_EQ(Step(ResultWaits{kThird, 1501}).All<BreakStream>().at(0).attempt, kThird);
}

}  // namespace
}  // namespace ringway
