// What a pool does with its workers: who is asked, when again, and what becomes of a request whose worker
// answers BUSY, dies, or is not there. Real sockets, a real router.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <future>
#include <thread>

#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/pool_under_test.h"
#include "tests/router/http/raw_client.h"

namespace ringway::http_test {
namespace {

using live::Eventually;

// Serves one request at a time and counts how many it had at once.
struct Counting {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  PlainWorker::Script Script(Duration service) {
    return [this, service](const Request& request, Wire& wire) {
      const int running = ++now;
      int seen = most;
      while (running > seen && !most.compare_exchange_weak(seen, running)) {
      }
      const std::string body = ReadBody(request, wire);
      absl::SleepFor(service);
      --now;
      return Respond(wire, 200, body);
    };
  }
};

TEST(HttpWorkers, HaveOneRequestAtATimeAndAllOfThemWork) {
  Counting counts[3];
  PlainWorker a(counts[0].Script(Milliseconds(20)));
  PlainWorker b(counts[1].Script(Milliseconds(20)));
  PlainWorker c(counts[2].Script(Milliseconds(20)));
  PoolUnderTest pool({a.address(), b.address(), c.address()});
  std::vector<std::thread> clients;
  std::atomic<int> served{0};
  for (int i = 0; i < 12; ++i) {
    clients.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const auto answer = Ask(pool.door(), "POST", "", "work");
        if (answer && answer->status == 200 && answer->body == "work") ++served;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(served, 60);
  for (const Counting& count : counts) EXPECT_EQ(count.most, 1);
  for (const PlainWorker* worker : {&a, &b, &c}) EXPECT_GT(worker->asked(), 10);
}

TEST(HttpWorkers, ThatSayBusyAreLeftAloneAndAnotherServes) {
  PlainWorker busy(Says(503, "somebody else's", "Retry-After: 1\r\n"));
  PlainWorker free(Echo());
  PoolUnderTest pool({busy.address(), free.address()});
  for (int i = 0; i < 10; ++i) {
    const auto answer = Ask(pool.door(), "POST", "", "work");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "work");
  }
  // Its hint is obeyed: it is asked once a second, not once a request.
  EXPECT_GE(busy.asked(), 1);
  EXPECT_LE(busy.asked(), 3);
}

TEST(HttpWorkers, ThatAllSayBusyMakeARefusalWithinTheDeadline) {
  PlainWorker busy(Says(503, "busy"));
  PoolUnderTest pool({busy.address()});
  const Time begin = absl::Now();
  const auto answer = Ask(pool.door(), "POST", "X-Ringway-Deadline-Ms: 800\r\n", "work");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->Field("retry-after"), "1");
  EXPECT_EQ(answer->Field("content-type"), "application/json");
  EXPECT_NE(answer->body.find("\"code\":\"no_slot_in_time\""), std::string::npos) << answer->body;
  EXPECT_GT(std::stoi(answer->Field("x-ringway-offers")), 1);
  EXPECT_LT(absl::Now() - begin, Milliseconds(800));  // not one that is sure to fail until the end
}

TEST(HttpWorkers, ThatRefuseConnectionsAreWorkedAround) {
  PlainWorker gone(Echo());
  PlainWorker free(Echo());
  gone.StopListening();
  PoolUnderTest pool({gone.address(), free.address()});
  for (int i = 0; i < 10; ++i) {
    const auto answer = Ask(pool.door(), "POST", "", "work");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
  }
  EXPECT_EQ(free.asked(), 10);
}

TEST(HttpWorkers, ThatAreAllGoneAreSaidToBe) {
  PlainWorker gone(Echo());
  gone.StopListening();
  PoolUnderTest pool({gone.address()});
  const auto answer = Ask(pool.door(), "POST", "X-Ringway-Deadline-Ms: 600\r\n", "work");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_NE(answer->body.find("\"code\":\"no_worker\""), std::string::npos) << answer->body;
}

// An error that comes at once is no answer of a worker that works: it would draw all requests to itself,
// because it is always idle.
TEST(HttpWorkers, ThatFailAtOnceAreLeftAloneWhileTheRestServe) {
  const auto works = [](const Request& request, Wire& wire) {
    ReadBody(request, wire);
    absl::SleepFor(Milliseconds(20));
    return Respond(wire, 200, "done");
  };
  PlainWorker sinkhole(Says(500, "broken")), first(works), second(works);
  PoolUnderTest pool({sinkhole.address(), first.address(), second.address()}, "  serviceMean: 200ms\n");
  int done = 0;
  constexpr int kRequests = 100;
  for (int i = 0; i < kRequests; ++i) {
    const auto answer = Ask(pool.door(), "POST", "", "work");
    done += answer && answer->status == 200;
  }
  EXPECT_GE(sinkhole.asked(), 1);
  EXPECT_LE(sinkhole.asked(), 10) << "of " << kRequests << ", while it is the first that is free";
  EXPECT_EQ(done, kRequests - sinkhole.asked());
}

TEST(HttpWorkers, ThatDieWithARequestAreNotAskedAgainForIt) {
  PlainWorker dies([](const Request&, Wire&) { return false; });
  PoolUnderTest pool({dies.address()});
  const auto answer = Ask(pool.door(), "POST", "", "pay once");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 502);
  EXPECT_EQ(dies.asked(), 1);
  EXPECT_NE(answer->body.find("\"code\":\"worker_failed\""), std::string::npos) << answer->body;
}

TEST(HttpWorkers, ThatDieWithASafeRequestAreReplaced) {
  std::atomic<int> asked{0};
  PlainWorker::Script first_dies = [&asked](const Request&, Wire& wire) {
    return asked++ > 0 && Respond(wire, 200, "second");
  };
  PlainWorker a(first_dies);
  PlainWorker b(first_dies);
  PoolUnderTest pool({a.address(), b.address()});
  const auto answer = Ask(pool.door(), "GET");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->Field("x-ringway-offers"), "2");
}

TEST(HttpWorkers, ThatDieInTheMiddleOfAResponseCutItOff) {
  PlainWorker dies([](const Request&, Wire& wire) {
    wire.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of");
    return false;
  });
  PoolUnderTest pool({dies.address()});
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send("GET / HTTP/1.1\r\nHost: test\r\n\r\n"));
  const auto all = wire.ReadToEnd();
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->ends_with("half of"));
  EXPECT_EQ(dies.asked(), 1);
}

TEST(HttpWorkers, ThatCloseIdleConnectionsLoseNoRequest) {
  // As servers do that keep connections for a while only.
  PlainWorker worker([](const Request& request, Wire& wire) {
    Respond(wire, 200, ReadBody(request, wire), "Keep-Alive: timeout=0\r\n");
    return false;
  });
  PoolUnderTest pool({worker.address()});
  for (int i = 0; i < 10; ++i) {
    const auto answer = Ask(pool.door(), "POST", "", "work");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_TRUE(Eventually([&] { return worker.open() == 0; }));
  }
}

TEST(HttpWorkers, ReadWhatConcernsThemAndNoMore) {
  std::promise<std::string> head;
  PlainWorker worker([&head](const Request& request, Wire& wire) {
    head.set_value(request.head);
    return wire.Send(
        "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n"
        "X-Mine: yes\r\nContent-Length: 0\r\n\r\n");
  });
  PoolUnderTest pool({worker.address()});
  const auto answer =
      Ask(pool.door(), "GET",
          "Connection: X-Secret, keep-alive\r\nX-Secret: 1\r\nTE: trailers\r\nUpgrade: h2c\r\n"
          "X-Forwarded-For: 10.1.2.3\r\ntraceparent: 00-4bf9-00f0-01\r\nProxy-Connection: x\r\n"
          "X-Ringway-Deadline-Ms: 5000\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->Field("x-mine"), "yes");
  EXPECT_EQ(answer->Field("x-hop"), "");
  EXPECT_EQ(answer->Field("keep-alive"), "");
  EXPECT_EQ(answer->Field("content-length"), "0");
  const std::string seen = head.get_future().get();
  for (const char* gone : {"X-Secret", "TE:", "Upgrade", "Proxy-Connection", "Connection:"}) {
    EXPECT_EQ(seen.find(gone), std::string::npos) << seen;
  }
  EXPECT_NE(seen.find("\r\nHost: test\r\n"), std::string::npos);
  EXPECT_NE(seen.find("\r\nX-Forwarded-For: 10.1.2.3, 127.0.0.1\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\nX-Forwarded-Proto: http\r\n"), std::string::npos);
  EXPECT_NE(seen.find("\r\ntraceparent: 00-4bf9-00f0-01\r\n"), std::string::npos);
  // What is left of the deadline travels with the request.
  const Request request{seen};
  const int left_ms = std::stoi(request.Field("X-Ringway-Deadline-Ms"));
  EXPECT_GT(left_ms, 1000);
  EXPECT_LE(left_ms, 5000);
}

TEST(HttpWorkers, SeeTheConnectionCloseWhenTheClientLeaves) {
  std::promise<bool> closed;
  std::atomic<int> asked{0};
  PlainWorker worker([&](const Request& request, Wire& wire) {
    if (asked++ > 0) return Respond(wire, 200, ReadBody(request, wire));
    closed.set_value(wire.ClosedWithin(Seconds(10)));
    return false;
  });
  PoolUnderTest pool({worker.address()});
  {
    Wire wire = Wire::To(pool.door());
    ASSERT_TRUE(wire.Send("GET / HTTP/1.1\r\nHost: test\r\n\r\n"));
    ASSERT_TRUE(Eventually([&] { return worker.asked() == 1; }));
  }
  EXPECT_TRUE(closed.get_future().get());
  // Its slot is free again, after the hold.
  const auto answer = Ask(pool.door(), "POST", "X-Ringway-Deadline-Ms: 5000\r\n", "next");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST(HttpWorkers, ThatRunPastTheDeadlineAreLeft) {
  std::promise<bool> closed;
  PlainWorker worker([&](const Request&, Wire& wire) {
    closed.set_value(wire.ClosedWithin(Seconds(10)));
    return false;
  });
  PoolUnderTest pool({worker.address()});
  const auto answer = Ask(pool.door(), "POST", "X-Ringway-Deadline-Ms: 500\r\n", "work");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 504);
  EXPECT_TRUE(closed.get_future().get());
}

TEST(HttpWorkers, FinishWhileTheRouterDrains) {
  std::promise<void> let_go;
  const auto go = let_go.get_future().share();
  PlainWorker worker([go](const Request&, Wire& wire) {
    go.wait();
    return Respond(wire, 200, "finished");
  });
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send("GET / HTTP/1.1\r\nHost: test\r\n\r\n"));
  ASSERT_TRUE(Eventually([&] { return worker.asked() == 1; }));
  Wire idle = Wire::To(pool.door());
  pool.router().Signal(SIGTERM);
  EXPECT_TRUE(idle.ClosedWithin(Seconds(10)));
  EXPECT_TRUE(Eventually([&] { return !Wire::To(pool.door()).open(); }));  // nobody new is let in
  EXPECT_TRUE(pool.router().running());
  let_go.set_value();
  const auto answer = ReadAnswer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "finished");
  EXPECT_EQ(answer->Field("connection"), "close");
  EXPECT_EQ(pool.router().WaitFor(Seconds(10)), 0);
}

TEST(HttpWorkers, ComeAndGoWithTheirFile) {
  PlainWorker first(Says(200, "first"));
  PlainWorker second(Says(200, "second"));
  PoolUnderTest pool({first.address()});
  EXPECT_EQ(Ask(pool.door(), "GET")->body, "first");
  pool.WriteWorkersFile({second.address()});
  pool.router().Signal(SIGHUP);
  EXPECT_TRUE(Eventually([&] { return Ask(pool.door(), "GET")->body == "second"; }));
  // A file that cannot be used changes nothing.
  pool.WriteWorkersFile({"not an address"});
  pool.router().Signal(SIGHUP);
  EXPECT_TRUE(Eventually([&] { return pool.router().Log().find("stays as it was") != std::string::npos; }));
  EXPECT_EQ(Ask(pool.door(), "GET")->body, "second");
}

TEST(HttpWorkers, ThatFailTheirHealthCheckGetNothingUntilTheyPass) {
  std::atomic<bool> well{false};
  std::atomic<int> work{0};
  PlainWorker sick([&](const Request& request, Wire& wire) {
    if (request.head.starts_with("GET /health ")) return Respond(wire, well ? 200 : 500, "");
    ++work;
    return Respond(wire, 200, "sick");
  });
  PlainWorker sound(Echo());
  PoolUnderTest pool({sick.address(), sound.address()}, "  health: {path: /health, period: 100ms}\n");
  EXPECT_TRUE(Eventually([&] {
    return pool.router().Log().find(sick.address() + " fails its health check") != std::string::npos;
  }));
  const int before = work;
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Ask(pool.door(), "GET")->status, 200);
  EXPECT_EQ(work, before);
  well = true;
  EXPECT_TRUE(Eventually([&] { return Ask(pool.door(), "GET")->body == "sick"; }));
}

TEST(HttpWorkers, AreCountedOnTheMetricsPage) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Ask(pool.door(), "GET"));
  EXPECT_EQ(live::MetricValue(pool.router().http(),
                              "ringway_router_requests_total{outcome=\"done\",tier=\"http\",via=\"client\"}"),
            3);
  EXPECT_EQ(live::MetricValue(pool.router().http(), "ringway_router_offers_total{result=\"done\"}"), 3);
}

}  // namespace
}  // namespace ringway::http_test
