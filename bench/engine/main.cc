// bench_engine [--quick] [--brief] [--threads N]: what each optimisation of the engine is worth on this
// machine.
#include <cstdlib>
#include <string_view>

#include "bench/engine/claim.h"

int main(int argc, char** argv) {
  ringway::bench::RunOptions options;
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
    } else {
      std::fprintf(stderr, "usage: %s [--quick] [--brief] [--threads 1..256]\n", argv[0]);
      return 2;
    }
  }
  ringway::bench::Claims claims(options.brief);
  MeasureContext(options, claims);
  MeasureDistilled(options, claims);
  MeasureUNet(options, claims);
  MeasureAgainstTorch(options, claims);
  return claims.all_hold() ? 0 : 1;
}
