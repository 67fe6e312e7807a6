// A controller's daemon on free ports, its settings, and a client of its Admin service: what tests over real
// loopback gRPC begin with.
//
// Start begins it anew on the same folder, so what was saved counts. Derived fixtures change settings_ and
// call Start once; each test has a folder of its own. Threads: the test's.
#ifndef RINGWAY_TESTS_CONTROLLER_DAEMON_FIXTURE_H_
#define RINGWAY_TESTS_CONTROLLER_DAEMON_FIXTURE_H_

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "controller/daemon/daemon.h"
#include "gtest/gtest.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/controller/pair_settings.h"
#include "tests/live/daemon_process.h"

namespace ringway::controller {

class DaemonFixture : public ::testing::Test {
 protected:
  void WriteWorld(const std::string& text) { std::ofstream(settings_.topology) << text; }
  void Start() {
    daemon_.reset();
    auto started = ControllerDaemon::Start(settings_);
    ASSERT_TRUE(started.ok()) << started.status();
    daemon_ = *std::move(started);
    admin_ = v1::Admin::NewStub(runtime::MakeChannel(daemon_->grpc_address()));
  }

  live::ScratchFolder folder_;
  DaemonSettings settings_ = PairSettings(folder_);
  std::unique_ptr<ControllerDaemon> daemon_;
  std::unique_ptr<v1::Admin::Stub> admin_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_TESTS_CONTROLLER_DAEMON_FIXTURE_H_
