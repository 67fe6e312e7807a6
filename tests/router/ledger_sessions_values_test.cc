// What the shell of a ledger's leader remembers of workers and routers: the order of announcements, the
// numbers of names.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "router/daemon/control/router_numbers.h"
#include "router/session/announcement_order.h"

namespace ringway::router {
namespace {

TEST(AnnouncementOrder, WithinAStreamTheSequenceDecides) {
  AnnouncementOrder order;
  const auto first = order.Number(order.session(), 100);
  ASSERT_TRUE(first);
  EXPECT_FALSE(order.Number(order.session(), 100)) << "the same again, by the other way";
  EXPECT_FALSE(order.Number(order.session(), 99));
  const auto second = order.Number(order.session(), 101);
  ASSERT_TRUE(second);
  EXPECT_GT(*second, *first);
}

TEST(AnnouncementOrder, ANewStreamIsNewerWhateverTheWorkersClockSays) {
  AnnouncementOrder order;
  const auto before = order.session();
  const auto last = order.Number(before, 1'000'000);
  order.StreamBroke();
  EXPECT_FALSE(order.Number(before, 2'000'000)) << "the reply to a call of the life before";
  const auto next = order.Number(order.session(), 5);
  ASSERT_TRUE(next);
  EXPECT_GT(*next, *last);
}

TEST(RouterNumbers, ANameKeepsItsNumberWhileThereIsRoom) {
  RouterNumbers numbers(3);
  const auto free = [](RouterId) { return false; };
  const RouterId a = numbers.NumberOf("a", free);
  numbers.Came(a);
  numbers.Left(a);
  const RouterId b = numbers.NumberOf("b", free);
  EXPECT_NE(a, b);
  EXPECT_EQ(numbers.NumberOf("a", free), a);
}

TEST(RouterNumbers, WhoHasBeenGoneLongestMakesRoom) {
  RouterNumbers numbers(3);
  const auto free = [](RouterId) { return false; };
  for (const char* name : {"a", "b", "c"}) numbers.Came(numbers.NumberOf(name, free));
  EXPECT_FALSE(numbers.NumberOf("d", free).valid()) << "all stand";
  const RouterId c = numbers.NumberOf("c", free), b = numbers.NumberOf("b", free);
  numbers.Left(c);
  numbers.Left(b);
  EXPECT_FALSE(numbers.NumberOf("d", [](RouterId) { return true; }).valid())
      << "its leases are not ended yet";
  EXPECT_EQ(numbers.NumberOf("d", free), c);
  numbers.Came(c);
  EXPECT_EQ(numbers.NumberOf("c", free), b);
}

// A name that stands for two tiers is there until both streams have ended.
TEST(RouterNumbers, AreInUseAsLongAsOneStreamStands) {
  RouterNumbers numbers(1);
  const auto free = [](RouterId) { return false; };
  const RouterId a = numbers.NumberOf("a", free);
  numbers.Came(a);
  numbers.Came(a);
  numbers.Left(a);
  EXPECT_FALSE(numbers.NumberOf("b", free).valid());
  numbers.Left(a);
  EXPECT_TRUE(numbers.NumberOf("b", free).valid());
}

TEST(RouterNumbers, HoldForAnyNumberOfNames) {
  RouterNumbers numbers(16);
  for (int i = 0; i < 1000; ++i) {
    const RouterId number = numbers.NumberOf(std::to_string(i), [](RouterId) { return false; });
    ASSERT_TRUE(number.valid());
    ASSERT_LT(number.index(), 16u);
    numbers.Came(number);
    numbers.Left(number);
  }
}

}  // namespace
}  // namespace ringway::router
