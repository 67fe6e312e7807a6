// What opening a model costs, and what a second size and another checkpoint of the same structure cost after
// it: Stable Diffusion 1.5's UNet from a safetensors file of bf16 (random weights), against reading and
// converting the same bytes. Quick: at a quarter of the weights.
#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/random_file.h"
#include "bench/engine/stopwatch.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/unet_sd.h"
#include "engine/plan/plan_cache.h"
#include "engine/threads/parallel.h"

namespace ringway::bench {
namespace {

using engine::Graph;
using engine::PassOptions;
using engine::WeightSet;

constexpr double kSecondSizeSeconds = 0.05;  // what a request may wait for a size that is new

double StatusBytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0) return std::stod(line.substr(key.size())) * 1024;
  return 0;
}
void ResetPeak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

struct OpenedFile {
  std::shared_ptr<engine::StoredWeights> source;
  std::shared_ptr<WeightSet> set;
};
OpenedFile Open(const RandomFile& file) {
  auto weights = engine::Weights::Open(file.path());
  RINGWAY_CHECK(weights.ok());
  const auto source = std::make_shared<engine::StoredWeights>(*std::move(weights));
  return {source, std::make_shared<WeightSet>(source)};
}

// The least that opening can be: every number read, converted to f32 and back, and stored once.
double ReadingSeconds(const RandomFile& file, const AskedWeights& weights, int threads) {
  const OpenedFile opened = Open(file);
  return SecondsOf([&] {
    std::vector<engine::Tensor> kept;
    std::vector<std::vector<float>> buffers(static_cast<std::size_t>(threads));
    for (const auto& [name, dims] : weights.asked()) {
      const Stored stored = StoredAs(dims);
      kept.emplace_back(engine::DType::kBF16, engine::Shape{stored.elements()});
      engine::BFloat16* to = kept.back().As<engine::BFloat16>().data();
      const std::int64_t tasks = (stored.rows + kRowsAtOnce - 1) / kRowsAtOnce;
      engine::ParallelFor(tasks, threads, [&](std::int64_t task, int thread) {
        const std::int64_t first = task * kRowsAtOnce, count = std::min(kRowsAtOnce, stored.rows - first);
        std::vector<float>& values = buffers[static_cast<std::size_t>(thread)];
        values.resize(static_cast<std::size_t>(count * stored.row));
        RINGWAY_CHECK(opened.source->ReadRows(name, first, stored.row, values).ok());
        std::transform(values.begin(), values.end(), to + first * stored.row, engine::ToBFloat16);
      });
    }
  });
}

double CopySeconds(std::size_t bytes) {
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes);
  return SecondsOf([&] { std::memcpy(to.data(), from.data(), bytes); });
}

// Another checkpoint of the structure: the plan that rests takes its weights, which are packed the first
// time.
void MeasureSwap(const engine::SdUNetConfig& config, const PassOptions& passes,
                 const engine::CpuBackend& backend, const RandomFile& file, const OpenedFile& opened,
                 std::unique_ptr<engine::Plan> plan, Claims& claims) {
  const OpenedFile other = Open(file);
  engine::PlanCache cache(backend, std::size_t{4} << 30);
  cache.GiveBack(std::move(plan));
  const auto swap = [&](const OpenedFile& to) {
    return SecondsOf([&] {
      auto taken = cache.Take(BuildSdUNet(config, *to.source, {1, 32, 32}, kTokens), passes, to.set);
      RINGWAY_CHECK(taken.ok());
      cache.GiveBack(*std::move(taken));
    });
  };
  const double cold = swap(other), warm = std::min(swap(opened), swap(other));
  RINGWAY_CHECK(cache.hits() == 3);
  const double copy = CopySeconds(opened.set->packed_bytes());
  claims.AtLeast(
      "swap_copy_of_the_bytes_against_it", copy / warm, 1 / 1.5,
      absl::StrFormat("between weights in memory %.1f ms, memcpy of as many bytes %.1f ms; with weights to "
                      "read and pack %.3f s",
                      warm * 1e3, copy * 1e3, cold));
}

// What the passes of a job take while the next model is opened in the background, as a store does; before and
// after, so that the machine's own drift is seen.
void MeasureJobBesideOpening(engine::Plan& job, const std::function<void()>& open, int passes,
                             Claims& claims) {
  const auto run = [&] {
    return SecondsOf([&] {
      for (int pass = 0; pass < passes; ++pass) job.Run();
    });
  };
  run();
  const double before = run();
  std::atomic<bool> opened = false;
  std::thread opening([&] {
    const engine::BackgroundWork gives_way;
    open();
    opened = true;
  });
  const double beside = run();
  const bool still = !opened;
  opening.join();
  const double after = run();
  claims.AtLeast("job_alone_of_beside_opening", (before + after) / 2 / beside, 1 / 1.05,
                 absl::StrFormat("%d passes: before %.3f s, beside %.3f s, after %.3f s; the next model was "
                                 "%s when they ended",
                                 passes, before, beside, after, still ? "not yet open" : "open"));
}

}  // namespace

void MeasureOpening(const RunOptions& options, Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  engine::SdUNetConfig config;
  if (options.quick) config.layout.channels = {160, 320, 640, 640};
  const PassOptions passes = {.precision = backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32};
  AskedWeights asked;
  RINGWAY_CHECK(BuildSdUNet(config, asked, {1, 32, 32}, kTokens).status().ok());
  double largest = 0;  // bytes of the largest tensor in the file
  for (const auto& [name, dims] : asked.asked())
    largest = std::max(largest, 2.0 * static_cast<double>(StoredAs(dims).elements()));
  const RandomFile file(asked);
  double reading = 1e9;  // the first time is the page cache's
  for (int round = 0; round < 3; ++round)
    reading = std::min(reading, ReadingSeconds(file, asked, options.threads));

  ResetPeak();
  const double before = StatusBytes("VmRSS:");
  OpenedFile opened;
  std::unique_ptr<engine::Plan> plan;
  const auto freeze = [&](const OpenedFile& from, std::int64_t height, std::int64_t width) {
    auto frozen = engine::Plan::Freeze(BuildSdUNet(config, *from.source, {1, height, width}, kTokens), passes,
                                       backend, from.set);
    RINGWAY_CHECK(frozen.ok());
    return *std::move(frozen);
  };
  const double opening = SecondsOf([&] {
    opened = Open(file);
    plan = freeze(opened, 32, 32);
  });
  const double peak = StatusBytes("VmHWM:") - before;
  const auto packed = static_cast<double>(opened.set->packed_bytes());
  claims.AtLeast("opening_allowed_of_peak", (packed + 2 * largest) / peak, 1.0,
                 absl::StrFormat("peak %.1f MB; packed %.1f MB, largest tensor %.1f MB", peak / 1e6,
                                 packed / 1e6, largest / 1e6));
  claims.AtLeast("opening_reading_and_converting_of_it", reading / opening, 1.0 / 3,
                 absl::StrFormat("opening %.3f s, reading and converting %.3f s", opening, reading));

  ResetPeak();
  const double resident = StatusBytes("VmRSS:");
  std::unique_ptr<engine::Plan> second;
  const double again = SecondsOf([&] { second = freeze(opened, 64, 64); });
  const double grown = std::max(StatusBytes("VmHWM:") - resident, 1.0);
  const auto arena = static_cast<double>(second->report().arena_bytes);
  claims.AtLeast("second_size_within_50_ms", kSecondSizeSeconds / again, 1.0,
                 absl::StrFormat("512 x 512 after 256 x 256: %.1f ms", again * 1e3));
  claims.AtLeast(
      "second_size_arena_of_growth", arena / grown, 1.0,
      absl::StrFormat("grown by %.1f MB before it runs; its arena, touched when it does, has %.1f MB",
                      grown / 1e6, arena / 1e6));
  claims.AtLeast("second_size_packs_nothing", packed / static_cast<double>(opened.set->packed_bytes()), 1.0,
                 absl::StrFormat("%d weights packed in all", opened.set->packed_weights()));

  MeasureJobBesideOpening(
      *plan, [&] { (void)freeze(Open(file), 32, 32); }, options.quick ? 20 : 60, claims);
  MeasureSwap(config, passes, backend, file, opened, std::move(plan), claims);
}

}  // namespace ringway::bench
