// How long from a router's report until the first table computed from it is active at the last of 50 routers.
//
//   bench_propagation [--quick] [--brief]
#include <cstdio>
#include <cstring>

#include "bench/propagation/measure.h"

int main(int argc, char** argv) {
  bool quick = false, brief = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (std::strcmp(argv[i], "--brief") == 0) {
      brief = true;
    } else {
      std::fprintf(stderr, "usage: bench_propagation [--quick] [--brief]\n");
      return 2;
    }
  }
  return ringway::bench::RunPropagation(quick, brief);
}
