#include "bench/engine/product_time.h"

#include "bench/engine/random_weights.h"
#include "engine/networks/blocks.h"
#include "engine/plan/plan.h"

namespace ringway::bench {

double ProductSeconds(const ProductShape& s, const engine::CpuBackend& backend, int rounds) {
  RandomWeights weights;
  engine::Graph g;
  const engine::Scope scope(g, weights);
  const engine::ValueId x = g.Input("x", {s.pictures, s.side, s.side, s.in});
  g.Output("y", s.kernel == 1 ? LinearLayer(scope, x, s.out)
                              : ConvLayer(scope, x, s.out, static_cast<int>(s.kernel)));
  engine::PassOptions options;
  options.precision = backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32;
  const auto plan = engine::Plan::Freeze(g, options, backend, weights);
  RINGWAY_CHECK(plan.ok());
  for (float& v : (*plan)->Input("x")) v = 0.1f;
  (*plan)->Run();
  for (const engine::Plan::StepTime& step : (*plan)->Profile(rounds))
    if (step.op == "linear" || step.op == "conv") return step.seconds;
  return 0;
}

}  // namespace ringway::bench
