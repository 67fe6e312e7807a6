// A pool of plain HTTP workers, as an operator describes it: who they are, where clients knock, and the
// limits.
//
// The workers take one request at a time and announce nothing. What a HAProxy user writes in a frontend and a
// backend stands here; topology/ reads it from YAML and checks it, router/http works by it. Everything about
// dispatch (the line, time-outs of offers, the prior of the service time) is the tier's (core/tier.h).
//
// Threads: immutable once loaded.
#ifndef RINGWAY_CORE_HTTP_POOL_H_
#define RINGWAY_CORE_HTTP_POOL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/time.h"

namespace ringway {

struct HttpPoolSpec {
  std::string listen = "127.0.0.1:8080";
  std::string tier = "http";
  std::vector<std::string> workers;  // host:port; a name stands for each of its addresses
  std::string workers_file;          // one worker a line, read again on SIGHUP; empty: none

  // Of a request that names none in X-Ringway-Deadline-Ms; from its head to the end of the response.
  Duration deadline = Seconds(60);
  Duration service_mean = Seconds(5);      // what a request takes, until it has been measured
  std::size_t waiting_max = 10000;         // requests in line at this router
  std::vector<int> busy_statuses = {503};  // a worker's way to say: not now
  int overload_status = 429;               // ours, when a request cannot be served in time

  // A slot whose request was given up rests for so long: whether the server stopped, nobody can tell.
  Duration abandoned_hold = Milliseconds(100);
  // No request runs longer; a new leader of the ledger trusts an unknown slot only after it.
  Duration service_bound = Minutes(2);
  Duration connect_timeout = Seconds(1);
  Duration worker_idle = Seconds(4);  // below the 5 s after which common servers close
  std::string health_path;            // empty: a worker is judged by its answers alone
  Duration health_period = Seconds(2);

  std::size_t connections_max = 4096;
  std::size_t requests_max = 4096;  // at a time, in line or running
  std::size_t header_bytes_max = std::size_t{16} << 10;
  std::size_t request_keep_max = std::size_t{1} << 20;  // of a body, so that it can be sent to another worker
  std::size_t response_window = std::size_t{256} << 10;  // read ahead of a slow client
  Duration header_timeout = Seconds(10);
  Duration idle_timeout = Seconds(60);
  Duration stall_timeout = Seconds(30);
};

}  // namespace ringway

#endif  // RINGWAY_CORE_HTTP_POOL_H_
