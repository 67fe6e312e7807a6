#include "engine/cpu/int8_avx2.h"
#include "engine/cpu/make_table.h"
#include "engine/cpu/vector_avx2.h"

namespace ringway::engine {

const KernelTable& Avx2Kernels() {
  static const KernelTable table = MakeTable<Avx2Vector, Avx2Int8>();
  return table;
}

}  // namespace ringway::engine
