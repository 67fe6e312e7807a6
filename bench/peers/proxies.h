// The proxies under test, as real processes on loopback in front of the same workers.
//
// A pass-through configuration sends to whichever worker the proxy's own balancer picks; the configurations
// here are each proxy's best for workers of capacity one, as its documentation has it, and the text of each
// is printed with --verbose. K instances of the others know nothing of each other, as K sidecars
// would; ours share one ledger, which the first of them holds.
//
// Children die with the benchmark. Configuration files live in a temporary folder that is removed.
#ifndef RINGWAY_BENCH_PEERS_PROXIES_H_
#define RINGWAY_BENCH_PEERS_PROXIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/time.h"
#include "runtime/child_process.h"

namespace ringway::bench {

// One of K instances: where it listens, and the first of them, which may know more than the others.
struct Instance {
  std::string folder;  // for its files
  int port = 0;
  int first_port = 0;
  int first_rpc_port = 0;  // free, for what instances say to each other
  int instances = 1;
  // Of the requests to come.
  double deadline_s = 5;
  double service_mean_s = 0.05;
};

struct ProxyKind {
  std::string name;     // for the table
  std::string program;  // looked up in PATH
  // Writes the configuration and returns the command line for one instance.
  std::vector<std::string> (*command)(const Instance& instance, const std::vector<int>& workers);
  // Before load, where instances have to find each other.
  Duration settles = ZeroDuration();
};

const std::vector<ProxyKind>& ProxyKinds();

class ProxySet {
 public:
  // Starts as many as `like` says, for the requests that it describes, and waits until each accepts
  // connections; folder and ports of `like` do not count.
  static absl::StatusOr<ProxySet> Start(const ProxyKind& kind, const Instance& like,
                                        const std::vector<int>& workers);
  ProxySet(ProxySet&&) = default;
  ~ProxySet();
  const std::vector<int>& ports() const { return ports_; }
  Duration CpuTime() const;

 private:
  ProxySet() = default;
  std::string folder_;
  std::vector<int> ports_;
  std::vector<runtime::ChildProcess> children_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_PROXIES_H_
