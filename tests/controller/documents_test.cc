// The documents say what the machine says, and are JSON that another program reads.
#include "controller/screen/documents.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "controller/screen/dry_run_document.h"
#include "tests/controller/rig.h"

namespace ringway::controller {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;
using ::testing::HasSubstr;

Struct Parsed(const std::string& json) {
  Struct parsed;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &parsed);
  EXPECT_TRUE(status.ok()) << status << "\n" << json;
  return parsed;
}
const Value& At(const Struct& object, const std::string& key) {
  EXPECT_EQ(object.fields().count(key), 1u) << key;
  return object.fields().at(key);
}
const Struct& Item(const Value& list, int index) { return list.list_value().values(index).struct_value(); }
double Number(const Struct& object, const std::string& key) { return At(object, key).number_value(); }
std::string Text(const Struct& object, const std::string& key) { return At(object, key).string_value(); }

class DocumentsTest : public ::testing::Test {
 protected:
  DocumentsTest() : rig_(MakeFleet({.regions = 3, .priorities = 2})) {
    rig_.demand_rps[kR0] = 12;  // 120 % of its fleet
    rig_.Connect();
    rig_.PassSeconds(60);
  }
  ScreenView View() const { return {rig_.machine, rig_.now, rig_.now + Hours(24)}; }
  Struct Fleet() const {
    return Parsed(
        FleetDocument(View(), PictureOf(rig_.machine, rig_.now), events_, timeline_, outcomes_, Seconds(60)));
  }

  Rig rig_;
  EventLog events_;
  Timeline timeline_;
  Outcomes outcomes_;
};

TEST_F(DocumentsTest, TheFleetHasTheMachinesNumbersAndItsSumsAddUp) {
  const Struct fleet = Fleet();
  EXPECT_EQ(Number(fleet, "version"), static_cast<double>(rig_.machine.table()->version.version));
  EXPECT_EQ(Number(fleet, "at_ms"), static_cast<double>(ToUnixMillis(rig_.now + Hours(24))));
  const Struct& tier = Item(At(fleet, "tiers"), 0);
  EXPECT_NEAR(Number(tier, "demand"), Number(tier, "home") + Number(tier, "away") + Number(tier, "shed"),
              1e-3);
  EXPECT_GT(Number(tier, "away"), 1);
  const Struct& hot = Item(At(tier, "regions"), 0);
  EXPECT_EQ(Text(hot, "name"), "r0");
  EXPECT_NEAR(Number(hot, "demand"), 12, 0.5);
  EXPECT_NEAR(Number(hot, "load"), rig_.LoadOf(kR0), 0.05);
  EXPECT_GT(At(hot, "sent").struct_value().fields().at("r1").number_value(), 0.5);
  // All routers hold a table that is old enough to have arrived.
  const Value& routers = At(fleet, "routers");
  EXPECT_EQ(routers.list_value().values(0).list_value().values(0).number_value(), 2);
  EXPECT_EQ(routers.list_value().values(0).list_value().values(1).number_value(), 2);
}

TEST_F(DocumentsTest, WhatBecameOfJobsIsOfTheLastHalfMinute) {
  EXPECT_TRUE(At(At(Item(At(Fleet(), "tiers"), 0), "outcomes").struct_value(), "success").has_null_value());
  // Long ago, then of one router and of another one.
  outcomes_.Take(rig_.now - Seconds(40), {{.tier = TierId(0), .sent = {}, .failed = 1000}});
  outcomes_.Take(rig_.now - Seconds(5), {{.tier = TierId(0),
                                          .sent = {},
                                          .done = 80,
                                          .offers = 130,
                                          .failed = 10,
                                          .timeouts = 5,
                                          .cancelled = 7,
                                          .shed = 5,
                                          .wait_s_sum = 40,
                                          .service_s_sum = 160,
                                          .ran = 100}});
  outcomes_.Take(rig_.now, {{.tier = TierId(0), .sent = {}, .done = 20}});
  const Struct outcomes = At(Item(At(Fleet(), "tiers"), 0), "outcomes").struct_value();
  EXPECT_NEAR(Number(outcomes, "success"), 100.0 / 120, 1e-5);  // who left by himself is neither
  EXPECT_NEAR(Number(outcomes, "done"), 100.0 / 30, 1e-4);
  EXPECT_NEAR(Number(outcomes, "failed"), 10.0 / 30, 1e-5);
  EXPECT_NEAR(Number(outcomes, "late"), 5.0 / 30, 1e-5);
  EXPECT_NEAR(Number(outcomes, "wait_s"), 0.4, 1e-6);
  EXPECT_NEAR(Number(outcomes, "service_s"), 1.6, 1e-6);
  EXPECT_NEAR(Number(outcomes, "offers"), 1.3, 1e-6);
}

TEST_F(DocumentsTest, TheTableListsTheRowsThatLeaveHomeWithTheirReasonsAndNoOther) {
  const Struct table = Parsed(TableDocument(View()));
  const Value& rows = At(Item(At(table, "tiers"), 0), "rows");
  ASSERT_GE(rows.list_value().values_size(), 1);
  for (int i = 0; i < rows.list_value().values_size(); ++i) {
    const Struct& row = Item(rows, i);
    EXPECT_EQ(Text(row, "source"), "r0") << "the others are cool";
    double sum = Number(row, "shed");
    for (const Value& route : At(row, "routes").list_value().values()) {
      const Struct& entry = route.struct_value();
      sum += Number(entry, "share");
      if (Text(entry, "target") == "r0") continue;
      EXPECT_EQ(Text(entry, "reason"), "overload");
      EXPECT_EQ(Number(entry, "ring"), 0);
      EXPECT_EQ(Number(entry, "rtt_ms"), 41);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_F(DocumentsTest, BeforeThereIsATableTheDocumentSaysSo) {
  Rig young(MakeFleet());
  const Struct table = Parsed(TableDocument({young.machine, young.now, young.now}));
  EXPECT_EQ(At(table, "version").kind_case(), Value::kNullValue);
}

TEST_F(DocumentsTest, ARegionKnowsItsNeighboursByDistanceAndRing) {
  const Struct region = Parsed(*RegionDocument(View(), "t0", "r0"));
  const Value& neighbours = At(region, "neighbours");
  ASSERT_EQ(neighbours.list_value().values_size(), 2);
  EXPECT_EQ(Text(Item(neighbours, 0), "name"), "r1");
  EXPECT_EQ(Number(Item(neighbours, 0), "ring"), 0);
  EXPECT_EQ(Number(Item(neighbours, 1), "ring"), 1);
  EXPECT_GE(At(region, "lines").list_value().values_size(), 3);
  EXPECT_THAT(std::string(RegionDocument(View(), "t0", "mars").status().message()), HasSubstr("mars"));
  EXPECT_THAT(std::string(RegionDocument(View(), "t9", "r0").status().message()), HasSubstr("t9"));
}

TEST_F(DocumentsTest, ADryRunListsExactlyTheRowsThatWhatIfWouldName) {
  const DryRunEdit edit{.overload_threshold = 0.7, .drain = {}, .demand_scale = {}};
  const auto outcome = DryRun(rig_.machine.tiers()[0], edit, rig_.now);
  ASSERT_TRUE(outcome.ok());
  const Struct reply = Parsed(*DryRunDocument(View(), "t0", edit));
  EXPECT_EQ(Number(reply, "threshold_after"), 0.7);
  const Value& rows = At(reply, "rows");
  ASSERT_GT(outcome->changes.size(), 0u);
  ASSERT_EQ(rows.list_value().values_size(), static_cast<int>(outcome->changes.size()));
  for (int i = 0; i < rows.list_value().values_size(); ++i) {
    EXPECT_THAT(outcome->changes[static_cast<std::size_t>(i)],
                HasSubstr(Text(Item(rows, i), "source") + ", " + Text(Item(rows, i), "priority")));
  }
  for (const Value& region : At(reply, "regions").list_value().values()) {
    EXPECT_LE(Number(region.struct_value(), "after"), 0.701);
  }
  const DryRunEdit wrong{.overload_threshold = 2, .drain = {}, .demand_scale = {}};
  EXPECT_EQ(DryRunDocument(View(), "t0", wrong).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(DocumentsTest, ThePastIsNewestFirstAndKnowsItsGaps) {
  for (const double second : {0.0, 12.0, 15.0}) {
    timeline_.Add(rig_.now + Seconds(second), rig_.machine.fleet(), PictureOf(rig_.machine, rig_.now));
  }
  const Struct past = Parsed(*TimelineDocument(View(), timeline_, "t0"));
  const auto& demand = At(past, "demand").list_value();
  ASSERT_EQ(demand.values_size(), 3);
  EXPECT_NEAR(demand.values(0).number_value(), 18, 1);
  EXPECT_EQ(demand.values(1).kind_case(), Value::kNullValue);
  EXPECT_EQ(At(past, "regions").list_value().values_size(), 3);
  events_.EndEpoch(rig_.now, rig_.now, rig_.machine, PictureOf(rig_.machine, rig_.now));
  ASSERT_GE(events_.last(), 2u);
  const Struct all = Parsed(EventsDocument(events_, 0));
  EXPECT_EQ(Number(Item(At(all, "events"), 0), "number"), static_cast<double>(events_.last()));
  const Struct fresh = Parsed(EventsDocument(events_, events_.last() - 1));
  EXPECT_EQ(At(fresh, "events").list_value().values_size(), 1);
}

TEST_F(DocumentsTest, WorkersOfARegionAreToldByNameWithTheirStateInPages) {
  const Struct all = Parsed(*WorkersDocument(View(), "t0", "r0", {}));
  EXPECT_EQ(Number(all, "total"), 10);
  ASSERT_EQ(At(all, "workers").list_value().values_size(), 10);
  const Struct& first = Item(At(all, "workers"), 0);
  EXPECT_FALSE(Text(first, "router").empty());
  EXPECT_NEAR(Number(first, "busy"), rig_.LoadOf(kR0), 0.1);
  const Struct page = Parsed(*WorkersDocument(View(), "", "r0", {.from = 8, .limit = 5}));
  EXPECT_EQ(Number(page, "total"), 10);
  ASSERT_EQ(At(page, "workers").list_value().values_size(), 2);
  EXPECT_EQ(Text(Item(At(page, "workers"), 0), "name"), Text(Item(At(all, "workers"), 8), "name"));
  EXPECT_EQ(Parsed(*WorkersDocument(View(), "t0", "r0", {.from = 99})).fields().at("total").number_value(),
            10);
  EXPECT_THAT(std::string(WorkersDocument(View(), "t0", "mars", {}).status().message()), HasSubstr("mars"));
  // Nobody speaks for them any more.
  for (const StreamId stream : rig_.StreamsOf(kR0)) rig_.Send(RouterDisconnected{stream});
  const Struct lost = Parsed(*WorkersDocument(View(), "t0", "r0", {}));
  EXPECT_EQ(At(lost, "counts").struct_value().fields().at("lost").number_value(), 10);
}

TEST_F(DocumentsTest, ARouterThatHoldsAnOlderTableIsLateSinceTheFirstThatItLacks) {
  const Struct region = Parsed(*RoutersDocument(View(), "r0", {}));
  EXPECT_EQ(Number(region, "total"), 2);
  EXPECT_EQ(Number(region, "late"), 0);
  EXPECT_EQ(Text(Item(At(region, "routers"), 0), "state"), "here");
  const Struct all = Parsed(*RoutersDocument(View(), "", {.limit = 1}));
  EXPECT_EQ(Number(all, "total"), 6);
  EXPECT_EQ(At(all, "routers").list_value().values_size(), 1);
  // It goes on with what it has; the others get what a drain makes of it.
  const StreamId stream = rig_.StreamsOf(kR0)[0];
  RouterReport stuck = rig_.ReportOf(stream);
  rig_.Ask(DrainCommand{.region = "r1", .tier = ""});
  rig_.PassSeconds(20);
  rig_.Send(RouterReported{stream, stuck});
  const Struct later = Parsed(*RoutersDocument(View(), "r0", {}));
  EXPECT_EQ(Number(later, "late"), 1);
  for (const Value& value : At(later, "routers").list_value().values()) {
    const Struct& router = value.struct_value();
    const bool late = At(router, "late").bool_value();
    EXPECT_EQ(At(router, "late_since_ms").has_null_value(), !late);
    if (late) {
      EXPECT_LT(Number(router, "late_since_ms"), Number(router, "heard_ms") - 3000);
    }
  }
  rig_.Send(RouterDisconnected{stream});
  EXPECT_EQ(At(Parsed(*RoutersDocument(View(), "r0", {})), "counts")
                .struct_value()
                .fields()
                .at("gone")
                .number_value(),
            1);
}

TEST_F(DocumentsTest, OrdersInForceAreToldWithTheirEndAndWhatCountsThen) {
  EXPECT_EQ(At(Parsed(*OrdersDocument(View(), "")), "orders").list_value().values_size(), 0);
  rig_.Ask(ThresholdCommand{.tier = "t0", .overload_threshold = 0.6});
  rig_.Ask(DrainCommand{.region = "r1", .tier = "", .share = 0.5}, Minutes(10));
  const Struct orders = Parsed(*OrdersDocument(View(), "t0"));
  ASSERT_EQ(At(orders, "orders").list_value().values_size(), 2);
  const Struct& threshold = Item(At(orders, "orders"), 0);
  EXPECT_EQ(Text(threshold, "kind"), "threshold");
  EXPECT_EQ(Number(threshold, "value"), 0.6);
  EXPECT_EQ(threshold.fields().count("until_ms"), 0u);
  const Struct& drain = Item(At(orders, "orders"), 1);
  EXPECT_EQ(Text(drain, "kind"), "drain");
  EXPECT_EQ(Text(drain, "region"), "r1");
  EXPECT_EQ(Number(drain, "value"), 0.5);
  EXPECT_EQ(Number(drain, "then"), 0);
  const Time until = rig_.now + Hours(24) + Minutes(10);
  EXPECT_NEAR(Number(drain, "until_ms"), static_cast<double>(ToUnixMillis(until)), 2000);
}

}  // namespace
}  // namespace ringway::controller
