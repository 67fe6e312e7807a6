// The kernels of every instruction set of this machine, in f32 and bf16: what tests of them run on.
//
// A test of a kernel is a graph of a few nodes with an input "x" and an output "y", run as a plan, against
// the textbook formula in double. Instruction sets that the processor lacks are skipped and say so.
#ifndef RINGWAY_TESTS_ENGINE_KERNEL_MODES_H_
#define RINGWAY_TESTS_ENGINE_KERNEL_MODES_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/cpu/cpu_backend.h"
#include "engine/plan/plan.h"
#include "tests/engine/levels.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {

struct Mode {
  Isa isa;
  DType precision;
};
inline std::string ModeName(const testing::TestParamInfo<Mode>& info) {
  return std::string(IsaName(info.param.isa)) + "_" + std::string(DTypeName(info.param.precision));
}

class KernelModes : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
    if (!HasIsa(GetParam().isa)) GTEST_SKIP() << "this processor has no " << IsaName(GetParam().isa);
  }

  // Runs a graph with one random input "x" and output "y"; gives both.
  std::vector<float> Run(const std::function<ValueId(Graph&, ValueId)>& build, const Shape& shape,
                         std::vector<float>& x) {
    Graph graph;
    graph.Output("y", build(graph, graph.Input("x", shape)));
    const CpuBackend backend({.threads = 2, .isa = GetParam().isa});
    PassOptions options;
    options.precision = GetParam().precision;
    const auto plan = Plan::Freeze(graph, options, backend);
    RINGWAY_CHECK(plan.ok());
    FillRandomly((*plan)->Input("x"), 3, 2.0f);
    x.assign((*plan)->Input("x").begin(), (*plan)->Input("x").end());
    (*plan)->Run();
    const auto y = (*plan)->Output("y");
    return {y.begin(), y.end()};
  }
  double Tolerance() const { return GetParam().precision == DType::kF32 ? 3e-6 : 1e-2; }
  void ExpectClose(std::span<const float> got, std::span<const float> expected) {
    EXPECT_LT(RelativeDistance(got, expected), Tolerance());
  }
  std::vector<float> x_;
};

inline std::vector<Mode> EveryMode() {
  std::vector<Mode> modes;
  for (const Isa isa : LevelsOfArchitecture()) {
    if (isa == Isa::kAvx512Vnni) continue;                             // as kAvx512
    if (isa != Isa::kAvx512Bf16) modes.push_back({isa, DType::kF32});  // as kAvx512
    modes.push_back({isa, DType::kBF16});
  }
  return modes;
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_KERNEL_MODES_H_
