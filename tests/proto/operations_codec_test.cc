// What is allowed in an operator's order to a router, and that whatever is told of it is taken by the
// controller.
#include "proto/operations_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace ringway::wire {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(OperationsCodecTest, AnOrderThatIsNotAllowedIsRefusedWithFieldAndBound) {
  struct Case {
    std::function<void(v1::DrainWorkersRequest&)> spoil;
    const char* told;
  };
  for (const Case& c : std::vector<Case>{
           {[](auto& r) { r.mutable_by()->set_who(std::string(257, 'w')); },
            "by.who: is 257 bytes long, allowed are 256"},
           {[](auto& r) { r.mutable_by()->set_why(std::string(1025, 'w')); }, "by.why: is 1025 bytes long"},
           {[](auto& r) { r.mutable_by()->set_order(std::string(65, 'o')); }, "by.order: is 65 bytes long"},
           {[](auto& r) { r.set_host("h"); }, "worker, host: exactly one of the two"},
           {[](auto& r) { r.clear_worker(); }, "worker, host: exactly one of the two"},
           {[](auto& r) { r.set_for_s(-1); }, "for_s is -1"},
           {[](auto& r) { r.set_drain(false), r.set_for_s(1); },
            "for_s is 1, but what takes a drain back"}}) {
    v1::DrainWorkersRequest request;
    request.set_worker("w1");
    request.set_drain(true);
    ASSERT_TRUE(CheckDrainWorkers(request).ok());
    c.spoil(request);
    EXPECT_THAT(CheckDrainWorkers(request).status().message(), HasSubstr(c.told));
  }
  v1::CancelRequest cancel;
  EXPECT_THAT(CheckCancel(cancel).message(), HasSubstr("job: is empty"));
  cancel.set_job("j");
  EXPECT_TRUE(CheckCancel(cancel).ok());
  cancel.mutable_by()->set_why(std::string(kWhyBytesMax + 1, 'y'));
  EXPECT_FALSE(CheckCancel(cancel).ok());
}

TEST(OperationsCodecTest, AnOrderIsOneLine) {
  v1::CancelRequest cancel;
  cancel.set_job("order-4711\nforged line");
  EXPECT_EQ(ActionOf(cancel), "cancel job order-4711%0Aforged line");
  v1::DrainWorkersRequest drain;
  drain.set_drain(true);
  drain.set_worker("w1");
  EXPECT_EQ(ActionOf(drain, {"w1"}), "drain worker w1");
  drain.set_for_s(1800);
  EXPECT_EQ(ActionOf(drain, {"w1"}), "drain worker w1 for 30m");
  drain.set_host("10.0.3.7");
  drain.clear_worker();
  EXPECT_EQ(ActionOf(drain, {"w1", "w2"}), "drain host 10.0.3.7 for 30m: w1, w2");
  drain.set_drain(false);
  drain.set_for_s(0);
  EXPECT_EQ(ActionOf(drain, {"w1"}), "undrain host 10.0.3.7: w1");
}

TEST(OperationsCodecTest, TheLongestLineIsTakenByTheController) {
  v1::DrainWorkersRequest drain;
  drain.set_drain(true);
  drain.set_host(std::string(5000, '\x01'));
  drain.set_for_s(kWhyBytesMax + 0.123456789);
  const std::string action = ActionOf(drain, std::vector<std::string>(256, std::string(400, '\xff')));
  EXPECT_THAT(action, AllOf(EndsWith(" more"), Not(HasSubstr("\x01"))));
  v1::OrderDone order;
  order.set_id("1");
  order.set_who("ann");
  order.set_action(action);
  EXPECT_TRUE(CheckOrderDone(order).ok()) << action.size();
  for (const auto& spoil : std::vector<std::function<void(v1::OrderDone&)>>{
           [](auto& o) { o.clear_id(); }, [](auto& o) { o.clear_who(); }, [](auto& o) { o.clear_action(); },
           [](auto& o) { o.set_id(std::string(kOrderIdBytesMax + 1, 'i')); },
           [](auto& o) { o.set_why(std::string(kWhyBytesMax + 1, 'y')); },
           [](auto& o) { o.set_action(std::string(kActionBytesMax + 1, 'a')); }}) {
    v1::OrderDone bad = order;
    spoil(bad);
    EXPECT_THAT(CheckOrderDone(bad).message(), HasSubstr("orders."));
  }
}

}  // namespace
}  // namespace ringway::wire
