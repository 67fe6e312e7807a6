#include "engine/cpu/make_table.h"
#include "engine/cpu/vector_avx2.h"

namespace ringway::engine {

const KernelTable& Avx2Kernels() {
  static const KernelTable table = MakeTable<Avx2Vector>();
  return table;
}

}  // namespace ringway::engine
