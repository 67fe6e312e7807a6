#include "engine/cpu/make_table.h"
#include "engine/cpu/vector_scalar.h"

namespace ringway::engine {

const KernelTable& ScalarKernels() {
  static const KernelTable table = MakeTable<ScalarVector, ScalarInt8>();
  return table;
}

}  // namespace ringway::engine
