// How good and how quick the planner is, against LEMON's optimum over all arcs in the same run.
#include <cstdio>
#include <vector>

#include "bench/claim.h"
#include "bench/options.h"
#include "bench/planner/measure.h"
#include "bench/planner/suite.h"

namespace ringway::planner {
namespace {

int Main(const Options& options) {
  std::vector<Claim> claims;
  if (!options.brief) {
    std::puts(
        "world    load | loop ms med/worst | solve ms med/worst  | all arcs  | loop/optimum | refined/optimum"
        " | away, above least (points)");
  }
  MeasureSizes(options, claims);
  if (!MeasureRealWorld(options, "aws", claims) || !MeasureRealWorld(options, "azure", claims)) return 2;
  MeasureOverload(options, claims);
  claims.push_back(bench::AtMost("tiers_100x1000_s", TiersSeconds(100, 1000), 1));
  if (!options.brief) std::puts("");
  return bench::Report(claims, true);
}

}  // namespace
}  // namespace ringway::planner

int main(int argc, char** argv) {
  const auto options = ringway::bench::ReadOptions("bench_planner", argc, argv);
  return options ? ringway::planner::Main(*options) : 2;
}
