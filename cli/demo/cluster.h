// The demo's processes: one controller, two routers in each region, and the workers, all on loopback.
//
// They are the programs that a real fleet runs, started from the folder of this one, each on ports of the
// kernel's choice that it tells through a port file. Workers run the synthetic backend (they sleep instead of
// drawing pictures); routers hold forwarded messages back by the regions' round-trip time. Everything that
// they write lies in one folder, the topology that the controller reads included.
//
// Nothing is left running: children die with this process, and Stop ends and reaps them. Threads: the one
// that started it, which must outlive it (see runtime/child_process.h).
#ifndef RINGWAY_CLI_DEMO_CLUSTER_H_
#define RINGWAY_CLI_DEMO_CLUSTER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/demo/script.h"
#include "core/fleet.h"
#include "runtime/child_process.h"
#include "sim/demand/service_law.h"

namespace ringway::demo {

struct ClusterSettings {
  std::string programs;  // folder of ringway-controller, ringway-router, ringway-worker
  std::string folder;    // for logs, port files and state
  std::string topology;  // file
  TierId tier;
  std::vector<std::string> worker_flags = {};   // what executes the jobs; none: the synthetic backend
  std::optional<sim::ServiceLaw> service = {};  // of the synthetic backend; none: log-normal, CV 0.3
};

class Cluster {
 public:
  // Returns when every process serves. Errors name the program and its log.
  static absl::StatusOr<Cluster> Start(const ClusterSettings& settings, const Fleet& fleet);

  const std::string& controller() const { return controller_; }  // host:port
  const std::string& dashboard() const { return dashboard_; }    // host:port
  // host:port of the videos API of a router; each of them serves it.
  const std::string& videos() const { return videos_; }
  // The n-th of the region's routers, n counted round.
  const std::string& router(RegionId region, std::size_t n) const {
    return routers_[region][n % kRoutersPerRegion];
  }
  // How the tier finds its GPUs from now on: the controller reads its topology anew. Errors: the file.
  absl::Status Dispatch(DispatchMode mode);
  std::size_t processes() const { return members_.size(); }
  // Errors: the first process that has ended by itself.
  absl::Status Check();
  // Asks all to end, waits a little, kills the rest. Idempotent. False when one had to be killed.
  bool Stop();

 private:
  struct Member {
    std::string name;
    std::string log;
    std::string port_file;
    runtime::ChildProcess process;
  };

  explicit Cluster(ClusterSettings settings) : settings_(std::move(settings)) {}
  absl::Status WriteWorld();
  absl::Status StartController();
  absl::Status StartWorkers(const Fleet& fleet);
  // The backend of the n-th worker of all.
  std::vector<std::string> BackendFlags(const Tier& tier, std::size_t n) const;
  absl::Status StartRouters(const Fleet& fleet);
  // Starts a program with the flags that all three share.
  absl::Status StartMember(const std::string& program, const std::string& name,
                           std::vector<std::string> flags);
  // The address of a member, once it serves; `door` as its port file names it.
  absl::StatusOr<std::string> AwaitAddress(Member& member, const std::string& door = "grpc");

  std::string WorldFile() const { return settings_.folder + "/world.yaml"; }

  ClusterSettings settings_;
  std::string topology_;  // text
  std::vector<Member> members_;
  std::string controller_;
  std::string dashboard_;
  std::string videos_;
  IdVector<RegionId, std::vector<std::string>> workers_;  // addresses
  IdVector<RegionId, std::vector<std::string>> routers_;
};

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_CLUSTER_H_
