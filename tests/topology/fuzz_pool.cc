// Any bytes as a pool file: reading never crashes, and what it lets through a router can run with.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "topology/http_pool.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace ringway;
  const auto read = [](const std::string&) {
    return absl::StatusOr<std::string>("10.0.0.1:8000\n10.0.0.2:8000\n");
  };
  const auto pool = ParseHttpPool({reinterpret_cast<const char*>(bytes), size}, "fuzz", read);
  if (!pool.ok()) {
    RINGWAY_CHECK(!pool.status().message().empty());
    return 0;
  }
  RINGWAY_CHECK(!pool->workers.empty() && pool->workers.size() <= kPoolWorkersMax);
  RINGWAY_CHECK(pool->service_mean > ZeroDuration() && pool->deadline > ZeroDuration());
  RINGWAY_CHECK(pool->overload_status >= 400 && pool->connections_max > 0 && pool->requests_max > 0);
  for (const int status : pool->busy_statuses) RINGWAY_CHECK(status >= 400 && status < 600);
  return 0;
}
