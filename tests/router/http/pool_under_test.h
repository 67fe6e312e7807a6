// A real router in front of scripted workers: the pool file is written, the daemon started, its door found.
//
// Threads: the one that made it; workers must outlive it.
#ifndef RINGWAY_TESTS_ROUTER_HTTP_POOL_UNDER_TEST_H_
#define RINGWAY_TESTS_ROUTER_HTTP_POOL_UNDER_TEST_H_

#include <fstream>
#include <string>
#include <vector>

#include "tests/live/daemon_process.h"

namespace ringway::http_test {

class PoolUnderTest {
 public:
  // `spec`: further lines of the file's spec, two blanks deep.
  explicit PoolUnderTest(const std::vector<std::string>& workers, const std::string& spec = "",
                         std::vector<std::string> flags = {})
      : router_(folder_, Daemon(workers, spec, std::move(flags))) {}

  const std::string& door() const { return router_.clients(); }
  live::DaemonProcess& router() { return router_; }
  void WriteWorkersFile(const std::vector<std::string>& workers) {
    std::ofstream file(folder_.File("workers.txt"));
    for (const std::string& worker : workers) file << worker << "  # a worker\n";
  }

 private:
  live::DaemonSpec Daemon(const std::vector<std::string>& workers, const std::string& spec,
                          std::vector<std::string> flags) {
    std::ofstream file(folder_.File("pool.yaml"));
    file << "apiVersion: ringway/v1\nkind: HttpPool\nmetadata: {name: test}\nspec:\n"
         << "  listen: 127.0.0.1:0\n  workersFile: workers.txt\n  abandonedHold: 10ms\n";
    if (spec.find("serviceMean") == std::string::npos) file << "  serviceMean: 100ms\n";
    file << spec;
    WriteWorkersFile(workers);
    std::vector<std::string> arguments = {"--name", "router", "--region",
                                          "here",   "--pool", folder_.File("pool.yaml")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return {.program = "ringway-router", .name = "router", .arguments = std::move(arguments)};
  }

  live::ScratchFolder folder_;
  live::DaemonProcess router_;
};

}  // namespace ringway::http_test

#endif  // RINGWAY_TESTS_ROUTER_HTTP_POOL_UNDER_TEST_H_
