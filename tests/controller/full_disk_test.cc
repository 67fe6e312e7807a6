// A disk that takes nothing more: RLIMIT_FSIZE makes every write beyond a few bytes fail, without being root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "controller/daemon/audit_log.h"
#include "controller/daemon/daemon.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "ringway/v1/controller_state.pb.h"
#include "runtime/grpc_server.h"
#include "runtime/state_file.h"
#include "tests/controller/pair_settings.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"

namespace ringway::controller {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// No file of this process grows above `bytes` while it lives.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit tight{bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  }
  ~FullDisk() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

class FullDiskTest : public ::testing::Test {
 protected:
  absl::Status Start() {
    daemon_.reset();
    auto started = ControllerDaemon::Start(settings_);
    if (!started.ok()) return started.status();
    daemon_ = *std::move(started);
    return absl::OkStatus();
  }
  std::optional<double> Metric(const char* series) const {
    return live::MetricValue(daemon_->http_address(), series);
  }
  grpc::Status Drain(const std::string& region) {
    const auto admin = v1::Admin::NewStub(runtime::MakeChannel(daemon_->grpc_address()));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1::DrainRegionRequest request;
    request.set_region(region);
    request.set_drain(true);
    request.mutable_by()->set_who("ann");
    v1::ActionReply reply;
    return admin->Drain(&context, request, &reply);
  }
  live::ScratchFolder folder_;
  DaemonSettings settings_ = PairSettings(folder_);
  std::unique_ptr<ControllerDaemon> daemon_;
};

constexpr char kFailed[] = "ringway_controller_state_saves_total{outcome=\"failed\"}";

TEST_F(FullDiskTest, TheControllerStartsSaysSoAndSavesWhenThereIsRoomAgain) {
  ASSERT_TRUE(Start().ok());
  daemon_.reset();
  {
    const FullDisk full(16);
    const absl::Status started = Start();
    ASSERT_TRUE(started.ok()) << started;
    EXPECT_GE(Metric(kFailed).value_or(0), 1);
    EXPECT_EQ(Metric("ringway_controller_state_on_disk"), 0);
    const auto readiness = live::HttpGet(daemon_->http_address(), "/readyz");
    EXPECT_EQ(readiness->status, 200) << "the fleet must not lose it";
    EXPECT_THAT(readiness->body, HasSubstr("the state cannot be saved in"));
    // It leads: routers are welcomed, operators are obeyed.
    TestRouter router(daemon_->grpc_address(), "ra", "a");
    router.Hello();
    EXPECT_TRUE(router.Await([](const RouterNews& news) { return !news.maps.empty(); }));
    const grpc::Status drained = Drain("a");
    EXPECT_TRUE(drained.ok()) << drained.error_message();
    EXPECT_GE(Metric("ringway_controller_audit_writes_total{outcome=\"failed\"}").value_or(0), 1);
    // What is saved in the background counts too.
    const double before = Metric(kFailed).value_or(0);
    EXPECT_TRUE(live::Eventually([&] { return Metric(kFailed).value_or(0) > before; }));
  }
  EXPECT_TRUE(live::Eventually([&] { return Metric("ringway_controller_state_on_disk") == 1; }));
  EXPECT_EQ(live::HttpGet(daemon_->http_address(), "/readyz")->body, "ready\n");
  ASSERT_TRUE(Start().ok());
  const auto state = runtime::ReadStateFile(settings_.state_dir + "/controller.state", "controller", 1, 1);
  ASSERT_TRUE(state.ok()) << state.status();
  v1::ControllerState message;
  ASSERT_TRUE(message.ParseFromString(state->payload));
  ASSERT_EQ(message.tiers_size(), 1);
  ASSERT_EQ(message.tiers(0).drains_size(), 1) << "what was ordered meanwhile";
  EXPECT_EQ(message.tiers(0).drains(0).region(), "a");
}

AuditEntry Entry(int n) { return {FromUnixSeconds(n), "ann", "because", absl::StrCat("order ", n)}; }

TEST(AuditLogTest, FilesAreBoundedInSizeAndNumber) {
  const live::ScratchFolder folder;
  const std::string path = folder.File("audit.log");
  const AuditLimits limits{.file_bytes_max = 1000, .files_max = 3};
  {
    auto log = AuditLog::Open(path, limits);
    ASSERT_TRUE(log.ok());
    for (int n = 0; n < 200; ++n) ASSERT_TRUE(log->Append(Entry(n)).ok());
  }
  for (const char* name : {"", ".1", ".2"}) {
    EXPECT_LE(fs::file_size(path + name), 1000) << name;
  }
  EXPECT_FALSE(fs::exists(path + ".3"));
  // What a screen shows first is there after a restart, in order.
  auto again = AuditLog::Open(path, limits);
  ASSERT_TRUE(again.ok());
  ASSERT_GE(again->entries().size(), 10u);
  for (std::size_t back = 0; back < 10; ++back) {
    EXPECT_EQ(again->entries()[again->entries().size() - 1 - back].action,
              absl::StrCat("order ", 199 - back));
  }
}

TEST(AuditLogTest, AFullDiskLosesNoLineThatCouldBeWrittenAndSpoilsNone) {
  const live::ScratchFolder folder;
  const std::string path = folder.File("audit.log");
  {
    std::optional<AuditLog> log;
    {
      const FullDisk full(250);
      log.emplace(*AuditLog::Open(path));
      int written = 0;
      for (int n = 0; n < 10; ++n) written += log->Append(Entry(n)).ok();
      EXPECT_GT(written, 0);
      EXPECT_LT(written, 10);
      EXPECT_EQ(log->entries().size(), 10u) << "in memory all of them";
    }
    EXPECT_TRUE(log->Append(Entry(77)).ok());
  }
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    EXPECT_EQ(line.front(), '{');
    EXPECT_EQ(line.back(), '}') << line;
  }
  EXPECT_EQ(AuditLog::Open(path)->entries().back().action, "order 77");
}

TEST(PlantedLinksTest, AreNotFollowed) {
  const live::ScratchFolder folder;
  const std::string victim = folder.File("victim");
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, folder.File("audit.log"));
  EXPECT_THAT(std::string(AuditLog::Open(folder.File("audit.log")).status().message()),
              HasSubstr("symbolic link"));
  fs::create_symlink(victim, folder.File("x.state.tmp"));
  EXPECT_TRUE(runtime::WriteStateFile(folder.File("x.state"), "test", 1, "payload").ok());
  EXPECT_EQ(runtime::ReadStateFile(folder.File("x.state"), "test", 1, 1)->payload, "payload");
  std::ifstream file(victim);
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(text, "precious");
}

}  // namespace
}  // namespace ringway::controller
