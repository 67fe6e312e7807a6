// Strangers that begin frames to a ledger and go no further, more of them than there is room for: a router
// stands before the leader all the same, and the strangers are ended. Real sockets to a real router.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ringway/v1/ledger.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/raw_connection.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/pool_under_test.h"

namespace ringway::http_test {
namespace {

// More than a leader has room for.
constexpr int kStrangers = 400;
// The first byte of a frame's length.
const std::string kBegun(1, '\0');

bool StandsByCall(const std::string& leader) {
  const auto stub = v1::Ledger::NewStub(runtime::MakeChannel(leader));
  grpc::ClientContext context;
  const auto stream = stub->Connect(&context);
  v1::LedgerUp hello;
  hello.mutable_hello()->set_wire_version(1);
  hello.mutable_hello()->set_router("genuine");
  hello.mutable_hello()->set_tier("http");
  stream->Write(hello);
  v1::LedgerDown answer;
  const bool stands = stream->Read(&answer) && answer.has_heartbeat();
  context.TryCancel();
  (void)stream->Finish();
  return stands;
}

TEST(LedgerStrangers, DoNotKeepARouterFromTheLeader) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  const std::string leader = pool.router().grpc();
  std::vector<live::Connection> strangers;
  for (int i = 0; i < kStrangers; ++i) {
    strangers.emplace_back(leader);
    ASSERT_TRUE(strangers.back().Send(kBegun));
  }
  // Who came beyond the room is turned away at once.
  strangers.back().ReadAll();
  EXPECT_TRUE(live::Eventually([&] { return StandsByCall(leader); }));
  // The others after their time.
  strangers.front().ReadAll();
  EXPECT_EQ(Ask(pool.door(), "POST", "", "work")->status, 200);
}

}  // namespace
}  // namespace ringway::http_test
