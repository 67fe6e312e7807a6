// Watches the controller beside the demo: its status and table, once a second, on a thread of its own.
//
// The load generator must not wait for anybody, so it only ever reads the last answer. A controller that does
// not answer leaves the last one standing and is counted.
//
// Threads: Latest from any; one thread inside, ended by the destructor.
#ifndef RINGWAY_CLI_DEMO_OBSERVER_H_
#define RINGWAY_CLI_DEMO_OBSERVER_H_

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/admin_client.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::demo {

struct Observation {
  v1::StatusReply status;
  v1::RoutingTable table;
  std::uint64_t answers = 0;
  std::uint64_t failures = 0;
};

class Observer {
 public:
  explicit Observer(const std::string& controller);
  ~Observer();
  Observation Latest() const;

 private:
  void Watch();
  void Ask();

  cli::AdminClient admin_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  Observation latest_;
  std::thread thread_;
};

// The part of `region`'s first-priority traffic that the table sends elsewhere, shed included; 0 when the
// table does not know it.
double PlannedAwayShare(const v1::RoutingTable& table, const std::string& region);

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_OBSERVER_H_
