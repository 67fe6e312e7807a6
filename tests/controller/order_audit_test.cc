// What routers tell of operators' orders comes into the audit log once, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "controller/daemon/daemon.h"
#include "proto/table_codec.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/controller/daemon_fixture.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"

namespace ringway::controller {
namespace {

using ::testing::ElementsAre;

v1::OrderDone Order(std::uint64_t number, const std::string& id, const std::string& action) {
  v1::OrderDone order;
  order.set_number(number);
  order.set_id(id);
  order.set_at_unix_us(ToUnixMicros(absl::Now() - Minutes(5)));
  order.set_who("ann@laptop");
  order.set_why("memory errors");
  order.set_action(action);
  return order;
}

class OrderAuditTest : public DaemonFixture {
 protected:
  OrderAuditTest() { Start(); }
  std::unique_ptr<TestRouter> Router(const std::string& name) {
    auto router = std::make_unique<TestRouter>(daemon_->grpc_address(), name, "a");
    router->Hello();
    EXPECT_TRUE(router->Await([](const RouterNews& news) { return !news.welcomes.empty(); }));
    EXPECT_TRUE(router->news().welcomes[0].records_orders());
    return router;
  }
  // Tells, and waits for the answer.
  static void Tell(TestRouter& router, const std::vector<v1::OrderDone>& orders) {
    v1::RouterMessage message;
    v1::Report& report = *message.mutable_report();
    report.set_wire_version(wire::kWireVersion);
    report.set_period_s(1);
    for (const v1::OrderDone& order : orders) *report.add_orders() = order;
    const std::size_t before = router.news().recorded.size();
    ASSERT_TRUE(router.Send(message));
    ASSERT_TRUE(router.Await([&](const RouterNews& news) { return news.recorded.size() > before; }));
    EXPECT_EQ(router.news().recorded.back().number(), orders.back().number());
  }
  // The newest first.
  std::vector<v1::AuditEntry> Entries() {
    grpc::ClientContext context;
    v1::AuditReply reply;
    EXPECT_TRUE(admin_->Audit(&context, v1::AuditRequest(), &reply).ok());
    return {reply.entries().begin(), reply.entries().end()};
  }
  std::vector<std::string> Actions() {
    std::vector<std::string> actions;
    for (const v1::AuditEntry& entry : Entries()) actions.push_back(entry.action());
    return actions;
  }
};

TEST_F(OrderAuditTest, WhoDidWhatWhenAndWhyIsRecorded) {
  const auto router = Router("a-0");
  const v1::OrderDone order = Order(1, "x", "drain worker w1");
  Tell(*router, {order});
  const auto entries = Entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].who(), "ann@laptop");
  EXPECT_EQ(entries[0].why(), "memory errors");
  EXPECT_EQ(entries[0].action(), "drain worker w1 (router a-0)");
  EXPECT_EQ(entries[0].at_unix_us(), order.at_unix_us()) << "when it was given, not when it was heard of";
  EXPECT_EQ(entries[0].order(), "x");
}

TEST_F(OrderAuditTest, WhatIsToldAgainIsOneEntryAlsoInTheNextLife) {
  auto router = Router("a-0");
  Tell(*router, {Order(1, "x", "cancel job j")});
  Tell(*router, {Order(1, "x", "cancel job j"), Order(2, "y", "undrain worker w1")});
  router.reset();
  // The answer was lost with the stream.
  router = Router("a-0");
  Tell(*router, {Order(1, "x", "cancel job j"), Order(2, "y", "undrain worker w1")});
  const auto once = ElementsAre("undrain worker w1 (router a-0)", "cancel job j (router a-0)");
  EXPECT_THAT(Actions(), once);
  router.reset();
  Start();
  router = Router("a-0");
  Tell(*router, {Order(1, "x", "cancel job j"), Order(2, "y", "undrain worker w1")});
  EXPECT_THAT(Actions(), once);
}

TEST_F(OrderAuditTest, OneOrderToSeveralRoutersIsOneEntry) {
  const auto first = Router("a-0"), second = Router("a-1");
  Tell(*first, {Order(1, "x", "cancel job j")});
  Tell(*second, {Order(5, "x", "cancel job j")});
  EXPECT_THAT(Actions(), ElementsAre("cancel job j (router a-0)"));
}

TEST_F(OrderAuditTest, AnEntryThatCannotBeRecordedCostsNoStream) {
  const auto router = Router("a-0");
  v1::OrderDone nobody = Order(1, "x", "drain worker w1");
  nobody.clear_who();
  v1::OrderDone ahead = Order(2, "y", "drain worker w2");
  ahead.set_at_unix_us(ToUnixMicros(absl::Now() + Hours(20)));
  Tell(*router, {nobody, ahead});
  const auto entries = Entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].action(), "drain worker w2 (router a-0)");
  EXPECT_LE(entries[0].at_unix_us(), ToUnixMicros(absl::Now())) << "a clock that goes ahead";
  Tell(*router, {Order(3, "z", "undrain worker w2")});
  EXPECT_EQ(Actions()[0], "undrain worker w2 (router a-0)");
  EXPECT_FALSE(router->news().ended);
}

}  // namespace
}  // namespace ringway::controller
