// The link to a ledger's leader over real sockets: by frames where both know them, by gRPC where not.
#include "router/daemon/ledgers/ledger_link.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>

#include "router/daemon/ledgers/framed_ledger_stream.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/raw_connection.h"

namespace ringway::router {
namespace {

using live::Eventually;

constexpr char kToken[] = "the-token-of-this-fleet";

template <class Task>
void OnLoop(runtime::EventLoop& loop, Task task) {
  std::promise<void> done;
  ASSERT_TRUE(loop.Post([&] {
    task();
    done.set_value();
  }));
  done.get_future().wait();
}

// Beats once for each router that says hello, and counts.
class Leader final : public v1::Ledger::CallbackService, private LedgerStreamListener {
 public:
  explicit Leader(bool knows_frames, const std::string& listen = "127.0.0.1:0")
      : server_(*runtime::GrpcServer::Start(listen, {this}, nullptr,
                                            knows_frames ? Frames() : runtime::SecondProtocol{})) {
    loop_.Start();
  }
  ~Leader() override {
    server_.Shutdown(ZeroDuration());
    loop_.Stop();
  }
  const std::string& address() const { return server_.address(); }
  // Cuts off everybody who stands here by frames.
  void CutOff() {
    OnLoop(loop_, [this] {
      if (standing_ != nullptr) standing_->Close(grpc::Status::CANCELLED);
    });
  }

  std::atomic<int> calls{0}, framed{0}, greeted{0}, asks{0}, gone{0};

 private:
  grpc::ServerBidiReactor<v1::LedgerUp, v1::LedgerDown>* Connect(grpc::CallbackServerContext*) override {
    ++calls;
    return new GrpcLedgerStream(loop_, *this);
  }
  runtime::SecondProtocol Frames() {
    return {.first_byte = FramedConnection::kFirstByte, .take = [this](int fd) {
              EXPECT_TRUE(loop_.Post([this, fd] {
                ++framed;
                FramedLedgerStream::Take(
                    fd, loop_, *this, [](std::string_view token) { return token == kToken; },
                    std::shared_ptr<void>(nullptr, [this](void*) { ++greeted; }));
              }));
            }};
  }
  void OnMessage(LedgerStream& stream, const v1::LedgerUp& message) override {
    if (message.has_hello()) {
      stream.router = RouterId(1);
      standing_ = &stream;
      stream.Send(EncodeHeartbeat({1, 1}, false));
    } else {
      ++asks;
    }
  }
  void OnClosed(LedgerStream& stream) override {
    if (standing_ == &stream) standing_ = nullptr;
    ++gone;
  }

  runtime::EventLoop loop_{"leader"};
  LedgerStream* standing_ = nullptr;
  runtime::GrpcServer server_;
};

// A router's side.
class Client {
 public:
  explicit Client(const std::string& leader, std::string token = kToken, const std::string& frames_to = "*") {
    loop_.Start();
    OnLoop(loop_, [&] {
      link_ = std::make_unique<LedgerLink>(
          loop_, streams_,
          LedgerWay{runtime::MakeChannel(leader), frames_to == "*" ? leader : frames_to, std::move(token)},
          LedgerGreeting{"router", "tier"}, 1, ZeroDuration(),
          [this](const v1::LedgerDown& message) { beats += message.has_heartbeat(); }, [this] { ++lost; });
    });
  }
  ~Client() {
    OnLoop(loop_, [this] { link_.reset(); });
    EXPECT_TRUE(Eventually([this] { return streams_.live() == 0; }));
    loop_.Stop();
  }
  void Ask() {
    OnLoop(loop_, [this] { link_->Send(EncodeHintWanted(1)); });
  }

  std::atomic<int> beats{0}, lost{0};

 private:
  runtime::EventLoop loop_{"client"};
  StreamCount streams_;
  std::unique_ptr<LedgerLink> link_;
};

TEST(LedgerLinkTest, GoesByFramesWhereTheLeaderKnowsThem) {
  Leader leader(true);
  Client client(leader.address());
  ASSERT_TRUE(Eventually([&] { return client.beats == 1; }));
  for (int i = 0; i < 100; ++i) client.Ask();
  EXPECT_TRUE(Eventually([&] { return leader.asks == 100; }));
  EXPECT_EQ(leader.framed, 1);
  EXPECT_EQ(leader.calls, 0);
}

TEST(LedgerLinkTest, GoesByGrpcToALeaderOfAnOlderRelease) {
  Leader leader(false);
  Client client(leader.address());
  ASSERT_TRUE(Eventually([&] { return client.beats == 1; }));
  client.Ask();
  EXPECT_TRUE(Eventually([&] { return leader.asks == 1; }));
  EXPECT_EQ(leader.calls, 1);
  EXPECT_EQ(client.lost, 0) << "nobody was there to be lost";
}

TEST(LedgerLinkTest, AnOlderRouterGoesByGrpcToALeaderThatKnowsFrames) {
  Leader leader(true);
  Client client(leader.address(), kToken, "");
  ASSERT_TRUE(Eventually([&] { return client.beats == 1; }));
  EXPECT_EQ(leader.calls, 1);
  EXPECT_EQ(leader.framed, 0);
}

TEST(LedgerLinkTest, WhoIsNotAdmittedByFramesIsToldByGrpc) {
  Leader leader(true);
  Client client(leader.address(), "a-token-of-another-fleet");
  ASSERT_TRUE(Eventually([&] { return leader.calls == 1; }));
  EXPECT_EQ(leader.framed, 1);
  EXPECT_TRUE(Eventually([&] { return leader.greeted == 1; })) << "the refused stream is kept";
  EXPECT_EQ(leader.gone, 0) << "the listener hears of a stream that was not admitted";
}

TEST(LedgerLinkTest, AStreamThatBrokeIsBegunAnewByFrames) {
  Leader leader(true);
  Client client(leader.address());
  for (int time = 1; time <= 3; ++time) {
    ASSERT_TRUE(Eventually([&] { return client.beats == time; }));
    leader.CutOff();
    ASSERT_TRUE(Eventually([&] { return client.lost == time; }));
  }
  ASSERT_TRUE(Eventually([&] { return client.beats == 4; }));
  EXPECT_EQ(leader.calls, 0);
}

TEST(LedgerLinkTest, ALeaderThatIsNotThereIsTriedUntilItIs) {
  std::string address;
  { address = Leader(true).address(); }
  Client client(address);
  EXPECT_TRUE(Eventually([&] { return client.lost >= 3; }));
  EXPECT_EQ(client.beats, 0);
}

TEST(LedgerLinkTest, NonsenseIsCutOffAndThePortServesOthers) {
  Leader leader(true);
  std::string wrong, long_one(4, '\x7f');
  ASSERT_TRUE(AppendFrame("ringway-ledger/0", wrong));
  long_one[0] = FramedConnection::kFirstByte;
  for (const std::string& nonsense : {wrong, long_one}) {
    const live::Connection stranger(leader.address());
    ASSERT_TRUE(stranger.Send(nonsense));
    stranger.ReadAll();  // to its end
  }
  EXPECT_TRUE(Eventually([&] { return leader.greeted == 2; }));
  const live::Connection silent(leader.address());
  EXPECT_TRUE(live::Answers(leader.address()));
  Client client(leader.address());
  EXPECT_TRUE(Eventually([&] { return client.beats == 1; }));
}

TEST(LedgerLinkTest, AConnectionThatSpeaksLateIsSortedAllTheSame) {
  Leader leader(true);
  const live::Connection late(leader.address());
  // Others are served meanwhile, so that it has been looked at.
  ASSERT_TRUE(live::Answers(leader.address()));
  std::string frames;
  ASSERT_TRUE(AppendFrame(FramedConnection::kProtocol, frames));
  ASSERT_TRUE(late.Send(frames.substr(0, 1)));
  ASSERT_TRUE(Eventually([&] { return leader.framed == 1; }));
  EXPECT_TRUE(late.Send(frames.substr(1)));
  late.Close();
  EXPECT_TRUE(Eventually([&] { return leader.greeted == 1; }));
}

TEST(LedgerLinkTest, WhenACallBreaksFramesAreTriedAgain) {
  auto leader = std::make_unique<Leader>(false);
  const std::string address = leader->address();
  Client client(address);
  ASSERT_TRUE(Eventually([&] { return client.beats == 1; }));
  leader.reset();
  ASSERT_TRUE(Eventually([&] { return client.lost >= 1; }));
  leader = std::make_unique<Leader>(true, address);
  ASSERT_TRUE(Eventually([&] { return client.beats == 2; }));
  EXPECT_GE(leader->framed, 1);
  EXPECT_EQ(leader->calls, 0) << "a leader of the new release is spoken to as one of the old";
}

}  // namespace
}  // namespace ringway::router
