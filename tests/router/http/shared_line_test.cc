// Several routers in front of the same plain HTTP workers: one of them holds the ledger, and all stand in one
// line.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/raw_client.h"

namespace ringway::http_test {
namespace {

// Serves one at a time, refuses the others as a server of capacity one does.
struct OneSlot {
  std::atomic<bool> taken{false};
  std::atomic<int> refused{0};
  std::atomic<int> served{0};
  PlainWorker worker{[this](const Request& request, Wire& wire) {
    const std::string body = ReadBody(request, wire);
    if (taken.exchange(true)) {
      ++refused;
      return Respond(wire, 503, "busy");
    }
    absl::SleepFor(Milliseconds(10));
    taken = false;
    ++served;
    return Respond(wire, 200, body);
  }};
};

class SharedLine : public testing::Test {
 protected:
  SharedLine() : slots_(4) {
    std::ofstream file(folder_.File("pool.yaml"));
    file << "apiVersion: ringway/v1\nkind: HttpPool\nmetadata: {name: test}\nspec:\n"
         << "  listen: 127.0.0.1:0\n  serviceMean: 10ms\n  deadline: 10s\n  workers:\n";
    for (OneSlot& slot : slots_) file << "    - " << slot.worker.address() << "\n";
    file.close();
    // The leader's port must be known before the others start: it is the first to be there.
    StartRouter("r0", "r0=127.0.0.1:1");
    for (const char* name : {"r1", "r2", "r3"}) StartRouter(name, absl::StrCat("r0=", routers_[0]->grpc()));
  }

  void StartRouter(const std::string& name, const std::string& leader) {
    routers_.push_back(std::make_unique<live::DaemonProcess>(
        folder_, live::DaemonSpec{.program = "ringway-router",
                                  .name = name,
                                  .arguments = {"--name", name, "--region", "here", "--pool",
                                                folder_.File("pool.yaml"), "--leader", leader}}));
  }

  // `each` requests by each of `clients` clients of every router; how many were served.
  int Serve(int clients, int each) {
    std::atomic<int> served{0};
    std::vector<std::thread> threads;
    for (const auto& router : routers_) {
      for (int i = 0; router->running() && i < clients; ++i) {
        threads.emplace_back([&served, &router, each] {
          for (int k = 0; k < each; ++k) {
            const auto answer = Ask(router->clients(), "POST", "", "work");
            served += answer && answer->status == 200;
          }
        });
      }
    }
    for (std::thread& thread : threads) thread.join();
    return served;
  }

  int Refused() const {
    int sum = 0;
    for (const OneSlot& slot : slots_) sum += slot.refused;
    return sum;
  }

  live::ScratchFolder folder_;
  std::vector<OneSlot> slots_;
  std::vector<std::unique_ptr<live::DaemonProcess>> routers_;
};

TEST_F(SharedLine, AsksNoWorkerThatServesAnotherRoutersRequest) {
  // A new leader first waits for leases of an earlier one, and routers until they have found it.
  Serve(1, 1);
  absl::SleepFor(Seconds(3));
  const int before = Refused();
  EXPECT_EQ(Serve(4, 20), 4 * 4 * 20);
  EXPECT_EQ(Refused() - before, 0);
  for (const OneSlot& slot : slots_) EXPECT_GT(slot.served, 20);
}

TEST_F(SharedLine, GoesOnWithoutItsLeader) {
  Serve(1, 1);
  routers_[0]->Kill();
  // The others probe: workers say BUSY now and then, and every request is served.
  EXPECT_EQ(Serve(2, 10), 3 * 2 * 10);
}

}  // namespace
}  // namespace ringway::http_test
