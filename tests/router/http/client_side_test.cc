// What HTTP clients of a pool see: framing, keep-alive, limits, time-outs. Real sockets, a real router.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/pool_under_test.h"
#include "tests/router/http/raw_client.h"

namespace ringway::http_test {
namespace {

constexpr char kGet[] = "GET /a HTTP/1.1\r\nHost: test\r\n\r\n";

TEST(HttpClients, KeepTheirConnectionAndTheRouterKeepsTheWorkers) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  for (int i = 0; i < 20; ++i) {
    const std::string body = "request " + std::to_string(i);
    ASSERT_TRUE(wire.Send("POST /a HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) +
                          "\r\n\r\n" + body));
    const auto answer = ReadAnswer(wire);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, body);
  }
  EXPECT_EQ(worker.asked(), 20);
  EXPECT_EQ(worker.connections(), 1);
}

TEST(HttpClients, HearWhereTheirRequestWent) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  const auto answer = Ask(pool.door(), "GET");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->Field("x-ringway-region"), "here");
  EXPECT_EQ(answer->Field("x-ringway-worker"), worker.address());
  EXPECT_EQ(answer->Field("x-ringway-offers"), "1");
  EXPECT_EQ(answer->Field("x-ringway-reason"), "local-first");
  EXPECT_LT(std::stoi(answer->Field("x-ringway-wait-ms")), 1000);
}

TEST(HttpClients, MayPipelineAndAreAnsweredInOrder) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  std::string all;
  for (int i = 0; i < 10; ++i) {
    all += "POST /a HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\n" + std::to_string(i);
  }
  ASSERT_TRUE(wire.Send(all));
  for (int i = 0; i < 10; ++i) {
    const auto answer = ReadAnswer(wire);
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body, std::to_string(i));
  }
}

TEST(HttpClients, AreUnderstoodHoweverTheirBytesAreCut) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  const std::string request =
      "POST /a HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t cut = 1; cut < request.size(); cut += 7) {
    Wire wire = Wire::To(pool.door());
    ASSERT_TRUE(wire.Send(request.substr(0, cut)));
    absl::SleepFor(Milliseconds(1));
    ASSERT_TRUE(wire.Send(request.substr(cut)));
    const auto answer = ReadAnswer(wire);
    ASSERT_TRUE(answer) << cut;
    EXPECT_EQ(answer->body, "hello world") << cut;
  }
}

TEST(HttpClients, GetChunksBackFromAWorkerThatSendsChunks) {
  PlainWorker worker([](const Request& request, Wire& wire) {
    ReadBody(request, wire);
    return wire.Send(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n5\r\n-five\r\n0\r\n\r\n");
  });
  PoolUnderTest pool({worker.address()});
  const auto answer = Ask(pool.door(), "GET");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->Field("transfer-encoding"), "chunked");
  EXPECT_EQ(answer->body, "four-five");
  EXPECT_EQ(worker.connections(), 1);

  // HTTP/1.0 knows no chunks: the body ends with the connection.
  Wire old = Wire::To(pool.door());
  ASSERT_TRUE(old.Send("GET /a HTTP/1.0\r\n\r\n"));
  const auto all = old.ReadToEnd();
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->ends_with("\r\n\r\nfour-five")) << *all;
}

TEST(HttpClients, GetABodyThatEndsWithTheWorkersConnection) {
  PlainWorker worker([](const Request&, Wire& wire) {
    wire.Send("HTTP/1.1 200 OK\r\n\r\nuntil I close");
    return false;
  });
  PoolUnderTest pool({worker.address()});
  for (int i = 0; i < 2; ++i) {
    const auto answer = Ask(pool.door(), "GET");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "until I close");
  }
  EXPECT_EQ(worker.connections(), 2);
}

TEST(HttpClients, AskForHeadsAndGetNoBody) {
  PlainWorker worker([](const Request& request, Wire& wire) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n";
    return wire.Send(request.method() == "HEAD" ? head : head + std::string(1234, 'x'));
  });
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  for (const char* method : {"HEAD", "GET", "HEAD"}) {
    ASSERT_TRUE(wire.Send(std::string(method) + " /a HTTP/1.1\r\nHost: test\r\n\r\n"));
    const auto answer = ReadAnswer(wire, std::string(method) == "HEAD");
    ASSERT_TRUE(answer) << method;
    EXPECT_EQ(answer->Field("content-length"), "1234");
  }
}

TEST(HttpClients, ThatExpectAContinueGetIt) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(
      wire.Send("POST /a HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  EXPECT_EQ(wire.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(wire.Send("hello"));
  const auto answer = ReadAnswer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "hello");
}

struct BadRequest {
  const char* name;
  std::string text;
  int status;
};

class BadRequests : public testing::TestWithParam<BadRequest> {};

TEST_P(BadRequests, AreRefusedAndTheWorkerNeverSeesThem) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send(GetParam().text));
  const auto answer = ReadAnswer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status) << answer->body;
  EXPECT_EQ(worker.asked(), 0);
  // The router goes on serving.
  const auto next = Ask(pool.door(), "GET");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->status, 200);
}

const std::string kHost = "Host: test\r\n";
INSTANTIATE_TEST_SUITE_P(
    All, BadRequests,
    testing::Values(
        BadRequest{"Garbage", "garbage\r\n\r\n", 400}, BadRequest{"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        BadRequest{"TwoHosts", "GET / HTTP/1.1\r\n" + kHost + kHost + "\r\n", 400},
        BadRequest{"Http2", "GET / HTTP/2.0\r\n" + kHost + "\r\n", 505},
        BadRequest{"LongHeader", "GET / HTTP/1.1\r\n" + kHost + "X: " + std::string(17000, 'x') + "\r\n\r\n",
                   431},
        BadRequest{"Connect", "CONNECT a:1 HTTP/1.1\r\n" + kHost + "\r\n", 405},
        // What two programs could read differently (request smuggling).
        BadRequest{"TwoLengths",
                   "POST / HTTP/1.1\r\n" + kHost + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400},
        BadRequest{"LengthAndChunks",
                   "POST / HTTP/1.1\r\n" + kHost +
                       "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                   400},
        BadRequest{"ChunksAndLength",
                   "POST / HTTP/1.1\r\n" + kHost +
                       "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
                   400},
        BadRequest{"OtherCoding",
                   "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
        BadRequest{"HiddenCoding", "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: xchunked\r\n\r\nabc",
                   501},
        BadRequest{"OldChunks", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        BadRequest{"Folded", "GET / HTTP/1.1\r\n" + kHost + "X: a\r\n b\r\n\r\n", 400},
        BadRequest{"SpaceBeforeColon", "GET / HTTP/1.1\r\n" + kHost + "X : a\r\n\r\n", 400},
        BadRequest{"BadChunk",
                   "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n", 400},
        BadRequest{"BadDeadline", "GET / HTTP/1.1\r\n" + kHost + "X-Ringway-Deadline-Ms: soon\r\n\r\n", 400},
        BadRequest{"BadPriority", "GET / HTTP/1.1\r\n" + kHost + "X-Ringway-Priority: 9\r\n\r\n", 400}),
    [](const auto& info) { return info.param.name; });

TEST(HttpClients, ThatTrickleTheirHeaderAreCutOff) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()}, "  timeouts: {header: 500ms, idle: 30s}\n");
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send("GET / HTTP/1.1\r\n"));
  // A byte now and then does not buy time.
  bool answered = false;
  for (int i = 0; i < 100 && !answered; ++i) {
    wire.Send("X");
    const auto line = wire.ReadUntil("\r\n", Milliseconds(50));
    answered = line.has_value();
    EXPECT_EQ(line.value_or("HTTP/1.1 408 Request Timeout\r\n"), "HTTP/1.1 408 Request Timeout\r\n");
  }
  EXPECT_TRUE(answered);
  EXPECT_TRUE(wire.ClosedWithin(Seconds(10)));
}

TEST(HttpClients, ThatSayNothingAreClosedInTime) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()}, "  timeouts: {idle: 500ms}\n");
  Wire silent = Wire::To(pool.door());
  Wire idle = Wire::To(pool.door());
  ASSERT_TRUE(idle.Send(kGet));
  ASSERT_TRUE(ReadAnswer(idle));
  EXPECT_TRUE(silent.ClosedWithin(Seconds(10)));
  EXPECT_TRUE(idle.ClosedWithin(Seconds(10)));
}

TEST(HttpClients, ThatUploadTooSlowlyAreRefusedAtTheirDeadline) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send(
      "POST / HTTP/1.1\r\nHost: test\r\nX-Ringway-Deadline-Ms: 600\r\nContent-Length: 100\r\n\r\nabc"));
  const auto answer = ReadAnswer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 408);
  EXPECT_EQ(worker.asked(), 0);  // a slow upload never holds a worker
}

TEST(HttpClients, BeyondTheBoundTakeThePlaceOfWhoAsksNothing) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()}, "  limits: {connections: 4}\n");
  std::vector<Wire> wires;
  for (int i = 0; i < 4; ++i) {
    wires.push_back(Wire::To(pool.door()));
    ASSERT_TRUE(wires.back().Send(kGet));
    ASSERT_TRUE(ReadAnswer(wires.back()));
  }
  Wire fifth = Wire::To(pool.door());
  ASSERT_TRUE(fifth.Send(kGet));
  const auto answer = ReadAnswer(fifth);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_TRUE(wires.front().ClosedWithin(Seconds(5))) << "it has waited longest";
}

TEST(HttpClients, BeyondTheBoundWaitWhileAllOthersAreServed) {
  std::atomic<bool> go{false};
  PlainWorker worker([&go](const Request& request, Wire& wire) {
    while (!go) absl::SleepFor(Milliseconds(2));
    return Respond(wire, 200, ReadBody(request, wire));
  });
  PoolUnderTest pool({worker.address()}, "  limits: {connections: 4}\n");
  std::vector<Wire> wires;
  for (int i = 0; i < 5; ++i) {
    wires.push_back(Wire::To(pool.door()));
    ASSERT_TRUE(wires.back().Send(kGet));
    absl::SleepFor(Milliseconds(50));
  }
  EXPECT_FALSE(ReadAnswer(wires.back(), false, Milliseconds(300)));
  go = true;
  // Nobody was sent away for the fifth, which gets its turn.
  for (Wire& wire : wires) {
    const auto answer = ReadAnswer(wire);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
  }
}

}  // namespace
}  // namespace ringway::http_test
