// How good and how quick the planner is, against LEMON's optimum over all arcs in the same run.
#include <cstdio>
#include <string_view>

#include "bench/planner/claims.h"
#include "bench/planner/measure.h"
#include "bench/planner/suite.h"

namespace ringway::planner {
namespace {

int Main(const Options& options) {
  Claims claims;
  if (!options.brief) {
    std::puts(
        "world    load | loop ms med/worst | solve ms med/worst  | all arcs  | loop/optimum | refined/optimum"
        " | away, above least (points)");
  }
  MeasureSizes(options, claims);
  if (!MeasureRealWorld(options, "aws", claims) || !MeasureRealWorld(options, "azure", claims)) return 2;
  MeasureOverload(options, claims);
  claims.Add("tiers_100x1000_s", TiersSeconds(100, 1000), 1);
  if (!options.brief) std::puts("");
  claims.Print();
  return claims.AllHold() ? 0 : 1;
}

}  // namespace
}  // namespace ringway::planner

int main(int argc, char** argv) {
  ringway::planner::Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--quick") {
      options.quick = true;
    } else if (word == "--brief") {
      options.brief = true;
    } else {
      std::fprintf(stderr, "bench_planner: unknown option %s; allowed: --quick, --brief\n", argv[k]);
      return 2;
    }
  }
  return ringway::planner::Main(options);
}
