#include "engine/cpu/int8_avx512.h"
#include "engine/cpu/make_table.h"
#include "engine/cpu/vector_avx512.h"

namespace ringway::engine {

const KernelTable& Avx512Kernels() {
  static const KernelTable table = MakeTable<Avx512Vector, Avx512Int8>();
  return table;
}

}  // namespace ringway::engine
