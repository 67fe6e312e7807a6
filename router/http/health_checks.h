// Asks idle workers of a pool whether they live: GET of a path, every period, over connections of its own.
//
// A worker that is serving is not asked: its answer will tell. kFall checks in a row that fail (no
// connection, no answer within a period, a status of 400 or more) make a worker unhealthy, one that succeeds
// makes it healthy again; a worker that was never asked is healthy. Whoever made this is told of each change.
//
// Bounds: one check at a time for each worker. Threads: the loop's.
#ifndef RINGWAY_ROUTER_HTTP_HEALTH_CHECKS_H_
#define RINGWAY_ROUTER_HTTP_HEALTH_CHECKS_H_

#include <functional>
#include <memory>
#include <string>

#include "core/ids.h"
#include "core/time.h"
#include "runtime/event_loop.h"
#include "runtime/http/origin_connection.h"

namespace ringway::router {

class HealthChecks {
 public:
  static constexpr int kFall = 2;
  using Changed = std::function<void(WorkerId worker, bool healthy)>;

  // No path: nobody is asked.
  HealthChecks(runtime::EventLoop& loop, std::string path, Duration period, Changed changed);
  ~HealthChecks();

  // A worker stands at `endpoint` from now on.
  void Set(WorkerId worker, const std::string& name, const boost::asio::ip::tcp::endpoint& endpoint);
  // It is not asked any more; what was thought of it is forgotten.
  void Forget(WorkerId worker);
  // The time for another round, perhaps: asks those whose turn it is and that `idle` says are not serving.
  void OnTick(Time now, const std::function<bool(WorkerId)>& idle);

 private:
  struct Check;
  runtime::EventLoop& loop_;
  const std::string path_;
  const Duration period_;
  const Changed changed_;
  IdVector<WorkerId, std::unique_ptr<Check>> checks_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_HEALTH_CHECKS_H_
