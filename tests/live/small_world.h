// A whole fleet of real processes on loopback: a controller, and routers with their workers in each region.
//
// The world is described in values, written to a topology file in a scratch folder, and started in the order
// that an operator would: controller, workers, routers. Ready means that every router has a table in force
// and that the controller has seen every worker. Everything ends with the object, whatever the test did.
//
// Threads: the one that made it.
#ifndef RINGWAY_TESTS_LIVE_SMALL_WORLD_H_
#define RINGWAY_TESTS_LIVE_SMALL_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringway/v1/admin.grpc.pb.h"
#include "ringway/v1/job.grpc.pb.h"
#include "tests/live/daemon_process.h"

namespace ringway::live {

struct RegionPlan {
  std::string name;
  int routers = 1;
  int workers_per_router = 0;
  double latitude_deg = 0;
  double longitude_deg = 0;
  double import_cap_share = 1;
  int workers_of_test = 0;  // that it runs itself; flags_of the routers say beside which
  int workers() const { return routers * workers_per_router + workers_of_test; }
};

struct WorldPlan {
  std::vector<RegionPlan> regions;
  double rtt_ms = 10;           // between any two
  double service_mean_s = 0.2;  // of the synthetic workers, and what the tier expects
  std::string service_law = "fixed";
  std::string deadline = "10s";
  std::string dispatch = "{mode: probe}";  // YAML
  std::string scaling = {};                // YAML; empty: the tier is not scaled
  std::vector<std::string> worker_flags = {};
  std::map<std::string, std::vector<std::string>> flags_of = {};  // of one worker or router, by name
  std::vector<std::string> router_flags = {};
  std::vector<std::string> controller_flags = {};
  std::string guard = "{staleAfter: 5s, missingAfter: 15s}";  // YAML
  bool controlled = true;  // false: routers read the topology themselves, and nobody plans
};

inline constexpr char kTier[] = "animate";

class SmallWorld {
 public:
  explicit SmallWorld(WorldPlan plan);

  DaemonProcess& controller() { return *controller_; }
  // Routers are named "<region>-<n>", workers "<router>-w<n>", both from 0.
  DaemonProcess& router(const std::string& name) { return *routers_.at(name); }
  DaemonProcess& worker(const std::string& name) { return *workers_.at(name); }
  const std::map<std::string, std::unique_ptr<DaemonProcess>>& routers() const { return routers_; }
  const std::map<std::string, std::unique_ptr<DaemonProcess>>& workers() const { return workers_; }
  // host:port of a region's routers.
  std::vector<std::string> Doors(const std::string& region) const;
  std::unique_ptr<v1::Ingress::Stub> Door(const std::string& router) const;

  // Where a daemon keeps its state: "controller", or the name of a router or worker.
  std::string StateDir(const std::string& daemon) const { return folder_.File(daemon + "-state"); }

  // The controller's topology file; SIGHUP reads it again.
  std::string TopologyFile() const { return folder_.File("world.yaml"); }

  // What the controller answers; nothing when it does not.
  std::optional<v1::StatusReply> Status() const;
  // Every router of `status` has a table in force of at least this epoch.
  static bool AllHoldEpoch(const v1::StatusReply& status, std::uint64_t epoch, std::size_t routers);
  // Until every router has a table and every worker has announced itself.
  bool AwaitReady();
  // How often a worker says that it has finished a job with this id, over all workers' logs.
  int Completions(const std::string& request_id) const;
  // Sum of a /metrics series over the workers that run.
  double SumOverWorkers(const std::string& series) const;

 private:
  bool RoutersKnowTheirWorkers() const;
  void WriteTopology(const std::string& path) const;
  void StartRouter(const RegionPlan& region, const std::string& name);
  void StartWorker(const RegionPlan& region, const std::string& name);
  const WorldPlan plan_;
  ScratchFolder folder_;
  std::unique_ptr<DaemonProcess> controller_;
  std::map<std::string, std::unique_ptr<DaemonProcess>> routers_;
  std::map<std::string, std::unique_ptr<DaemonProcess>> workers_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_SMALL_WORLD_H_
