#include "engine/cpu/int8_neon.h"
#include "engine/cpu/make_table.h"
#include "engine/cpu/vector_neon.h"

namespace ringway::engine {

const KernelTable& NeonKernels() {
  static const KernelTable table = MakeTable<NeonVector, NeonInt8>();
  return table;
}

}  // namespace ringway::engine
