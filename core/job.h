// A job as every part of the system names it: who wants what by when, never the picture itself.
//
// JobSpec is what an entry router learns from a request before any byte of the payload matters; the payload
// travels beside it as a chunked stream and no decision looks at it. Deadlines are absolute in the owner's
// monotonic time; on the wire the remaining time and the age travel instead, because clocks of two machines
// do not agree.
#ifndef RINGWAY_CORE_JOB_H_
#define RINGWAY_CORE_JOB_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ids.h"
#include "core/tier.h"
#include "core/time.h"

namespace ringway {

// What a job costs, as far as the request tells: service time scales with steps x pixels x frames.
struct CostHint {
  std::uint32_t steps = 0;
  std::uint32_t pixels = 0;
  std::uint32_t frames = 0;
};

struct JobSpec {
  std::string request_id;  // unique, for people and logs
  TierId tier;
  Priority priority = 0;
  std::string tenant;
  std::string model;
  std::string idempotency_key;  // empty: sent again only if no worker can have started it
  CostHint cost;
  Time arrived = InfinitePast();  // at the entry router
  Time deadline = InfiniteFuture();
};

// How an attempt, or a job, ended. BUSY is not a failure: a worker that serves somebody else is healthy.
enum class Outcome : std::uint8_t {
  kDone,
  kBusy,       // refused before start; always safe to send elsewhere
  kFailed,     // the worker, or the way to it, broke
  kTimeout,    // the deadline passed, or cannot be met any more
  kCancelled,  // the client left or withdrew it
  kShed,       // the table, a bound or the budget refused it
  kRejected,   // the request itself is wrong
};
std::string_view OutcomeName(Outcome outcome);

}  // namespace ringway

#endif  // RINGWAY_CORE_JOB_H_
