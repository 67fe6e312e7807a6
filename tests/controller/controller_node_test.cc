// Who a controller listens to, whom it tells, and when.
#include "controller/controller_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/controller/controller_shell.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Time kStart = FromUnixSeconds(1);

RouterConnected HelloOf(StreamId stream, const std::string& router, TableVersion table = {}) {
  return {stream, {.router = router, .region = kR0, .address = "h:1", .table = table, .build = "test"}};
}

RouterReported ReportOf(StreamId stream, TableVersion table = {}, std::uint64_t epoch_seen_max = 0) {
  return {stream,
          {.sequence = 1, .tiers = {}, .workers = {}, .table = table, .epoch_seen_max = epoch_seen_max}};
}

OrderTold Order(std::uint64_t number, const std::string& id) {
  return {.number = number, .id = id, .who = "ann", .why = "test", .action = absl::StrCat("drain ", id)};
}

class ControllerNodeTest : public testing::Test {
 protected:
  void Open(StreamId stream) { controller_.Step(StreamOpened{stream}); }
  void Connect(StreamId stream, const std::string& router) {
    Open(stream);
    controller_.Step(HelloOf(stream, router));
  }
  // Epochs, between which `speaking` report. The last step is the end of the last one.
  void PassSeconds(int n, const std::vector<StreamId>& speaking = {}) {
    for (int i = 0; i < n; ++i) {
      controller_.now += Milliseconds(500);
      for (const StreamId stream : speaking) controller_.Step(ReportOf(stream));
      controller_.now += Milliseconds(500);
      controller_.Step(Tick{});
    }
  }
  std::vector<std::string> Notes() const {
    std::vector<std::string> texts;
    for (const Note& note : controller_.Taken<Note>()) texts.push_back(note.text);
    return texts;
  }

  TracedController controller_{MakeFleet({.regions = 1}), kStart};
};

TEST_F(ControllerNodeTest, AHelloIsWelcomedAndTheMachineHearsIt) {
  Open(1);
  EXPECT_THAT(controller_.told, IsEmpty());
  controller_.Step(HelloOf(1, "a"));
  ASSERT_THAT(controller_.told, SizeIs(1));
  ASSERT_THAT(controller_.Taken<SendWelcome>(), SizeIs(1));
  EXPECT_EQ(controller_.Taken<SendWelcome>()[0].epoch, 1u);
  EXPECT_THAT(controller_.Taken<SendMapTo>(), SizeIs(1));
  EXPECT_EQ(Notes()[0], "router a of r0 at h:1 connected, stream 1");
}

TEST_F(ControllerNodeTest, WhatComesBeforeAHelloEndsTheStream) {
  const std::vector<std::pair<std::string, std::function<void(StreamId)>>> cases = {
      {"report", [&](StreamId stream) { controller_.Step(ReportOf(stream)); }},
      {"ack",
       [&](StreamId stream) {
         controller_.Step(RouterAcked{stream, {1, 1}, true, ""});
       }},
      {"orders",
       [&](StreamId stream) {
         controller_.Step(OrdersTold{stream, {Order(1, "x")}});
       }},
      {"no message", [&](StreamId stream) {
         controller_.Step(MessageRefused{stream, false, "what?"});
       }}};
  StreamId stream = 0;
  for (const auto& [name, come] : cases) {
    Open(++stream);
    come(stream);
    const auto ends = controller_.Taken<EndStream>();
    ASSERT_THAT(ends, SizeIs(1)) << name;
    EXPECT_EQ(ends[0].end, StreamEnd::kRefused);
    EXPECT_EQ(ends[0].reason, "the first message must be a Hello") << name;
    EXPECT_THAT(controller_.told, IsEmpty()) << name;
    EXPECT_THAT(controller_.orders, IsEmpty()) << name;
    // From then on nobody listens.
    controller_.Step(HelloOf(stream, "late"));
    EXPECT_THAT(controller_.actions, IsEmpty()) << name;
    controller_.Step(StreamClosed{stream});
    EXPECT_THAT(controller_.told, IsEmpty()) << "it never came, so it is not gone: " << name;
  }
}

TEST_F(ControllerNodeTest, ASecondHelloEndsTheStream) {
  Connect(1, "a");
  controller_.Step(HelloOf(1, "a"));
  ASSERT_THAT(controller_.Taken<EndStream>(), SizeIs(1));
  EXPECT_EQ(controller_.Taken<EndStream>()[0].reason, "a second Hello on one stream");
  Connect(2, "b");
  controller_.Step(MessageRefused{2, true, "names no region"});
  EXPECT_EQ(controller_.Taken<EndStream>()[0].reason, "a second Hello on one stream");
}

TEST_F(ControllerNodeTest, WhatDoesNotDecodeEndsTheStreamWithTheReason) {
  Open(1);
  controller_.Step(MessageRefused{1, true, "names no region"});
  EXPECT_EQ(controller_.Taken<EndStream>()[0].reason, "names no region");
  Connect(2, "b");
  controller_.Step(MessageRefused{2, false, "a negative count"});
  EXPECT_EQ(controller_.Taken<EndStream>()[0].reason, "a negative count");
  EXPECT_EQ(Notes()[0], "stream 2 is closed: a negative count");
  controller_.Step(StreamClosed{2});
  EXPECT_TRUE(std::holds_alternative<RouterDisconnected>(controller_.told.back()));
}

TEST_F(ControllerNodeTest, ARouterThatConnectsAnewEndsItsFormerStream) {
  Connect(1, "a");
  Connect(2, "a");
  const auto ends = controller_.Taken<EndStream>();
  ASSERT_THAT(ends, SizeIs(1));
  EXPECT_EQ(ends[0].stream, 1u);
  EXPECT_EQ(ends[0].end, StreamEnd::kReplaced);
  controller_.Step(StreamClosed{1});
  EXPECT_EQ(controller_.node.machine().view().routers().at("a").stream, 2u);
}

TEST_F(ControllerNodeTest, WhoDoesNotIntroduceHimselfIsClosedOnce) {
  Open(7);
  PassSeconds(10);
  EXPECT_THAT(controller_.endings, IsEmpty());
  PassSeconds(1);
  EXPECT_EQ(controller_.endings[StreamEnd::kSilent], 1u);
  PassSeconds(60);
  EXPECT_EQ(controller_.endings[StreamEnd::kSilent], 1u);
}

TEST_F(ControllerNodeTest, WhoFallsSilentIsClosedOnceAndWhoSpeaksIsNot) {
  Connect(1, "a");
  Connect(2, "b");
  PassSeconds(30, {2});
  EXPECT_THAT(controller_.endings, IsEmpty());
  PassSeconds(1, {2});
  ASSERT_EQ(controller_.endings[StreamEnd::kSilent], 1u);
  EXPECT_TRUE(controller_.streams[1].ended);
  // The machine hears of it when it is over, as of any stream.
  EXPECT_EQ(controller_.node.machine().view().routers().at("a").stream, 1u);
  PassSeconds(60, {2});
  EXPECT_EQ(controller_.endings[StreamEnd::kSilent], 1u);
  controller_.Step(StreamClosed{1});
  EXPECT_EQ(controller_.node.streams(), 1u);
}

TEST_F(ControllerNodeTest, SilenceIsInReportPeriodsWhereTheseAreLong) {
  TracedController slow(MakeFleet(), kStart, {.report_period = Seconds(4)});
  slow.Step(StreamOpened{1});
  slow.Step(HelloOf(1, "a"));
  for (int s = 1; s <= 120; ++s) {
    slow.now += Seconds(1);
    slow.Step(Tick{});
  }
  EXPECT_THAT(slow.endings, IsEmpty());
  slow.now += Seconds(1);
  slow.Step(Tick{});
  EXPECT_EQ(slow.endings[StreamEnd::kSilent], 1u);
}

TEST_F(ControllerNodeTest, ATableForAllGoesToThoseWhoHaveIntroducedThemselves) {
  Connect(1, "a");
  Connect(2, "b");
  Open(3);
  Connect(4, "d");
  controller_.Step(MessageRefused{4, false, "what?"});
  std::set<StreamId> to;
  std::string cause;
  for (int i = 0; i < 30 && cause.empty(); ++i) {
    PassSeconds(1, {1, 2});
    to = controller_.TablesTo();
    for (const TableMade& made : controller_.Taken<TableMade>()) cause = made.cause;
    if (i == 5) controller_.Step(StreamOpened{5});
  }
  EXPECT_EQ(to, (std::set<StreamId>{1, 2}));
  EXPECT_EQ(cause, "first of epoch 1");
}

TEST_F(ControllerNodeTest, AMapForAllGoesToThoseWhoHaveIntroducedThemselves) {
  Connect(1, "a");
  Open(2);
  Connect(3, "c");
  controller_.Step(MessageRefused{3, false, "what?"});
  controller_.Step(TopologyLoaded{MakeFleet({.regions = 1, .workers = 20}), "text"});
  ASSERT_THAT(controller_.Taken<SendMapTo>(), SizeIs(1));
  EXPECT_EQ(controller_.Taken<SendMapTo>()[0].stream, 1u);
}

TEST_F(ControllerNodeTest, AClaimedEpochIsOnDiskBeforeAnybodyHearsIt) {
  Connect(1, "a");
  PassSeconds(20, {1});
  ASSERT_NE(controller_.node.machine().table(), nullptr);
  Open(2);
  controller_.Step(HelloOf(2, "b", {5, 3}));
  EXPECT_EQ(controller_.node.machine().epoch(), 6u);
  ASSERT_FALSE(controller_.actions.empty());
  const auto first_sent =
      std::find_if(controller_.actions.begin(), controller_.actions.end(), [](const auto& a) {
        return std::holds_alternative<SendTableTo>(a) || std::holds_alternative<SendWelcome>(a);
      });
  const auto saved = std::find_if(controller_.actions.begin(), controller_.actions.end(), [](const auto& a) {
    return std::holds_alternative<Persist>(a) && std::get<Persist>(a).now;
  });
  EXPECT_LT(saved - controller_.actions.begin(), first_sent - controller_.actions.begin());
}

TEST_F(ControllerNodeTest, WhatCanWaitIsSavedOnceAnEpoch) {
  Connect(1, "a");
  bool saved = false;
  for (int i = 0; i < 20; ++i) {
    PassSeconds(1, {1});
    const auto persists = controller_.Taken<Persist>();
    EXPECT_LE(persists.size(), 2u);
    if (!controller_.Taken<TableMade>().empty()) {
      ASSERT_FALSE(persists.empty());
      EXPECT_FALSE(persists.back().now);
      saved = true;
    }
  }
  EXPECT_TRUE(saved);
  EXPECT_THAT(controller_.Taken<Persist>(), IsEmpty()) << "nothing has changed";
  controller_.node.SaveFailed();
  PassSeconds(1, {1});
  EXPECT_THAT(controller_.Taken<Persist>(), SizeIs(1)) << "it is tried again";
  PassSeconds(1, {1});
  EXPECT_THAT(controller_.Taken<Persist>(), IsEmpty());
}

TEST_F(ControllerNodeTest, AnOrderIsRecordedOnceWhoeverBringsItAndAcknowledgedEachTime) {
  Connect(1, "a");
  Connect(2, "b");
  controller_.Step(OrdersTold{1, {Order(1, "x"), Order(2, "y")}});
  ASSERT_THAT(controller_.Taken<AuditEntry>(), SizeIs(2));
  EXPECT_EQ(controller_.Taken<AuditEntry>()[0].action, "drain x (router a)");
  EXPECT_EQ(controller_.Taken<SendRecorded>()[0].number, 2u);
  controller_.Step(OrdersTold{2, {Order(8, "y"), Order(9, "z")}});
  ASSERT_THAT(controller_.Taken<AuditEntry>(), SizeIs(1));
  EXPECT_EQ(controller_.Taken<AuditEntry>()[0].order, "z");
  EXPECT_EQ(controller_.Taken<SendRecorded>()[0].stream, 2u);
  EXPECT_EQ(controller_.Taken<SendRecorded>()[0].number, 9u);
  controller_.Step(OrdersTold{1, {Order(1, "x"), Order(2, "y")}});  // the answer was lost
  EXPECT_THAT(controller_.Taken<AuditEntry>(), IsEmpty());
  EXPECT_EQ(controller_.Taken<SendRecorded>()[0].number, 2u);
}

TEST_F(ControllerNodeTest, AnEarlierLifesOrdersAreKnownAndABadOneCostsNoStream) {
  TracedController next(MakeFleet(), kStart, {}, {}, {"x"});
  next.Step(StreamOpened{1});
  next.Step(HelloOf(1, "a"));
  OrderTold bad = Order(2, "bad");
  bad.refusal = "OrderDone.who: is empty";
  next.Step(OrdersTold{1, {Order(1, "x"), bad}});
  EXPECT_THAT(next.Taken<AuditEntry>(), IsEmpty());
  EXPECT_EQ(next.Taken<Note>()[0].text, "router a: not recorded: OrderDone.who: is empty");
  EXPECT_EQ(next.Taken<SendRecorded>()[0].number, 2u) << "or it would be told for ever";
  EXPECT_FALSE(next.streams[1].ended);
}

TEST_F(ControllerNodeTest, AsManyOrdersAreKnownAsTheAuditLogKeeps) {
  Connect(1, "a");
  for (std::size_t i = 0; i <= ControllerNode::kOrdersKnown; ++i) {
    controller_.Step(OrdersTold{1, {Order(i + 1, absl::StrCat("order", i))}});
  }
  controller_.orders.clear();
  controller_.Step(OrdersTold{1, {Order(1, "order1")}});
  EXPECT_THAT(controller_.Taken<AuditEntry>(), IsEmpty());
  controller_.Step(OrdersTold{1, {Order(1, "order0")}});
  EXPECT_THAT(controller_.Taken<AuditEntry>(), SizeIs(1)) << "too long ago";
}

TEST_F(ControllerNodeTest, WhoGoesDownEndsAllStreamsAndSavesWhatIsLeft) {
  Connect(1, "a");
  Open(2);
  controller_.node.SaveFailed();
  controller_.Step(GoDown{});
  EXPECT_EQ(controller_.endings[StreamEnd::kGoingDown], 2u);
  EXPECT_THAT(controller_.Taken<Persist>(), SizeIs(1));
  controller_.Step(GoDown{});
  EXPECT_EQ(controller_.endings[StreamEnd::kGoingDown], 2u);
  EXPECT_THAT(controller_.Taken<Persist>(), IsEmpty());
}

TEST_F(ControllerNodeTest, ATableThatWasTakenOverIsInTheHistory) {
  Connect(1, "a");
  PassSeconds(20, {1});
  TracedController next(MakeFleet({.regions = 1}), controller_.now, {}, controller_.node.machine().Durable());
  next.node.Begin(next);
  ASSERT_THAT(next.Taken<TableMade>(), SizeIs(1));
  EXPECT_EQ(next.Taken<TableMade>()[0].cause,
            absl::StrCat("taken over at the start of epoch ", next.node.machine().epoch()));
}

// A machine that lives beside the node, of the same fleet and events, says who is meant (TracedController).
TEST(ControllerNodeCanary, ItsTableGoesToItsRoutersAndTheOtherToAllOthers) {
  const auto file = [](double shed_above) {
    auto fleet = MakeFleet({.regions = 2, .ledger = true});
    for (Tier& tier : fleet->tiers) tier.guard.shed_above = shed_above;
    fleet->canary = CanarySpec{.share = 0.25, .period = Seconds(30)};
    return fleet;
  };
  Rig rig(file(3), {}, 4);
  rig.demand_rps = IdVector<RegionId, double>(2, 15.0);
  TracedController controller(file(3), rig.now);
  std::set<StreamId> some;
  rig.stepped = [&](const ControllerEvent& event, const std::vector<ControllerAction>&) {
    controller.now = rig.now;
    if (const auto* connected = std::get_if<RouterConnected>(&event)) {
      controller.Step(StreamOpened{connected->stream});
    }
    controller.Step(event);
    for (const TableMade& made : controller.Taken<TableMade>()) {
      if (made.cause.find("canary ") != 0) continue;
      some.clear();
      for (const SendTableTo& sent : controller.Taken<SendTableTo>()) {
        if (sent.table == made.table) some.insert(sent.stream);
      }
    }
  };
  rig.Connect();
  rig.PassSeconds(30);
  rig.Send(TopologyLoaded{file(1), "text"});
  for (int i = 0; i < 200 && some.empty(); ++i) rig.Second();
  std::set<StreamId> chosen;
  for (const auto& [stream, hello] : rig.routers) {
    if (rig.machine.trial().Chosen(hello.router)) chosen.insert(stream);
  }
  EXPECT_THAT(chosen, SizeIs(2));
  EXPECT_EQ(some, chosen);
}

}  // namespace
}  // namespace ringway::controller
