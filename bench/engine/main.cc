// bench_engine [--quick] [--brief] [--threads N] [--only PART]: what each optimisation of the engine is worth
// on this machine.
#include <cstdlib>
#include <string_view>

#include "bench/engine/claim.h"

namespace ringway::bench {
namespace {

struct Part {
  std::string_view name;
  void (*measure)(const RunOptions& options, Claims& claims);
};

constexpr Part kParts[] = {
#ifdef RINGWAY_HAS_ONEDNN
    {"products", MeasureProducts},
#endif
#ifdef RINGWAY_HAS_MODEL_FILES
    {"control", MeasureControl},
#endif
    {"context", MeasureContext},   {"files", MeasureFiles},   {"int8", MeasureInt8},
    {"opening", MeasureOpening},   {"packed", MeasurePacked}, {"scenes", MeasureScenes},
    {"sizes", MeasureSizes},       {"unet", MeasureUNet},     {"torch", MeasureAgainstTorch}};

int Usage(const char* program) {
  std::fprintf(stderr, "usage: %s [--quick] [--brief] [--threads 1..256] [--only PART], where PART is one of",
               program);
  for (const Part& part : kParts) std::fprintf(stderr, " %s", part.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace
}  // namespace ringway::bench

int main(int argc, char** argv) {
  using ringway::bench::kParts;
  ringway::bench::RunOptions options;
  std::string_view only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const int threads = argument == "--threads" && i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--brief") {
      options.brief = true;
    } else if (threads >= 1 && threads <= 256) {
      options.threads = threads;
      ++i;
    } else if (argument == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      return ringway::bench::Usage(argv[0]);
    }
  }
  ringway::bench::Claims claims(options.brief);
  bool any = false;
  for (const auto& part : kParts) {
    if (!only.empty() && part.name != only) continue;
    part.measure(options, claims);
    any = true;
  }
  if (!any) return ringway::bench::Usage(argv[0]);
  return claims.all_hold() ? 0 : 1;
}
