// bench_scaling: what autoscaled days cost beside hindsight, on days that no constant was chosen on.
// options.h has the ways to call it.
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/claim.h"
#include "bench/scaling/days.h"
#include "bench/scaling/judge.h"
#include "bench/scaling/options.h"
#include "bench/scaling/recorded_days.h"

int main(int argc, char** argv) {
  using namespace ringway::bench;
  const auto options = ReadScalingOptions(argc, argv);
  if (!options) return 2;
  std::vector<Claim> claims;
  if (!options->brief) PrintHead();
  const auto judge = [&](const std::string& cell, const Days& days) {
    options->tune ? Tune(cell, days) : JudgeCell(cell, days, options->brief, claims);
  };
  for (const DaysSpec& spec : options->made) {
    judge(absl::StrFormat("scaling.%s.%d", spec.name, spec.seed), MakeDays(spec));
  }
  for (const RecordedSpec& spec : options->recorded) {
    const absl::StatusOr<Days> days = RecordedDays(spec);
    if (!days.ok()) {
      std::fprintf(stderr, "bench_scaling: %s\n", std::string(days.status().message()).c_str());
      return 2;
    }
    judge(absl::StrFormat("scaling.recorded%d.%d", spec.sites, spec.seed), *days);
  }
  return Report(claims, options->brief);
}
