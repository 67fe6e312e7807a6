// One request and its answer, against a server on loopback that does as the test says.
#include "runtime/http/client_call.h"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/address.h"
#include "tests/router/http/plain_worker.h"

namespace ringway::http {
namespace {

using http_test::PlainWorker;
using http_test::Request;
using http_test::Says;
using http_test::Wire;
using testing::HasSubstr;
using testing::StartsWith;

class ClientCallTest : public ::testing::Test {
 protected:
  ClientCallTest() { loop_.Start(); }
  ~ClientCallTest() override {
    OnLoop([this] { call_.reset(); });
    loop_.Stop();
  }

  void OnLoop(const std::function<void()>& what) {
    std::promise<void> over;
    ASSERT_TRUE(loop_.Post([&] {
      what();
      over.set_value();
    }));
    over.get_future().wait();
  }
  static ClientRequest To(const PlainWorker& server) {
    const auto at = runtime::ParseAddress(server.address());
    return {.host = at->host, .port = std::to_string(at->port)};
  }
  void Begin(ClientRequest request, ClientCall::Take take = nullptr) {
    answered_ = std::make_shared<std::promise<ClientAnswer>>();
    OnLoop([&] {
      call_ = std::make_unique<ClientCall>(
          loop_, std::move(request),
          [to = answered_](ClientAnswer answer) { to->set_value(std::move(answer)); }, std::move(take));
    });
  }
  void BeginAndAwaitAsked(const PlainWorker& server) {
    Begin(To(server));
    while (server.asked() == 0) std::this_thread::yield();
  }
  ClientAnswer Await() {
    auto future = answered_->get_future();
    EXPECT_EQ(future.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    return future.get();
  }
  ClientAnswer Ask(ClientRequest request) {
    Begin(std::move(request));
    return Await();
  }

  runtime::EventLoop loop_{"client"};
  std::unique_ptr<ClientCall> call_;
  std::shared_ptr<std::promise<ClientAnswer>> answered_;
};

bool NeverAnswers(const Request&, Wire& wire) {
  wire.ReadToEnd(Seconds(20));
  return false;
}

PlainWorker::Script AwaitsHangUp(std::promise<bool>& hung_up) {
  return [&hung_up](const Request&, Wire& wire) {
    hung_up.set_value(wire.ClosedWithin(Seconds(10)));
    return false;
  };
}

TEST_F(ClientCallTest, TheRequestGoesOutAndTheAnswerComesBack) {
  std::string head, body;
  const PlainWorker server([&](const Request& request, Wire& wire) {
    head = request.head;
    body = ReadBody(request, wire);
    return wire.Send(
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
        "HTTP/1.1 201 Created\r\nX-Colour: red\r\nTransfer-Encoding: chunked\r\n\r\n"
        "4\r\nmade\r\n0\r\n\r\n");
  });
  ClientRequest request = To(server);
  request.method = "POST";
  request.target = "/things?x=1";
  request.fields = {{"X-Request-Id", "r-1"}};
  request.body = "a thing";
  const ClientAnswer answer = Ask(request);
  EXPECT_TRUE(answer.whole && answer.reached) << answer.why;
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.Value("x-colour"), "red");
  EXPECT_EQ(answer.Value("x-weight"), "");
  EXPECT_EQ(answer.body, "made");
  EXPECT_EQ(body, "a thing");
  EXPECT_EQ(head, "POST /things?x=1 HTTP/1.1\r\nHost: " + server.address() +
                      "\r\nConnection: close\r\nX-Request-Id: r-1\r\nContent-Length: 7\r\n\r\n");
}

TEST_F(ClientCallTest, PiecesThatAreTakenAreNotCollected) {
  const PlainWorker server(Says(200, std::string(300'000, 'x')));
  std::size_t taken = 0;
  Begin(To(server), [&](int status, std::string_view piece) {
    EXPECT_EQ(status, 200);
    taken += piece.size();
    return true;
  });
  EXPECT_TRUE(Await().body.empty());
  EXPECT_EQ(taken, 300'000u);
}

// Most of the request has no reader any more when the answer comes; the answer counts all the same.
TEST_F(ClientCallTest, ARefusalBeforeTheRequestIsReadIsHeard) {
  const PlainWorker server([](const Request&, Wire& wire) {
    wire.Send("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo long");
    return false;
  });
  ClientRequest request = To(server);
  request.method = "POST";
  request.body.assign(std::size_t{32} << 20, 'p');
  for (int k = 0; k < 20; ++k) {
    const ClientAnswer answer = Ask(request);
    ASSERT_TRUE(answer.whole) << k << ": " << answer.why;
    ASSERT_EQ(answer.status, 413);
    ASSERT_EQ(answer.body, "too long");
  }
}

TEST_F(ClientCallTest, AllAddressesOfANameAreTried) {
  const PlainWorker server(Says(200, "here"), "127.0.0.1:0");
  ClientRequest request = To(server);
  request.host = "localhost";  // ::1 may come first, where nobody listens
  EXPECT_EQ(Ask(request).body, "here");
}

TEST_F(ClientCallTest, WhoIsNotThereWasNotReached) {
  ClientRequest request;
  {
    const PlainWorker server(Says(200, ""));
    request = To(server);
  }
  const ClientAnswer answer = Ask(request);
  EXPECT_FALSE(answer.whole || answer.reached);
  EXPECT_EQ(answer.why, "Connection refused");
  request.host = "no-such-host.invalid";
  const ClientAnswer nowhere = Ask(request);
  EXPECT_FALSE(nowhere.reached);
  EXPECT_FALSE(nowhere.why.empty());
}

TEST_F(ClientCallTest, SilenceEndsWithTheTimeForAnAnswer) {
  const PlainWorker server(NeverAnswers);
  ClientRequest request = To(server);
  request.connect_max = Milliseconds(100);  // over when the connection stands, it says no more
  request.answer_max = Milliseconds(300);
  const ClientAnswer answer = Ask(request);
  EXPECT_TRUE(answer.reached);
  EXPECT_FALSE(answer.whole);
  EXPECT_EQ(answer.why, "gave no whole answer within 300ms");
}

TEST_F(ClientCallTest, AnAnswerThatBreaksOffIsNotWhole) {
  const PlainWorker server([](const Request&, Wire& wire) {
    wire.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    return false;
  });
  const ClientAnswer answer = Ask(To(server));
  EXPECT_FALSE(answer.whole);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "half");
  EXPECT_THAT(answer.why, StartsWith("broke off: "));
}

TEST_F(ClientCallTest, AnAnswerAboveItsBoundIsNotRead) {
  const PlainWorker server(Says(200, std::string(100'000, 'x')));
  ClientRequest request = To(server);
  request.body_bytes_max = 99'999;
  const ClientAnswer answer = Ask(request);
  EXPECT_FALSE(answer.whole);
  EXPECT_LE(answer.body.size(), request.body_bytes_max);
  EXPECT_EQ(answer.why, "sent more than the 99999 bytes that are read");
  request.body_bytes_max = 100'000;
  EXPECT_TRUE(Ask(request).whole);
}

TEST_F(ClientCallTest, NoLineBreakBecomesAFieldOfItsOwn) {
  const PlainWorker server(Says(200, ""));
  for (const auto& [target, value] : {std::pair("/a\r\nX-Evil: 1", "b"), std::pair("/a", "b\r\nX-Evil: 1")}) {
    ClientRequest request = To(server);
    request.target = target;
    request.fields = {{"X-Word", value}};
    const ClientAnswer answer = Ask(request);
    EXPECT_FALSE(answer.reached);
    EXPECT_THAT(answer.why, HasSubstr("no head may have"));
  }
  EXPECT_EQ(server.asked(), 0);
}

TEST_F(ClientCallTest, CancellingHangsUpAndStillAnswersOnce) {
  std::promise<bool> hung_up;
  const PlainWorker server(AwaitsHangUp(hung_up));
  BeginAndAwaitAsked(server);
  OnLoop([this] {
    call_->Cancel();
    call_->Cancel();
  });
  const ClientAnswer answer = Await();
  EXPECT_FALSE(answer.whole);
  EXPECT_EQ(answer.why, "was left: the call was cancelled");
  EXPECT_TRUE(hung_up.get_future().get());
  OnLoop([this] { call_->Cancel(); });  // it has ended
}

TEST_F(ClientCallTest, ACallThatIsDestroyedHangsUpAndIsSilent) {
  std::promise<bool> hung_up;
  const PlainWorker server(AwaitsHangUp(hung_up));
  BeginAndAwaitAsked(server);
  OnLoop([this] { call_.reset(); });
  EXPECT_TRUE(hung_up.get_future().get());
  // Nobody can answer any more: what the answer went to has been let go.
  OnLoop([] {});
  EXPECT_EQ(answered_.use_count(), 1);
}

TEST(HostFieldTest, BracketsAndTheUsualPort) {
  EXPECT_EQ(HostField("127.0.0.1", "8000"), "127.0.0.1:8000");
  EXPECT_EQ(HostField("gpu.local", "80"), "gpu.local");
  EXPECT_EQ(HostField("::1", "8000"), "[::1]:8000");
  EXPECT_EQ(HostField("::1", "80"), "[::1]");
}

}  // namespace
}  // namespace ringway::http
