// The server behind a worker in recovery tests: scripted HTTP, capacity one by whoever asks it, in this
// process.
//
// It can be stopped (accepts, says nothing), killed (its port refuses, its connections break) and started
// again on the same port. Jobs that say "bad" are answered with 500 at once; others after kService. GET is a
// health check and is answered at once.
//
// Threads: one owner; scripts run on the connections' threads and look only at the gate.
#ifndef RINGWAY_TESTS_LIVE_RECOVERY_BACKEND_H_
#define RINGWAY_TESTS_LIVE_RECOVERY_BACKEND_H_

#include <atomic>
#include <memory>
#include <string>

#include "tests/router/http/plain_worker.h"

namespace ringway::live {

class Backend {
 public:
  Backend() { Start(); }
  ~Backend() { Kill(); }
  const std::string& address() const { return address_; }
  void Kill();
  void Start();
  void Stop() { stopped_ = true; }
  void Continue() { stopped_ = false; }

 private:
  bool Serve(const http_test::Request& request, http_test::Wire& wire);
  std::atomic<bool> stopped_{false};
  std::string address_;  // empty before the first start
  std::unique_ptr<http_test::PlainWorker> server_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_RECOVERY_BACKEND_H_
