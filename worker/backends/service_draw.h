// Service times drawn from a law, and whether a job fails: what the synthetic backend does instead of work.
//
// Laws: fixed; exponential (cv is 1 whatever is asked); log-normal with mean and coefficient of variation.
// Pure and seeded: the n-th draw of a seed and a name is the same everywhere, and workers with different
// names draw different sequences from one seed. One owner thread, O(1).
#ifndef RINGWAY_WORKER_BACKENDS_SERVICE_DRAW_H_
#define RINGWAY_WORKER_BACKENDS_SERVICE_DRAW_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/rng.h"
#include "core/time.h"

namespace ringway::worker {

enum class ServiceLaw : std::uint8_t { kFixed, kExponential, kLogNormal };
// "fixed", "exponential", "lognormal".
std::optional<ServiceLaw> ParseServiceLaw(std::string_view name);

struct ServiceDrawSettings {
  ServiceLaw law = ServiceLaw::kLogNormal;
  Duration mean = Seconds(1);
  double cv = 0.3;
  double fail_rate = 0;  // share of jobs that end with an injected fault
  std::uint64_t seed = 1;
};

class ServiceDraw {
 public:
  struct Job {
    Duration service;
    bool fails = false;
    double fails_at = 1;  // share of the service time
  };
  ServiceDraw(const ServiceDrawSettings& settings, std::string_view name);
  Job Next();

 private:
  ServiceDrawSettings settings_;
  Rng rng_;
};

// The service time that a job brings itself (proto/synthetic_job.h); nothing: it brings none. Errors:
// InvalidArgument, which names the parameter and its bounds.
absl::StatusOr<std::optional<Duration>> OwnService(const std::map<std::string, std::string>& parameters);

// FNV-1a, 64 bits, continued from `hash`.
inline constexpr std::uint64_t kHashStart = 0xcbf29ce484222325;
std::uint64_t HashBytes(std::string_view bytes, std::uint64_t hash = kHashStart);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_SERVICE_DRAW_H_
