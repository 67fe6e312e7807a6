// Weights that are shared by plans: packed once whatever the sizes, swapped without a trace of the last ones,
// and never in memory twice while they are read.
#include "engine/plan/weight_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <fstream>

#include "core/rng.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/unet_sd.h"
#include "engine/plan/plan_cache.h"
#include "tests/engine/checkpoint_files.h"
#include "tests/engine/small_unet.h"

namespace ringway::engine {
namespace {

using testing::HasSubstr;

// Hashed weights of another seed than their names say, which counts what is read and can miss one of them.
class SeededWeights : public HashWeights {
 public:
  explicit SeededWeights(float scale, std::string missing = "")
      : scale_(scale), missing_(std::move(missing)) {}
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    if (name == missing_) return absl::NotFoundError("no tensor " + missing_);
    elements_read_ += static_cast<long>(out.size());
    if (absl::Status status = HashWeights::ReadRows(name, first, row_elements, out); !status.ok())
      return status;
    for (float& v : out) v *= scale_;
    return absl::OkStatus();
  }
  long elements_read() const { return elements_read_; }

 private:
  float scale_;
  std::string missing_;
  mutable std::atomic<long> elements_read_ = 0;
};

struct Checkpoint {
  explicit Checkpoint(float scale = 1.0f, std::string missing = "")
      : source(std::make_shared<SeededWeights>(scale, std::move(missing))),
        set(std::make_shared<WeightSet>(source)) {}
  Graph SvdGraph(std::int64_t height, std::int64_t width) const {
    return SmallVideoUNet(*source, {{1, 2}, height, width});
  }
  std::shared_ptr<SeededWeights> source;
  std::shared_ptr<WeightSet> set;
};

class WeightSets : public testing::TestWithParam<DType> {
 protected:
  std::unique_ptr<Plan> Freeze(const Checkpoint& checkpoint, std::int64_t height, std::int64_t width) {
    auto plan = Plan::Freeze(checkpoint.SvdGraph(height, width), options_, backend_, checkpoint.set);
    RINGWAY_CHECK(plan.ok());
    return *std::move(plan);
  }
  PassOptions options_ = {.precision = GetParam()};
  CpuBackend backend_{{.threads = 2}};
};

TEST_P(WeightSets, AnotherSizeReadsAndPacksNothing) {
  const Checkpoint checkpoint, fresh;
  const auto first = Freeze(checkpoint, 8, 8);
  const std::size_t bytes = checkpoint.set->packed_bytes(), weights = checkpoint.set->packed_weights();
  const long read = checkpoint.source->elements_read();
  EXPECT_GT(bytes, 0u);
  for (const auto& [height, width] : {std::pair(8, 16), {16, 8}, {24, 40}, {2, 2}}) {
    const auto plan = Freeze(checkpoint, height, width);
    EXPECT_EQ(checkpoint.set->packed_bytes(), bytes);
    EXPECT_EQ(checkpoint.set->packed_weights(), weights);
    EXPECT_EQ(checkpoint.source->elements_read(), read);
    EXPECT_EQ(RunVideoUNet(*plan), RunVideoUNet(*Freeze(fresh, height, width)));
  }
}

// Another precision, or merged projections, are other derivations of the same names.
TEST_P(WeightSets, DerivationsDoNotMix) {
  const Checkpoint checkpoint;
  const auto plain = Freeze(checkpoint, 8, 8);
  const std::vector<float> expected = RunVideoUNet(*plain);
  const std::size_t weights = checkpoint.set->packed_weights();
  options_.merge_projections = true;
  const auto merged = Freeze(checkpoint, 8, 8);
  EXPECT_GT(checkpoint.set->packed_weights(), weights);
  EXPECT_EQ(RunVideoUNet(*merged), RunVideoUNet(*Freeze(Checkpoint(), 8, 8)));
  EXPECT_EQ(RunVideoUNet(*plain), expected);
}

// The plan of one checkpoint serves another and comes back, bit for bit as if it had been frozen for it.
TEST_P(WeightSets, FiftySwapsLeaveNoTrace) {
  const Checkpoint a(1.0f), b(0.5f);
  const std::vector<float> expected_a = RunVideoUNet(*Freeze(Checkpoint(1.0f), 8, 8));
  const std::vector<float> expected_b = RunVideoUNet(*Freeze(Checkpoint(0.5f), 8, 8));
  ASSERT_NE(expected_a, expected_b);
  PlanCache cache(backend_, 1u << 30);
  cache.GiveBack(Freeze(a, 8, 8));
  for (std::size_t swap = 1; swap <= 50; ++swap) {
    const bool to_b = swap % 2 == 1;
    auto plan = cache.Take((to_b ? b : a).SvdGraph(8, 8), options_, (to_b ? b : a).set);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_EQ(cache.hits(), swap);
    ASSERT_EQ(RunVideoUNet(**plan), to_b ? expected_b : expected_a) << swap;
    cache.GiveBack(*std::move(plan));
  }
  EXPECT_EQ(a.set->packed_bytes(), b.set->packed_bytes());
}

TEST_P(WeightSets, AMissingWeightLeavesThePlanWithThoseItHad) {
  const Checkpoint whole, broken(1.0f, "mid_block.resnets.1.spatial_res_block.conv2.weight");
  const auto plan = Freeze(whole, 8, 8);
  const std::vector<float> expected = RunVideoUNet(*plan);
  const std::vector<std::string> names = Canonical(broken.SvdGraph(8, 8), WeightNames::kLeftOut).names;
  const absl::Status status = plan->Bind(broken.set, names);
  EXPECT_THAT(std::string(status.message()), HasSubstr("mid_block.resnets.1.spatial_res_block.conv2.weight"));
  EXPECT_EQ(RunVideoUNet(*plan), expected);
  const std::vector<std::string> fewer(names.begin(), names.end() - 1);
  EXPECT_THAT(std::string(plan->Bind(whole.set, fewer).message()), HasSubstr("another structure"));
}

INSTANTIATE_TEST_SUITE_P(Precisions, WeightSets, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& info) { return std::string(DTypeName(info.param)); });

TEST(WeightSet, WithoutASourceNamesWhatIsMissing) {
  Graph g;
  g.Output("y", g.Add(LinearOp{}, {g.Input("x", {2, 8}), g.Weight({"proj.weight", {4, 8}})}, "proj"));
  const CpuBackend backend({.threads = 1});
  EXPECT_THAT(std::string(Plan::Freeze(g, {}, backend).status().message()),
              HasSubstr("\"proj.weight\" is asked for, but the plan was frozen without weights"));
}

TEST(PlanCache, KeepsNoMoreThanItMay) {
  const CpuBackend backend({.threads = 1});
  const Checkpoint checkpoint;
  const auto plan_of = [&](std::int64_t side) {
    return Plan::Freeze(checkpoint.SvdGraph(side, 8), {}, backend, checkpoint.set).value();
  };
  auto small = plan_of(8), large = plan_of(16);
  PlanCache cache(backend, large->report().arena_bytes);
  cache.GiveBack(std::move(small));
  cache.GiveBack(std::move(large));
  EXPECT_EQ(cache.resting_bytes(), plan_of(16)->report().arena_bytes);
  EXPECT_TRUE(cache.Take(checkpoint.SvdGraph(8, 8), {}, checkpoint.set).ok());
  EXPECT_EQ(cache.hits(), 0u);
  EXPECT_TRUE(cache.Take(checkpoint.SvdGraph(16, 8), {}, checkpoint.set).ok());
  EXPECT_EQ(cache.hits(), 1u);
  EXPECT_EQ(cache.resting_bytes(), 0u);
}

// Sizes as people ask for them, in any order: none packs or reads a byte, and what rests stays bounded.
TEST(PlanCache, TwoHundredSizesPackNothingAndRestBounded) {
  const CpuBackend backend({.threads = 2});
  const Checkpoint checkpoint;
  SdUNetConfig config;
  config.layout = SmallLayout();
  constexpr std::size_t kBytesMax = std::size_t{64} << 20;
  PlanCache cache(backend, kBytesMax);
  const auto take = [&](std::int64_t height, std::int64_t width) {
    auto plan = cache.Take(BuildSdUNet(config, *checkpoint.source, {1, height, width}, 7),
                           {.precision = DType::kBF16}, checkpoint.set);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return std::move(plan).value();
  };
  cache.GiveBack(take(32, 32));
  const std::size_t bytes = checkpoint.set->packed_bytes(), weights = checkpoint.set->derived_weights();
  const long read = checkpoint.source->elements_read();
  Rng rng(200);
  std::size_t evicted = 0;
  for (int i = 0; i < 200; ++i) {
    const auto side = [&] { return 32 + static_cast<std::int64_t>(rng.Below(161)); };  // 256 to 1536 pixels
    const std::int64_t height = side(), width = side();
    const std::size_t resting = cache.resting();
    cache.GiveBack(take(height, width));
    evicted += cache.resting() <= resting ? 1 : 0;
    ASSERT_LE(cache.resting_bytes(), kBytesMax);
    ASSERT_LE(cache.resting(), PlanCache::kRestingMax);
    if (cache.resting() == 0) continue;  // its arena alone is more than may rest
    const std::size_t hits = cache.hits();
    cache.GiveBack(take(height, width));
    ASSERT_EQ(cache.hits(), hits + 1) << "the newest rests";
  }
  EXPECT_GT(evicted, 0u);
  EXPECT_EQ(checkpoint.set->packed_bytes(), bytes);
  EXPECT_EQ(checkpoint.set->derived_weights(), weights);
  EXPECT_EQ(checkpoint.source->elements_read(), read);
}

TEST(PlanCache, KeepsNoMorePlansThanItMay) {
  const CpuBackend backend({.threads = 1});
  PlanCache cache(backend, 1u << 30);
  const auto graph = [](std::int64_t rows) {
    Graph g;
    g.Output("y", g.Add(ActivateOp{}, {g.Input("x", {rows, 8})}));
    return g;
  };
  for (std::int64_t rows = 1; rows <= 200; ++rows)
    cache.GiveBack(cache.Take(graph(rows), {}, nullptr).value());
  EXPECT_EQ(cache.resting(), PlanCache::kRestingMax);
  EXPECT_TRUE(cache.Take(graph(200 - PlanCache::kRestingMax), {}, nullptr).ok());
  EXPECT_EQ(cache.hits(), 0u) << "the oldest went";
  EXPECT_TRUE(cache.Take(graph(200), {}, nullptr).ok());
  EXPECT_EQ(cache.hits(), 1u);
}

double StatusBytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0) return std::stod(line.substr(key.size())) * 1024;
  return 0;
}
// Whether the kernel let the peak start anew.
bool ResetPeak() {
  malloc_trim(0);
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

// Twenty million weights from a file of f32: what the operating system counts while they are opened.
TEST(WeightSet, OpeningPeaksNearThePackedBytes) {
  const ScratchFolder folder;
  SdUNetConfig config;
  config.layout = SmallLayout({192, 384});
  const auto path = folder.path() / "model.safetensors";
  double largest = 0;
  {
    HashWeights asked;
    BuildSdUNet(config, asked, {1, 16, 16}, 7);
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (const auto& [name, dims] : asked.names()) {
      Shape shape;
      for (const std::int64_t d : dims) shape.Append(d);
      tensors.emplace_back(name, Tensor(DType::kF32, shape));
      largest = std::max(largest, static_cast<double>(tensors.back().second.size_bytes()));
    }
    ASSERT_TRUE(WriteSafetensors(path, tensors).ok());
  }
  for (const DType precision : {DType::kF32, DType::kBF16}) {
    const CpuBackend backend({.threads = 2});
    if (!ResetPeak()) GTEST_SKIP() << "the kernel does not let the peak start anew";
    const double before = StatusBytes("VmRSS:");
    auto stored = Weights::Open(path);
    ASSERT_TRUE(stored.ok()) << stored.status();
    const auto source = std::make_shared<StoredWeights>(*std::move(stored));
    const auto set = std::make_shared<WeightSet>(source);
    const auto plan =
        Plan::Freeze(BuildSdUNet(config, *source, {1, 16, 16}, 7), {.precision = precision}, backend, set);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const double peak = StatusBytes("VmHWM:") - before;
    const auto packed = static_cast<double>(set->packed_bytes());
    EXPECT_GT(packed, precision == DType::kF32 ? 60e6 : 30e6);
    EXPECT_LT(peak, packed + 2 * largest) << DTypeName(precision);
    EXPECT_GT(peak, 0.9 * packed);
    std::printf("  %s: packed %.1f MB, largest tensor %.1f MB, peak %.1f MB\n",
                std::string(DTypeName(precision)).c_str(), packed / 1e6, largest / 1e6, peak / 1e6);
  }
}

}  // namespace
}  // namespace ringway::engine
