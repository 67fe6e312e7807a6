// A keyed job's wire side: its key, what tells its request from another one, and what its record keeps.
//
// The key is the tenant's and the client's together, so that tenants cannot meet. The fingerprint covers all
// that makes the request what it is (tier, model, prompt, parameters, size, payload as far as it is kept); it
// does not depend on how the payload was cut into chunks. The record of a job that is done holds its End,
// with the trace, and the result if that is small.
//
// Threads: pure functions and values. Hashes are FNV-1a, the same in every process and release.
#ifndef RINGWAY_ROUTER_DAEMON_ONCE_ONCE_OPTIONS_H_
#define RINGWAY_ROUTER_DAEMON_ONCE_ONCE_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ringway/v1/job.pb.h"
#include "router/router_event.h"

namespace ringway::router {

inline constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325ULL;
// Goes on from `hash`, so that a payload can be hashed as it comes.
std::uint64_t HashOn(std::uint64_t hash, std::string_view bytes);

// Null: the job has no key.
std::shared_ptr<const OnceOptions> WishOf(const v1::JobHeader& header, std::uint64_t payload_hash);

// The result's bytes as they pass through, as long as they are few enough to be kept.
class ResultKept {
 public:
  void Begin();
  void Add(std::string_view chunk);
  once::Result With(const v1::End& end) const;

 private:
  std::string bytes_;
  bool complete_ = true;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_ONCE_ONCE_OPTIONS_H_
