// bench_http [--quick] [--brief]: the videos API under load.
#include <cstdio>
#include <cstring>

#include "bench/http/http_load.h"
#include "gtest/gtest.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  bool quick = false, brief = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (std::strcmp(argv[i], "--brief") == 0) {
      brief = true;
    } else {
      std::fprintf(stderr, "usage: bench_http [--quick] [--brief]\n");
      return 2;
    }
  }
  return ringway::bench::RunHttpLoad(quick, brief);
}
