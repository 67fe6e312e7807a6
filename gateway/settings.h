// How a router serves the videos API; filled from its command line.
//
// Every bound of the front is here. Sizes are in bytes. An empty `listen` means that nothing of this exists.
//
// Threads: values.
#ifndef RINGWAY_GATEWAY_SETTINGS_H_
#define RINGWAY_GATEWAY_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "gateway/jobs/job_table.h"
#include "gateway/objects/s3_settings.h"

namespace ringway::gateway {

// What routers say as Host to each other.
inline constexpr std::string_view kPeerHost = "ringway";

struct VideosSettings {
  std::string listen;     // host:port; empty: the API is not served
  std::string advertise;  // host:port where other routers reach it; empty: what it listens on
  std::string store;      // folder of records and results
  std::string token;      // that clients must present; empty: anybody may ask
  bool open = false;      // off loopback without a token, on purpose
  // Names that Host may have, beside addresses and localhost, where no token is asked for.
  std::vector<std::string> hosts;
  // Origins whose pages may use the API from a browser; none: no other site's.
  std::vector<std::string> cors_origins;
  // host:port that completion webhooks may go to; none: a job that names one is refused.
  std::vector<std::string> webhook_hosts;
  std::string webhook_key;                          // that they are signed with; empty: they are not
  std::optional<objects::S3Settings> shared_store;  // where finished videos go; none: they stay here
  TableLimits limits;
  std::size_t connections_max = 8192;
  std::size_t body_bytes_max = std::size_t{64} << 20;     // of one request
  std::size_t bodies_bytes_max = std::size_t{512} << 20;  // of all that are arriving or not yet handed on
  Duration body_limit = Seconds(120);                     // from the head to the last byte of a body
  // Set by the router.
  std::string router;
  std::string region;
  std::string fleet_token;  // presented to other routers; empty: none
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_SETTINGS_H_
