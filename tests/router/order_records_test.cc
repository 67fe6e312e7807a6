// What is kept of operators' orders until a controller has it.
#include "router/daemon/operations/order_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "proto/operations_codec.h"

namespace ringway::router {
namespace {

using Part = OrderRecords::Part;

class OrderRecordsTest : public ::testing::Test {
 protected:
  void Give(const std::string& action, const std::string& order = "", Part part = Part::kOwn) {
    v1::Operator by;
    by.set_who("ann");
    by.set_why("because");
    by.set_order(order);
    records_.Add(by, part, action, FromUnixSeconds(1000));
  }
  v1::Report Told() const {
    v1::Report report;
    records_.Report(report);
    return report;
  }
  const runtime::Logger log_{"test", runtime::LogLevel::kError};
  OrderRecords records_{"r1", 7, true, log_};
};

TEST_F(OrderRecordsTest, AreToldUntilTheyAreRecorded) {
  records_.Welcomed(true);
  Give("drain worker w1");
  Give("undrain worker w1");
  for (int i = 0; i < 3; ++i) {
    const v1::Report told = Told();
    ASSERT_EQ(told.orders_size(), 2) << "an answer that was lost must not lose an order";
    EXPECT_EQ(told.orders(0).action(), "drain worker w1");
    EXPECT_EQ(told.orders(0).who(), "ann");
    EXPECT_EQ(told.orders(0).why(), "because");
    EXPECT_EQ(told.orders(0).at_unix_us(), 1'000'000'000);
    EXPECT_EQ(told.orders(0).id(), "r1/7.1");
    EXPECT_EQ(told.orders(1).number(), 2u);
  }
  records_.Recorded(1);
  ASSERT_EQ(Told().orders_size(), 1);
  EXPECT_EQ(Told().orders(0).action(), "undrain worker w1");
  records_.Recorded(1);
  records_.Recorded(2);
  EXPECT_EQ(Told().orders_size(), 0);
}

TEST_F(OrderRecordsTest, AControllerThatDoesNotRecordIsToldNothingAndTheNextOneEverything) {
  Give("drain worker w1");
  EXPECT_EQ(Told().orders_size(), 0);
  records_.Welcomed(false);
  EXPECT_EQ(Told().orders_size(), 0);
  records_.Welcomed(true);
  EXPECT_EQ(Told().orders_size(), 1);
  OrderRecords alone("r1", 7, false, log_);
  alone.Add(v1::Operator(), Part::kOwn, "drain worker w1", UnixEpoch());
  EXPECT_EQ(alone.size(), 0u) << "nobody would ever ask for it";
}

TEST_F(OrderRecordsTest, OneOrderHasOneIdAtEveryRouterUnlessTheirPartsDiffer) {
  records_.Welcomed(true);
  Give("cancel job j", "abc", Part::kSameEverywhere);
  Give("drain host h: w1", "def", Part::kOwn);
  EXPECT_EQ(Told().orders(0).id(), "abc");
  EXPECT_EQ(Told().orders(1).id(), "def/r1");
}

TEST_F(OrderRecordsTest, AreBoundedInMemoryAndInAReportAndTheNewestStay) {
  records_.Welcomed(true);
  const std::size_t given = OrderRecords::kKept + 10;
  for (std::size_t i = 1; i <= given; ++i) Give(absl::StrCat("order ", i));
  EXPECT_EQ(records_.size(), OrderRecords::kKept);
  std::set<std::string> heard;
  while (records_.size() > 0) {
    const v1::Report told = Told();
    ASSERT_GT(told.orders_size(), 0);
    ASSERT_LE(told.orders_size(), wire::kOrdersInReport);
    for (const v1::OrderDone& order : told.orders()) {
      EXPECT_TRUE(heard.insert(order.action()).second) << order.action();
      EXPECT_TRUE(wire::CheckOrderDone(order).ok());
    }
    records_.Recorded(told.orders(told.orders_size() - 1).number());
  }
  EXPECT_EQ(heard.size(), OrderRecords::kKept);
  EXPECT_TRUE(heard.contains(absl::StrCat("order ", given)));
  EXPECT_FALSE(heard.contains("order 10"));
}

}  // namespace
}  // namespace ringway::router
