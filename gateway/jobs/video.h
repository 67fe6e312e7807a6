// One video job as its owner knows it, and what the world may be told of it.
//
// A job is queued, runs, and ends completed or failed; a deleted one leaves a stone behind until it would
// have expired, so that who still asks learns what happened. Times are seconds since 1970, because they
// outlive the process. What a fault means is its code:
//
//   invalid_request      the worker or the router refuses the request itself
//   overloaded           no slot came free, or the line is full: later again
//   deadline_infeasible  it cannot be, or was not, done in time
//   worker_failed        the worker, or the way to it, broke
//   cancelled            deleted while it ran
//   result_too_large     the result does not fit into the store
//   storage_failed       it could not be written
//   router_restarted     the router stopped while the job ran
//
// Pure. Threads: values.
#ifndef RINGWAY_GATEWAY_JOBS_VIDEO_H_
#define RINGWAY_GATEWAY_JOBS_VIDEO_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ringway::gateway {

enum class State : std::uint8_t { kQueued, kRunning, kCompleted, kFailed, kDeleted };

// As the API says it: "queued", "in_progress", "completed", "failed"; a deleted one is never shown.
std::string_view StateName(State state);
inline bool IsOver(State state) { return state != State::kQueued && state != State::kRunning; }

struct Fault {
  std::string code = {};  // empty: none
  std::string message = {};
  double retry_after_s = 0;  // 0: unknown
  std::string field = {};    // of the request that is wrong, with invalid_request; empty: none is named
};

struct Video {
  std::string id;
  State state = State::kQueued;
  std::uint32_t run = 1;  // a keyed job that failed may run again
  std::int64_t created_s = 0;
  std::int64_t ended_s = 0;    // 0: not yet
  std::int64_t expires_s = 0;  // 0: not yet known
  // Of the request.
  std::string model;
  std::string prompt;
  std::string size;
  std::string seconds;
  std::string key;  // Idempotency-Key; empty: none
  std::uint64_t fingerprint = 0;
  std::string webhook_url;
  std::string seed;  // of an image; empty: a video
  // Of the run. Progress never falls.
  std::uint32_t step = 0;
  std::uint32_t steps = 0;
  int progress = 0;  // per cent; 100 only when completed
  std::string region;
  std::string worker;
  Fault fault;
  bool refused = false;  // it failed before anything had begun, and may be sent again as it is
  // Of the result.
  std::string content_type;
  std::string note;  // for people: what of the request was not understood
  std::uint64_t result_bytes = 0;
  bool has_result = false;  // in the store
  bool shared = false;      // record and result are in the store that the routers share
  bool webhook_owed = false;
};

// The HTTP status of a request that ends with this fault.
int HttpStatusOf(const Fault& fault);
// The `type` of an error body, by its HTTP status.
std::string_view ErrorTypeOf(int http_status);

// {"error":{"message":...,"type":...,"param":...,"code":...}}; `field` is the param, and null where it is
// empty.
std::string ErrorJson(int http_status, std::string_view code, std::string_view message,
                      std::string_view field = "");

// {"id":...,"object":"video.deleted","deleted":true}
std::string DeletedJson(std::string_view id);

// The object of the API, without a line break. `router`: who owns it.
std::string VideoJson(const Video& video, std::string_view router);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_VIDEO_H_
