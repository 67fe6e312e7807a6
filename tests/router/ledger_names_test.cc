// Routers that stand before a ledger's leader under ever new names, as restarted pods do: each makes room for
// the next, however many there were. Real streams to a real router that holds its pool's ledger.
#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "ringway/v1/ledger.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/pool_under_test.h"

namespace ringway::http_test {
namespace {

// More than the leader has numbers for.
constexpr int kNames = 4200;

// One router's stream; it stands if the leader beats.
class LedgerClientStream {
 public:
  LedgerClientStream(v1::Ledger::Stub& leader, const std::string& name) : stream_(leader.Connect(&context_)) {
    v1::LedgerUp hello;
    hello.mutable_hello()->set_wire_version(1);
    hello.mutable_hello()->set_router(name);
    hello.mutable_hello()->set_tier("http");
    stream_->Write(hello);
    v1::LedgerDown answer;
    stands_ = stream_->Read(&answer) && answer.has_heartbeat();
  }
  ~LedgerClientStream() {
    context_.TryCancel();
    why_ = stream_->Finish();
  }
  bool stands() const { return stands_; }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::LedgerUp, v1::LedgerDown>> stream_;
  bool stands_ = false;
  grpc::Status why_;
};

TEST(LedgerNames, OfRoutersThatAreGoneMakeRoomForNewOnes) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  const auto leader = v1::Ledger::NewStub(runtime::MakeChannel(pool.router().grpc()));
  const LedgerClientStream genuine(*leader, "genuine");
  ASSERT_TRUE(genuine.stands());
  for (int i = 0; i < kNames; ++i) (void)LedgerClientStream(*leader, absl::StrCat("pod-", i));
  EXPECT_TRUE(live::Eventually([&] { return LedgerClientStream(*leader, "new").stands(); }))
      << "the names of the gone are kept for good";
  EXPECT_EQ(Ask(pool.door(), "POST", "", "work")->status, 200) << "and the leader's own router is served";
}

}  // namespace
}  // namespace ringway::http_test
