#include "tests/live/daemon_process.h"

#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "gtest/gtest.h"
#include "runtime/port_file.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/own_host.h"

namespace ringway::live {

ScratchFolder::ScratchFolder() {
  std::string pattern = ::testing::TempDir() + "ringway-live-XXXXXX";
  path_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
  EXPECT_FALSE(path_.empty()) << "cannot make a folder like " << pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string Program(const std::string& name) { return std::string(RINGWAY_BIN_DIR) + "/" + name; }

DaemonProcess::DaemonProcess(const ScratchFolder& folder, DaemonSpec spec)
    : spec_(std::move(spec)),
      port_file_(folder.File(spec_.name + ".ports")),
      log_(folder.File(spec_.name + ".log")) {
  const std::string any_port = OwnHost() + ":0";
  Start(any_port, any_port);
}

void DaemonProcess::Start(const std::string& listen, const std::string& http) {
  std::filesystem::remove(port_file_);
  std::vector<std::string> arguments = {Program(spec_.program), "--listen", listen, "--http", http,
                                        "--port-file",          port_file_};
  arguments.insert(arguments.end(), spec_.arguments.begin(), spec_.arguments.end());
  auto started = runtime::ChildProcess::Start(arguments, log_);
  ASSERT_TRUE(started.ok()) << started.status();
  process_ = *std::move(started);
  const bool up = Eventually([this] { return Serves() || process_->Poll().has_value(); });
  ASSERT_TRUE(up && !process_->Poll()) << spec_.name << " did not come up:\n" << Log();
}

bool DaemonProcess::Serves() {
  const auto ports = runtime::ReadPortFile(port_file_);
  if (!ports.ok()) return false;
  grpc_ = ports->at("grpc");
  http_ = ports->at("http");
  clients_ = ports->contains("clients") ? ports->at("clients") : "";
  videos_ = ports->contains("videos") ? ports->at("videos") : "";
  if (!spec_.await_ready) return true;
  const auto page = HttpGet(http_, "/readyz");
  return page && page->status == 200;
}

bool DaemonProcess::running() { return process_ && !process_->Poll(); }

void DaemonProcess::Kill() {
  process_->Signal(SIGKILL);
  EXPECT_TRUE(process_->WaitFor(kPatience)) << spec_.name << " survived SIGKILL";
}

std::optional<int> DaemonProcess::Terminate(Duration limit) {
  process_->Signal(SIGTERM);
  return process_->WaitFor(limit);
}

void DaemonProcess::StartAgain() {
  ASSERT_FALSE(running());
  Start(grpc_, http_);
}

std::string DaemonProcess::Log() const {
  std::ifstream file(log_);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace ringway::live
