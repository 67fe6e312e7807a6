// What is kept of operators' orders until a controller has it.
#include "router/order_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"

namespace ringway::router::order_records_test {
namespace {

using Part = OrderGiven::Part;

class OrderRecordsTest : public ::testing::Test {
 protected:
  std::optional<OrderDone> Give(const std::string& action, const std::string& name = "",
                                Part part = Part::kOwn) {
    return records_.Add({.who = "ann", .why = "because", .name = name, .part = part, .action = action},
                        FromUnixSeconds(1000));
  }
  OrderRecords records_{"r1", 7, true};
};

TEST_F(OrderRecordsTest, AreToldUntilTheyAreRecorded) {
  records_.Welcomed(true);
  Give("drain worker w1");
  Give("undrain worker w1");
  for (int i = 0; i < 3; ++i) {
    const std::vector<OrderDone> told = records_.Told();
    ASSERT_EQ(told.size(), 2u) << "an answer that was lost must not lose an order";
    EXPECT_EQ(told[0].action, "drain worker w1");
    EXPECT_EQ(told[0].who, "ann");
    EXPECT_EQ(told[0].why, "because");
    EXPECT_EQ(told[0].at, FromUnixSeconds(1000));
    EXPECT_EQ(told[0].id, "r1/7.1");
    EXPECT_EQ(told[1].number, 2u);
  }
  records_.Recorded(1);
  ASSERT_EQ(records_.Told().size(), 1u);
  EXPECT_EQ(records_.Told()[0].action, "undrain worker w1");
  records_.Recorded(1);
  records_.Recorded(2);
  EXPECT_TRUE(records_.Told().empty());
}

TEST_F(OrderRecordsTest, AControllerThatDoesNotRecordIsToldNothingAndTheNextOneEverything) {
  Give("drain worker w1");
  EXPECT_TRUE(records_.Told().empty());
  records_.Welcomed(false);
  EXPECT_TRUE(records_.Told().empty());
  records_.Welcomed(true);
  EXPECT_EQ(records_.Told().size(), 1u);
  OrderRecords alone("r1", 7, false);
  alone.Add({.action = "drain worker w1"}, UnixEpoch());
  EXPECT_TRUE(alone.orders().empty()) << "nobody would ever ask for it";
}

TEST_F(OrderRecordsTest, OneOrderHasOneIdAtEveryRouterUnlessTheirPartsDiffer) {
  records_.Welcomed(true);
  Give("cancel job j", "abc", Part::kSameEverywhere);
  Give("drain host h: w1", "def", Part::kOwn);
  EXPECT_EQ(records_.Told()[0].id, "abc");
  EXPECT_EQ(records_.Told()[1].id, "def/r1");
}

TEST_F(OrderRecordsTest, SomebodyGaveAnOrderThatNobodySigned) {
  records_.Welcomed(true);
  records_.Add({.action = "cancel job j"}, UnixEpoch());
  EXPECT_EQ(records_.Told()[0].who, "somebody");
}

TEST_F(OrderRecordsTest, AreBoundedInMemoryAndInAReportAndTheNewestStay) {
  records_.Welcomed(true);
  const std::size_t given = OrderRecords::kKept + 10;
  for (std::size_t i = 1; i <= given; ++i) {
    const auto lost = Give(absl::StrCat("order ", i));
    ASSERT_EQ(lost.has_value(), i > OrderRecords::kKept) << i;
    if (!lost) continue;
    EXPECT_EQ(lost->action, absl::StrCat("order ", i - OrderRecords::kKept));
  }
  EXPECT_EQ(records_.orders().size(), OrderRecords::kKept);
  std::set<std::string> heard;
  while (!records_.orders().empty()) {
    const std::vector<OrderDone> told = records_.Told();
    ASSERT_FALSE(told.empty());
    ASSERT_LE(told.size(), OrderRecords::kTold);
    for (const OrderDone& order : told) EXPECT_TRUE(heard.insert(order.action).second) << order.action;
    records_.Recorded(told.back().number);
  }
  EXPECT_EQ(heard.size(), OrderRecords::kKept);
  EXPECT_TRUE(heard.contains(absl::StrCat("order ", given)));
  EXPECT_FALSE(heard.contains("order 10"));
}

}  // namespace
}  // namespace ringway::router::order_records_test
