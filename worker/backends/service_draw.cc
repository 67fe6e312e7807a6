#include "worker/backends/service_draw.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/synthetic_job.h"

namespace ringway::worker {

std::optional<ServiceLaw> ParseServiceLaw(std::string_view name) {
  if (name == "fixed") return ServiceLaw::kFixed;
  if (name == "exponential") return ServiceLaw::kExponential;
  if (name == "lognormal") return ServiceLaw::kLogNormal;
  return std::nullopt;
}

ServiceDraw::ServiceDraw(const ServiceDrawSettings& settings, std::string_view name)
    : settings_(settings), rng_(settings.seed, HashBytes(name)) {}

ServiceDraw::Job ServiceDraw::Next() {
  Job job;
  switch (settings_.law) {
    case ServiceLaw::kFixed:
      job.service = settings_.mean;
      break;
    case ServiceLaw::kExponential:
      job.service = settings_.mean * rng_.Exponential();
      break;
    case ServiceLaw::kLogNormal:
      job.service = settings_.mean * rng_.LogNormal(1, settings_.cv);
      break;
  }
  // Always drawn, so that another fail rate does not shift the service times.
  job.fails = rng_.Chance(settings_.fail_rate);
  job.fails_at = rng_.Uniform();
  return job;
}

std::uint64_t HashBytes(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

absl::StatusOr<std::optional<Duration>> OwnService(const std::map<std::string, std::string>& parameters) {
  const auto own = parameters.find(wire::kServiceParameter);
  if (own == parameters.end()) return std::nullopt;
  double seconds = 0;
  if (!absl::SimpleAtod(own->second, &seconds) || !(seconds > 0 && seconds <= wire::kServiceMaxS)) {
    return absl::InvalidArgumentError(absl::StrCat("parameter ", wire::kServiceParameter, " is '",
                                                   own->second, "'; allowed are numbers above 0, at most ",
                                                   wire::kServiceMaxS));
  }
  return Seconds(seconds);
}

}  // namespace ringway::worker
