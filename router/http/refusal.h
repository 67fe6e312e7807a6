// What a client is told whose request did not reach a worker, or whose worker did not answer.
//
// A status that says whose fault it is and whether to come back, Retry-After where the router knows when, and
// a body that says why in words and in one stable code:
//
//   429 (or as configured)  overloaded: no_slot_in_time, line_full, shed, workers_busy
//   503                     no_worker (nobody reachable), draining
//   502                     worker_failed: it had the request and did not answer properly
//   504                     deadline_exceeded: it had the request and did not answer in time
//
// The shape is that of the OpenAI API's errors, which clients of inference servers read already. Pure.
#ifndef RINGWAY_ROUTER_HTTP_REFUSAL_H_
#define RINGWAY_ROUTER_HTTP_REFUSAL_H_

#include <string>
#include <string_view>

#include "router/router_action.h"

namespace ringway::router {

struct Refusal {
  int status = 503;
  std::string fields = {};  // lines with CRLF
  std::string body = {};    // JSON
};

// How the request went here, as far as the machine's trace does not tell.
struct RefusalFacts {
  int overload_status = 429;
  bool sent = false;         // a worker has, or had, the request when it ended
  bool draining = false;     // this router is leaving
  bool unreachable = false;  // every attempt found nobody
};

Refusal RefusalOf(const EndJob& end, const RefusalFacts& facts);

// {"error":{"message":...,"type":...,"code":...}} with the message escaped.
std::string ErrorBody(std::string_view message, std::string_view type, std::string_view code);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_REFUSAL_H_
