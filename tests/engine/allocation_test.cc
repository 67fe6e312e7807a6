// Nothing is allocated after the first step, not by a frozen plan and not by the solver around it; and a plan
// takes hardly more memory than what must be alive at once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engine/cpu/cpu_backend.h"
#include "engine/engine.h"
#include "engine/media/drawn_picture.h"
#include "engine/networks/unet_sd.h"
#include "engine/plan/plan.h"
#include "tests/engine/malloc_count.h"
#include "tests/engine/model_files.h"
#include "tests/engine/small_unet.h"

namespace ringway::engine {
namespace {

Graph SmallSvd(HashWeights& weights) { return SmallVideoUNet(weights, {{2, 3}, 8, 8}, 7); }
Graph SmallSd(HashWeights& weights) {
  SdUNetConfig config;
  config.layout = SmallLayout();
  return BuildSdUNet(config, weights, {2, 8, 8}, 7);
}

// Several numbers of threads: the pool starts those that it lacks in the first run.
TEST(Allocation, RunningAPlanAllocatesNothing) {
  HashWeights weights;
  for (const Graph& graph : {SmallSvd(weights), SmallSd(weights)}) {
    ASSERT_TRUE(graph.status().ok()) << graph.status();
    for (const int threads : {1, 2, 5})
      for (const int switches : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
        const DType precision = switches % 2 == 0 ? DType::kF32 : DType::kBF16;
        const bool fuse = switches / 2 % 2 == 1;
        const auto quantisation = static_cast<Quantisation>(switches / 4);
        const CpuBackend backend({.threads = threads});
        const auto plan = Plan::Freeze(
            graph, {.precision = precision, .quantisation = quantisation, .fuse = fuse}, backend, weights);
        ASSERT_TRUE(plan.ok()) << plan.status();
        (*plan)->Run();
        BeginCountingMalloc();
        (*plan)->Run();
        EXPECT_EQ(EndCountingMalloc().calls, 0)
            << threads << " threads, " << DTypeName(precision) << (fuse ? ", fused, " : ", ") << switches / 4;
      }
  }
}

// Bytes of this process that are in memory now.
double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double whole = 0, resident = 0;
  file >> whole >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// What the operating system counts, not what the plan says of itself: activations of some 60 MB beside few
// weights. `bound` is what is alive at once at the worst step, the kernels' workspaces included.
TEST(Memory, StaysNearTheLivenessBound) {
  HashWeights weights;
  SdUNetConfig config;
  config.layout = SmallLayout();
  const Graph graph = BuildSdUNet(config, weights, {4, 128, 128}, 7);
  const CpuBackend backend({.threads = 2});
  for (const DType precision : {DType::kF32, DType::kBF16}) {
    const double before = ResidentBytes();
    const auto plan = Plan::Freeze(graph, {.precision = precision}, backend, weights);
    ASSERT_TRUE(plan.ok()) << plan.status();
    (*plan)->Run();
    const double grown = ResidentBytes() - before;
    const auto bound = static_cast<double>((*plan)->report().liveness_bound_bytes);
    EXPECT_GT(bound, 30e6);
    EXPECT_LT(grown, 1.1 * bound) << DTypeName(precision);
    EXPECT_GT(grown, 0.9 * bound) << DTypeName(precision);
    (*plan)->Run();
    EXPECT_LT(ResidentBytes() - before, 1.1 * bound) << DTypeName(precision);
  }
}

long MallocsOf(Engine& engine, int steps) {
  AnimateRequest request;
  request.picture = DrawPicture(96, 64);
  request.prompt = "zoom in";
  request.side_max = 48;
  request.frames = 2;
  request.steps = steps;
  BeginCountingMalloc();
  const auto animation = engine.Animate(request, [](const AnimateProgress&) {}, {});
  const long calls = EndCountingMalloc().calls;
  EXPECT_TRUE(animation.ok()) << animation.status();
  return calls;
}

// Guided by three passes a step. What a whole animation allocates must not depend on how many steps it has.
TEST(Allocation, ASolverStepAllocatesNothing) {
  const ScratchFolder folder;
  WriteMotionModel(folder);
  const auto engine = Engine::Open(folder.path(), {.threads = 1});
  ASSERT_TRUE(engine.ok()) << engine.status();
  MallocsOf(**engine, 4);
  EXPECT_EQ(MallocsOf(**engine, 12), MallocsOf(**engine, 5));
}

// So that the zeros above are not those of a counter that is off.
TEST(Allocation, IsCounted) {
  BeginCountingMalloc();
  auto* volatile one = new int(1);
  const MallocCount count = EndCountingMalloc();
  delete one;
  EXPECT_EQ(count.calls, 1);
  EXPECT_EQ(count.largest_bytes, sizeof(int));
}

}  // namespace
}  // namespace ringway::engine
