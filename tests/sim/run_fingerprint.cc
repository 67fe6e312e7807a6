#include "tests/sim/run_fingerprint.h"

#include "absl/strings/str_format.h"

namespace ringway::sim {

std::string Fingerprint(const Simulation& simulation) {
  const Totals& t = simulation.tally().totals();
  std::string text =
      absl::StrFormat("%d events, %d submitted, %d offers, %d refused, %d forwards, %d tables",
                      simulation.events(), t.submitted, t.offers, t.refused, t.forwards, t.tables);
  for (const std::uint64_t n : t.ended) absl::StrAppendFormat(&text, " %d", n);
  absl::StrAppendFormat(&text, " %.17g %.17g %.17g", t.busy_s, t.wait.sum(), t.latency.sum());
  return text;
}

}  // namespace ringway::sim
