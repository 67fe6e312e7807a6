// bench_http [--quick] [--brief]: the videos API under load.
#include "bench/http/http_load.h"
#include "bench/options.h"
#include "gtest/gtest.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto options = ringway::bench::ReadOptions("bench_http", argc, argv);
  return options ? ringway::bench::RunHttpLoad(options->quick, options->brief) : 2;
}
