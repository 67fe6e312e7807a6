// Addresses that a member of the fleet makes up, with real processes: whom an honest router is made to call,
// and what it keeps of addresses that change all the time.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ringway/v1/control.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/live/eventually.h"
#include "tests/live/job_call.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

const WorldPlan kSmallPlan = {.regions = {{"oslo", 1, 1}},
                              .service_mean_s = 0.01,
                              .controller_flags = {"--epoch-period", "100ms", "--report-period", "100ms"}};

// A router that says what the test wants.
class FakeRouter {
 public:
  explicit FakeRouter(const std::string& controller)
      : stub_(v1::Control::NewStub(runtime::MakeChannel(controller))) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    stream_ = stub_->Connect(&context_);
  }
  void Hello(const std::string& address) {
    v1::RouterMessage message;
    v1::Hello& hello = *message.mutable_hello();
    hello.set_wire_version(1);
    hello.set_router("fake");
    hello.set_region("oslo");
    hello.set_address(address);
    stream_->Write(message);
  }
  bool Report(const std::vector<std::string>& workers) {
    v1::RouterMessage message;
    v1::Report& report = *message.mutable_report();
    report.set_wire_version(1);
    report.set_sequence(++sequence_);
    report.set_period_s(0.1);
    report.add_tiers()->set_tier(kTier);
    for (const std::string& address : workers) {
      v1::WorkerReport& worker = *report.add_workers();
      worker.set_name(absl::StrCat("fake-", address));
      worker.set_tier(kTier);
      worker.set_address(address);
      worker.set_healthy(true);
    }
    return stream_->Write(message);
  }
  grpc::Status Finish() {
    v1::ControllerMessage ignored;
    while (stream_->Read(&ignored)) {
    }
    return stream_->Finish();
  }
  ~FakeRouter() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::Control::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::RouterMessage, v1::ControllerMessage>> stream_;
  std::uint64_t sequence_ = 0;
};

// A socket that listens and says nothing.
class Listening {
 public:
  // On every address of 127.0.0.0/8.
  Listening() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    socklen_t size = sizeof any;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&any), size), 0);
    EXPECT_EQ(listen(fd_, 4096), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&any), &size);
    port_ = ntohs(any.sin_port);
  }
  explicit Listening(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(listen(fd_, 16), 0);
  }
  ~Listening() { close(fd_); }
  int port() const { return port_; }
  bool Called() const {
    const int peer = accept(fd_, nullptr, nullptr);
    if (peer >= 0) close(peer);
    return peer >= 0;
  }

 private:
  const int fd_;
  int port_ = 0;
};

std::size_t OpenFiles(pid_t pid) {
  const auto files = std::filesystem::directory_iterator(absl::StrCat("/proc/", pid, "/fd"));
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

JobAnswer RunAJob(SmallWorld& world) {
  return JobCall::ToRouter(*world.Door("oslo-0")).Send(Header(kTier, "honest"), "picture").Await();
}

TEST(AddressesTest, NobodyIsMadeToCallWhatIsNotHostAndPort) {
  SmallWorld world(kSmallPlan);
  ASSERT_TRUE(world.AwaitReady());
  const ScratchFolder folder;
  const Listening trap(folder.File("trap"));
  const std::string address = absl::StrCat("unix:", folder.File("trap"));
  {
    FakeRouter router(world.controller().grpc());
    router.Hello("127.0.0.1:1");
    const Time until = absl::Now() + Seconds(3);
    while (absl::Now() < until && router.Report({address})) {
      EXPECT_FALSE(trap.Called()) << "a router connects to a socket of the machine because a report said so";
      if (HasFailure()) return;
      absl::SleepFor(Milliseconds(50));
    }
    const grpc::Status status = router.Finish();
    EXPECT_THAT(status.error_message(), HasSubstr("host:port is allowed"));
  }
  FakeRouter router(world.controller().grpc());
  router.Hello(address);
  EXPECT_THAT(router.Finish().error_message(), HasSubstr("Hello.address"));
  EXPECT_FALSE(trap.Called());
  const JobAnswer answer = RunAJob(world);
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message() << answer.status.error_message();
}

TEST(AddressesTest, ARouterKeepsNoChannelsToWhoIsNoLongerListed) {
  SmallWorld world(kSmallPlan);
  ASSERT_TRUE(world.AwaitReady());
  const Listening workers;
  FakeRouter router(world.controller().grpc());
  router.Hello("127.0.0.1:1");
  const pid_t honest = world.router("oslo-0").pid();
  const std::size_t before = OpenFiles(honest);
  std::size_t most = 0;
  int next = 0;
  const Time until = absl::Now() + Seconds(8);
  while (absl::Now() < until) {
    std::vector<std::string> fresh;
    for (int i = 0; i < 60; ++i, ++next) {
      fresh.push_back(absl::StrCat("127.1.", next / 250, ".", 1 + next % 250, ":", workers.port()));
    }
    ASSERT_TRUE(router.Report(fresh));
    absl::SleepFor(Milliseconds(100));
    most = std::max(most, OpenFiles(honest));
  }
  std::printf("%d addresses were listed; the router had %zu files open before and at most %zu\n", next,
              before, most);
  // What is watched at a time, twice, because a connection closes a little after its channel goes; and what
  // was listed in the last second, because nobody answers there, and an attempt to connect is given up after
  // one.
  const std::size_t watched = before + 2 * 64 + 60;
  EXPECT_LT(most, watched + 600);
  EXPECT_TRUE(Eventually([&] { return OpenFiles(honest) < watched; })) << OpenFiles(honest);
}

}  // namespace
}  // namespace ringway::live
