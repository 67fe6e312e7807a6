// The demo's job client against a router that plays its part from a script.
#include <thread>

#include "cli/load/job_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/clock.h"
#include "runtime/grpc_server.h"

namespace ringway::load {
namespace {

class ScriptedRouter : public v1::Ingress::Service {
 public:
  grpc::Status Submit(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::JobDown, v1::JobUp>* stream) override {
    v1::JobUp up;
    std::size_t bytes = 0;
    std::string tenant;
    while (stream->Read(&up)) {
      if (up.has_header()) tenant = up.header().tenant();
      bytes += up.chunk().size();
    }
    if (tenant == "breaks") return grpc::Status(grpc::StatusCode::INTERNAL, "fell over");
    if (tenant == "hangs") {
      while (!context->IsCancelled()) std::this_thread::yield();
      return grpc::Status::CANCELLED;
    }
    v1::JobDown down;
    down.set_chunk("picture");
    stream->Write(down);
    down.mutable_end()->set_outcome("done");
    down.mutable_end()->set_result_bytes(bytes);
    stream->Write(down);
    return grpc::Status::OK;
  }
};

class JobClientTest : public ::testing::Test {
 protected:
  JobClientTest() : server_(*runtime::GrpcServer::Start("127.0.0.1:0", {&router_})) {}
  std::vector<JobEnd> RunOne(JobClient& client, const std::string& tenant) {
    v1::JobHeader header;
    header.set_tenant(tenant);
    EXPECT_TRUE(client.Send(7, server_.address(), header, std::string(1000, 'x')));
    return client.Take(runtime::MonotonicNow() + Seconds(20));
  }
  ScriptedRouter router_;
  runtime::GrpcServer server_;
};

TEST_F(JobClientTest, HandsBackTheEndWithItsTicket) {
  JobClient client(Seconds(20));
  const std::vector<JobEnd> ends = RunOne(client, "fine");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].ticket, 7u);
  EXPECT_EQ(ends[0].end.outcome(), "done");
  EXPECT_EQ(ends[0].end.result_bytes(), 1000u) << "the payload arrived whole";
}

TEST_F(JobClientTest, ABrokenStreamIsAFailureWithItsReason) {
  JobClient client(Seconds(20));
  const std::vector<JobEnd> ends = RunOne(client, "breaks");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].end.outcome(), "failed");
  EXPECT_EQ(ends[0].end.message(), "fell over");
}

TEST_F(JobClientTest, ACallEndsAtItsDeadlineAndTheDestructorWaitsForIt) {
  JobClient client(Milliseconds(50));
  const std::vector<JobEnd> ends = RunOne(client, "hangs");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].end.outcome(), "failed");
  EXPECT_EQ(client.in_flight(), 0u);
}

}  // namespace
}  // namespace ringway::load
