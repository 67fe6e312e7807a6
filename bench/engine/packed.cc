// What opening a model costs when its packed weights lie in a file: Stable Diffusion 1.5's UNet (random
// weights, bf16), against touching every page of that file, which any use of it does; and whether a network
// runs as fast from a mapped file as from memory. Quick: at a quarter of the weights.
#include <cstdio>
#include <cstring>

#include "bench/engine/claim.h"
#include "bench/engine/random_file.h"
#include "bench/engine/stopwatch.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/unet_sd.h"
#include "engine/plan/plan.h"

namespace ringway::bench {
namespace {

constexpr double kOpenSeconds = 0.3;  // beside the pages themselves
constexpr std::size_t kPage = 4096;

// Where packed weights are kept for the time of a measurement.
class PackedFolder {
 public:
  PackedFolder()
      : path_(std::filesystem::temp_directory_path() /
              absl::StrFormat("ringway-packed-%d", static_cast<int>(getpid()))) {}
  ~PackedFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  PackedFolder(const PackedFolder&) = delete;
  PackedFolder& operator=(const PackedFolder&) = delete;
  std::shared_ptr<engine::PackedCache> Open() const {
    return std::make_shared<engine::PackedCache>(engine::PackedCacheOptions{
        .directory = path_,
        .log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }});
  }
  std::filesystem::path OnlyFile() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (entry.path().extension() == ".packed") return entry.path();
    return {};
  }

 private:
  std::filesystem::path path_;
};

struct OpenedUNet {
  std::shared_ptr<engine::WeightSet> set;
  std::unique_ptr<engine::Plan> plan;
};

OpenedUNet OpenUNet(const engine::SdUNetConfig& config, const engine::CpuBackend& backend,
                    const std::filesystem::path& file, const std::shared_ptr<engine::PackedCache>& cache) {
  auto weights = engine::Weights::Open(file);
  RINGWAY_CHECK(weights.ok());
  const auto source = std::make_shared<engine::StoredWeights>(*std::move(weights));
  const auto set = std::make_shared<engine::WeightSet>(source, cache);
  engine::PassOptions passes = {.precision = backend.FastBf16() ? engine::DType::kBF16 : engine::DType::kF32};
  auto plan = engine::Plan::Freeze(BuildSdUNet(config, *source, {1, 32, 32}, kTokens), passes, backend, set);
  RINGWAY_CHECK(plan.ok());
  return {set, *std::move(plan)};
}

// Mapped anew, a number of each page read.
double TouchingSeconds(const std::filesystem::path& file) {
  return SecondsOf([&] {
    const auto mapped = engine::MappedFile::Open(file);
    RINGWAY_CHECK(mapped.ok());
    unsigned sum = 0;
    for (std::size_t at = 0; at < mapped->bytes().size(); at += kPage)
      sum += std::to_integer<unsigned>(mapped->bytes()[at]);
    volatile unsigned kept = sum;
    (void)kept;
  });
}

void Run(OpenedUNet& unet) {
  unet.plan->Input("time")[0] = 501.0f;
  unet.plan->Run();
}

}  // namespace

void MeasurePacked(const RunOptions& options, Claims& claims) {
  const engine::CpuBackend backend({.threads = options.threads});
  engine::SdUNetConfig config;
  if (options.quick) config.layout.channels = {160, 320, 640, 640};
  AskedWeights asked;
  RINGWAY_CHECK(BuildSdUNet(config, asked, {1, 32, 32}, kTokens).status().ok());
  const RandomFile file(asked);
  const PackedFolder folder;
  OpenedUNet cold, warm;
  double writing = 0;
  const double opening = SecondsOf([&] {
    const auto cache = folder.Open();
    cold = OpenUNet(config, backend, file.path(), cache);
    writing = SecondsOf([&] { cache->Wait(); });
  });
  double touching = 1e9, mapping = 1e9;
  for (int round = 0; round < 3; ++round) {
    touching = std::min(touching, TouchingSeconds(folder.OnlyFile()));
    warm = {};
    mapping =
        std::min(mapping, SecondsOf([&] { warm = OpenUNet(config, backend, file.path(), folder.Open()); }));
    RINGWAY_CHECK(warm.set->derived_weights() == 0);
  }
  claims.AtLeast(
      "packed_open_allowed_of_it", (kOpenSeconds + touching) / mapping, 1.0,
      absl::StrFormat("%.2f GB: opening with every byte checked %.3f s, touching its pages %.3f s; "
                      "the first opening %.2f s, of which writing the file behind it %.2f s",
                      static_cast<double>(warm.set->packed_bytes()) / 1e9, mapping, touching, opening,
                      writing));
  const Pair runs = FastestOfEach([&] { Run(cold); }, [&] { Run(warm); }, options.quick ? 3 : 5);
  claims.AtLeast("packed_run_from_memory_against_file", runs.ratio(), 0.9,
                 absl::StrFormat("a pass at 256 x 256 from memory %.3f s, from the mapped file %.3f s",
                                 runs.first, runs.second));
}

}  // namespace ringway::bench
