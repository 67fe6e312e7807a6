// More connections than a daemon has file descriptors for, which its gRPC port must come through.
#include <sys/resource.h>

#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/raw_connection.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

std::map<std::string, DaemonProcess*> Daemons(SmallWorld& world) {
  return {{"controller", &world.controller()},
          {"router", &world.router("oslo-0")},
          {"worker", &world.worker("oslo-0-w0")}};
}

TEST(DescriptorsTest, APortSurvivesAProcessWithoutFileDescriptors) {
  SmallWorld world({.regions = {{"oslo", 1, 1}}, .service_mean_s = 0.01});
  ASSERT_TRUE(world.AwaitReady());
  // Three floods together stay below the usual limit of this process, 1024.
  constexpr rlim_t kFew = 200;
  constexpr int kIdle = 300;
  std::vector<Connection> idle;
  for (const auto& [name, daemon] : Daemons(world)) {
    const rlimit few{kFew, kFew};
    ASSERT_EQ(prlimit(daemon->pid(), RLIMIT_NOFILE, &few, nullptr), 0);
    for (int i = 0; i < kIdle; ++i) idle.emplace_back(daemon->grpc());
  }
  // They say nothing, so they do not stay: the ports open again while the other side holds them.
  for (const auto& [name, daemon] : Daemons(world)) {
    EXPECT_TRUE(Eventually([&] { return Answers(daemon->grpc()); }, Seconds(40)))
        << "the gRPC port of the " << name << " does not come back from a flood of connections";
  }
  idle.clear();
  for (const auto& [name, daemon] : Daemons(world)) {
    EXPECT_TRUE(Eventually([&] {
      const auto page = HttpGet(daemon->http(), "/readyz");
      return page && page->status == 200;
    })) << name;
  }
  const JobAnswer answer =
      JobCall::ToRouter(*world.Door("oslo-0")).Send(Header(kTier, "after"), "picture").Await();
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
}

}  // namespace
}  // namespace ringway::live
