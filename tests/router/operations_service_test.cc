// Operators at a router whose loop has stopped, or has much to do: every call ends, with a word.
#include "router/daemon/operations/operations_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "proto/operations_codec.h"
#include "router/daemon/router_agent.h"
#include "router/order_records.h"
#include "runtime/grpc_server.h"
#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience(60);

class OperationsServiceTest : public ::testing::Test {
 protected:
  OperationsServiceTest()
      : agent_(loop_, SettingsOfTest(), SmallFleet(), false, log_),
        service_(loop_, agent_.operations()),
        server_(*runtime::GrpcServer::Start("127.0.0.1:0", {&service_})),
        stub_(v1::Operations::NewStub(runtime::MakeChannel(server_.address()))) {}
  static Settings SettingsOfTest() {
    Settings settings;
    settings.name = "r1";
    settings.region = "home";
    return settings;
  }
  template <class Request, class Reply>
  grpc::Status Call(grpc::Status (v1::Operations::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                 Reply*)) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    Reply reply;
    return ((*stub_).*method)(&context, Request(), &reply);
  }
  std::vector<grpc::Status> CallEach() {
    return {Call(&v1::Operations::Stub::ListWorkers), Call(&v1::Operations::Stub::ListJobs),
            Call(&v1::Operations::Stub::Cancel), Call(&v1::Operations::Stub::DrainWorkers)};
  }

  const runtime::Logger log_{"test", runtime::LogLevel::kError};
  runtime::EventLoop loop_{"router"};
  RouterAgent agent_;
  OperationsService service_;
  runtime::GrpcServer server_;
  std::unique_ptr<v1::Operations::Stub> stub_;
};

TEST_F(OperationsServiceTest, AtAStoppedLoopEachCallIsRefused) {
  loop_.Start();
  EXPECT_TRUE(Call(&v1::Operations::Stub::ListWorkers).ok());
  loop_.Stop();
  for (const grpc::Status& status : CallEach()) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr("the router is busy or is shutting down, try again"));
  }
}

TEST_F(OperationsServiceTest, AtALoopThatHasMuchToDoTheyAreRefusedAndLaterAnswered) {
  constexpr int kMuch = 5000;
  int done = 0;
  for (int i = 0; i < kMuch; ++i) ASSERT_TRUE(loop_.Post([&done] { ++done; }));
  for (const grpc::Status& status : CallEach()) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << "an operator before the jobs";
  }
  loop_.Start();
  grpc::Status listed;
  do {
    listed = Call(&v1::Operations::Stub::ListWorkers);
  } while (listed.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(listed.ok()) << listed.error_message();
  EXPECT_EQ(Call(&v1::Operations::Stub::Cancel).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Call(&v1::Operations::Stub::DrainWorkers).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  loop_.Stop();
  EXPECT_EQ(done, kMuch);
}

TEST(FilledOrders, GoIntoAReportAsTheyWereGiven) {
  OrderRecords orders("r1", 7, true);
  orders.Add({.who = "ann", .why = "because", .action = "drain worker w1"}, FromUnixSeconds(1000));
  v1::Report report;
  Operations::FillOrders(orders, report);
  EXPECT_EQ(report.orders_size(), 0) << "no controller has said that it records any";
  orders.Welcomed(true);
  Operations::FillOrders(orders, report);
  ASSERT_EQ(report.orders_size(), 1);
  const v1::OrderDone& told = report.orders(0);
  EXPECT_EQ(told.number(), 1u);
  EXPECT_EQ(told.id(), "r1/7.1");
  EXPECT_EQ(told.at_unix_us(), 1'000'000'000);
  EXPECT_EQ(told.who(), "ann");
  EXPECT_EQ(told.why(), "because");
  EXPECT_EQ(told.action(), "drain worker w1");
  EXPECT_TRUE(wire::CheckOrderDone(told).ok());
}

}  // namespace
}  // namespace ringway::router
