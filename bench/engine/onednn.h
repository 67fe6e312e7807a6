// oneDNN's products, to compare ours with: the library that the engine would otherwise have them from.
//
// Only built where libdnnl-dev is installed. Times are of one call,
// with the layout of weights that oneDNN likes best; the fastest of `rounds`.
#ifndef RINGWAY_BENCH_ENGINE_ONEDNN_H_
#define RINGWAY_BENCH_ENGINE_ONEDNN_H_

#include "bench/engine/product_time.h"

namespace ringway::bench {

double OneDnnSeconds(const ProductShape& shape, bool bf16, int threads, int rounds);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_ONEDNN_H_
