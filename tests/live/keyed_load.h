// Keyed jobs under injected trouble: replies are thrown away, routers and workers are killed with -9.
//
// Clients take key after key. For each they ask a random router; some hang up in the middle and count the
// reply as lost; whoever has no result asks another router with the same key, until it has one or its time is
// over. The payload is the key, so a result belongs to a run, and runs are told apart by what the workers'
// logs say: a worker logs each job that it finishes. What is counted:
//   duplicates  keys of which clients were given results of two different runs (worker, start of the run)
//   silent      requests that ended without a result, an error message or a broken connection
//   done        keys that came to a result in the end
//
// Blocking. Threads: its own clients and one that kills; all end before it returns.
#ifndef RINGWAY_TESTS_LIVE_KEYED_LOAD_H_
#define RINGWAY_TESTS_LIVE_KEYED_LOAD_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/time.h"
#include "tests/live/small_world.h"

namespace ringway::live {

struct KeyedLoad {
  std::size_t keys = 300;
  int clients = 6;
  int router_kills = 2;  // spread over the run; each starts again after a second
  int worker_kills = 2;
  double lost_share = 0.15;  // of requests, given up by the client at a random moment
  Duration key_limit = Seconds(60);
  std::uint64_t seed = 1;
};

struct KeyedReport {
  std::size_t keys = 0;
  std::size_t done = 0;
  std::size_t requests = 0;
  std::size_t duplicates = 0;
  std::size_t silent = 0;
  std::size_t lost_replies = 0;
  std::size_t clear_errors = 0;
  std::size_t broken_calls = 0;
  std::size_t answered_from_record = 0;
  int router_kills = 0;
  int worker_kills = 0;
  std::string problem;  // the first duplicate, silent loss, or key that never came to a result
  std::string Line() const;
};

KeyedReport RunKeyedLoad(SmallWorld& world, const KeyedLoad& load);

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_KEYED_LOAD_H_
