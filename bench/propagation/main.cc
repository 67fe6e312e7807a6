// How long from a router's report until the first table computed from it is active at the last of 50 routers.
//
//   bench_propagation [--quick] [--brief]
#include "bench/options.h"
#include "bench/propagation/measure.h"

int main(int argc, char** argv) {
  const auto options = ringway::bench::ReadOptions("bench_propagation", argc, argv);
  return options ? ringway::bench::RunPropagation(options->quick, options->brief) : 2;
}
