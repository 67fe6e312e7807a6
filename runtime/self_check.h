// Does our own gRPC port still answer? Asked over a new connection, as a client would.
//
// A process can look well, with pages that are served and a loop that turns, while nobody gets through to its
// gRPC port any more. So each period the health service is called on a fresh connection to the own address;
// whatever answer comes, even "not serving", shows that the port lives. After kMissesMax misses in a row it
// counts as dead, until the next answer. Readiness looks at the flag; nothing is killed, because the listener
// never closes for good (runtime/grpc_listener.h) and a flood of connections must not restart a daemon.
//
// Bound: one call under way, for at most a period. Threads: one of its own, which ends with the object.
#ifndef RINGWAY_RUNTIME_SELF_CHECK_H_
#define RINGWAY_RUNTIME_SELF_CHECK_H_

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "core/time.h"
#include "runtime/log.h"

namespace grpc {
class ClientContext;
}

namespace ringway::runtime {

class SelfCheck {
 public:
  static constexpr int kMissesMax = 3;
  static constexpr Duration kPeriod = Seconds(2);

  // `address`: as the server says it, host:port; a wildcard is asked on loopback. `answers`: what is kept up
  // to date; it outlives this.
  SelfCheck(const std::string& address, const Logger& log, std::atomic<bool>& answers,
            Duration period = kPeriod);
  ~SelfCheck();
  SelfCheck(const SelfCheck&) = delete;
  SelfCheck& operator=(const SelfCheck&) = delete;

 private:
  void Run();
  bool Ask();
  void Note(bool answered);

  const std::string address_;
  const Logger log_;
  const Duration period_;
  std::atomic<bool>& answers_;
  int misses_ = 0;  // in a row
  std::mutex mutex_;
  std::condition_variable ended_;
  bool stopping_ = false;
  grpc::ClientContext* call_ = nullptr;  // under way
  std::thread thread_;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_SELF_CHECK_H_
