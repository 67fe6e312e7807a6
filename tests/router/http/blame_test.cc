// Whose fault a failure is, and that nobody is punished for longer than it lasts: a worker that was down, a
// client whose requests all fail, a request that kills its workers. Real sockets, a real router, its own
// ledger.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/pool_under_test.h"
#include "tests/router/http/raw_client.h"

namespace ringway::http_test {
namespace {

using live::Eventually;

// Serves what is not "bad" in 20 ms, and fails at once what is.
bool Works(const Request& request, Wire& wire) {
  if (ReadBody(request, wire) == "bad") return Respond(wire, 500, "bad input");
  absl::SleepFor(Milliseconds(20));
  return Respond(wire, 200, "done");
}

std::vector<std::unique_ptr<PlainWorker>> Some(int count, const PlainWorker::Script& script) {
  std::vector<std::unique_ptr<PlainWorker>> workers;
  for (int i = 0; i < count; ++i) workers.push_back(std::make_unique<PlainWorker>(script));
  return workers;
}

std::vector<std::string> Addresses(const std::vector<std::unique_ptr<PlainWorker>>& workers) {
  std::vector<std::string> addresses;
  for (const auto& worker : workers) addresses.push_back(worker->address());
  return addresses;
}

int Asked(const std::vector<std::unique_ptr<PlainWorker>>& workers) {
  int asked = 0;
  for (const auto& worker : workers) asked += worker->asked();
  return asked;
}

constexpr char kMean[] = "  serviceMean: 200ms\n";

// Of so many good requests at once, how many were served.
int Served(const std::string& door, int count) {
  std::atomic<int> served{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < count; ++i) {
    clients.emplace_back([&] {
      const auto answer = Ask(door, "POST", "X-Ringway-Deadline-Ms: 3000\r\n", "good");
      served += answer && answer->status == 200;
    });
  }
  for (std::thread& client : clients) client.join();
  return served;
}

TEST(HttpBlame, AWorkerThatWasDownServesAgain) {
  auto worker = std::make_unique<PlainWorker>(Works);
  const std::string address = worker->address();
  PoolUnderTest pool({address}, kMean);
  ASSERT_EQ(Ask(pool.door(), "POST", "", "good")->status, 200);
  worker.reset();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Ask(pool.door(), "POST", "X-Ringway-Deadline-Ms: 900\r\n", "good")->status, 503);
  }
  worker = std::make_unique<PlainWorker>(Works, address);
  EXPECT_TRUE(Eventually([&] { return Served(pool.door(), 1) == 1; }, Seconds(15)));
}

TEST(HttpBlame, AfterARollingRestartEveryWorkerServes) {
  auto workers = Some(4, Works);
  const std::vector<std::string> addresses = Addresses(workers);
  PoolUnderTest pool(addresses, kMean);
  std::atomic<bool> stop{false};
  std::thread load([&] {
    while (!stop) (void)Served(pool.door(), 2);
  });
  for (std::size_t i = 0; i < workers.size(); ++i) {
    workers[i].reset();
    absl::SleepFor(Milliseconds(700));
    workers[i] = std::make_unique<PlainWorker>(Works, addresses[i]);
  }
  for (std::size_t i = 0; i < workers.size(); ++i) {
    EXPECT_TRUE(Eventually([&] { return workers[i]->asked() > 0; }, Seconds(15))) << "worker " << i;
  }
  stop = true;
  load.join();
  EXPECT_EQ(Served(pool.door(), 8), 8);
}

TEST(HttpBlame, OneClientsBadRequestsLeaveTheOthersTheirWorkers) {
  const auto workers = Some(8, Works);
  PoolUnderTest pool(Addresses(workers), kMean);
  for (int i = 0; i < 100; ++i) {
    const auto answer = Ask(pool.door(), "POST", "X-Ringway-Deadline-Ms: 3000\r\n", "bad");
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->status, 500) << "its own answer, request " << i;
  }
  const Time begin = absl::Now();
  EXPECT_EQ(Served(pool.door(), 24), 24);
  EXPECT_LT(absl::Now() - begin, Seconds(2)) << "three turns of 20 ms each";
}

TEST(HttpBlame, ARequestThatKillsItsWorkersIsSentToTwo) {
  const auto workers = Some(8, [](const Request& request, Wire& wire) {
    return !request.head.starts_with("GET /die ") && Works(request, wire);
  });
  PoolUnderTest pool(Addresses(workers), kMean);
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send("GET /die HTTP/1.1\r\nHost: test\r\n\r\n"));
  const auto answer = ReadAnswer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 502) << answer->body;
  EXPECT_NE(answer->body.find("2 workers failed with this job"), std::string::npos) << answer->body;
  EXPECT_EQ(Asked(workers), 2);
  EXPECT_EQ(Served(pool.door(), 24), 24);
}

TEST(HttpBlame, ARequestThatEverybodyRefusesAsBusyIsNotOfferedForEver) {
  const auto workers = Some(8, Says(503, "always"));
  PoolUnderTest pool(Addresses(workers), kMean);
  const auto answer = Ask(pool.door(), "GET");
  ASSERT_TRUE(answer) << "its deadline is a minute";
  EXPECT_EQ(answer->status, 429);
  EXPECT_NE(answer->body.find("\"code\":\"workers_busy\""), std::string::npos) << answer->body;
  EXPECT_GT(Asked(workers), 1);
  EXPECT_LE(Asked(workers), 16);
}

// A broken worker is still told from broken requests: it is left alone while its neighbours serve.
TEST(HttpBlame, AWorkerThatAloneFailsIsLeftAloneAndComesBack) {
  std::atomic<bool> broken{true};
  PlainWorker sinkhole([&broken](const Request& request, Wire& wire) {
    if (!broken) return Works(request, wire);
    ReadBody(request, wire);
    return Respond(wire, 500, "broken");
  });
  PlainWorker first(Works), second(Works), third(Works);
  PoolUnderTest pool({sinkhole.address(), first.address(), second.address(), third.address()}, kMean);
  for (int i = 0; i < 100; ++i) (void)Ask(pool.door(), "POST", "", "good");
  EXPECT_GE(sinkhole.asked(), 3);
  EXPECT_LE(sinkhole.asked(), 12) << "of a hundred";
  broken = false;
  const int before = sinkhole.asked();
  EXPECT_TRUE(Eventually([&] { return Served(pool.door(), 4) == 4 && sinkhole.asked() > before + 2; }));
}

}  // namespace
}  // namespace ringway::http_test
