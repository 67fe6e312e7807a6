#include "engine/cpu/make_table.h"
#include "engine/cpu/vector_avx512.h"

namespace ringway::engine {

const KernelTable& Avx512Kernels() {
  static const KernelTable table = MakeTable<Avx512Vector>();
  return table;
}

}  // namespace ringway::engine
