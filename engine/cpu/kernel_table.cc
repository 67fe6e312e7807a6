#include "engine/cpu/kernel_table.h"

namespace ringway::engine {
namespace {

#if defined(__x86_64__)
const KernelTable& Avx512VnniKernels() {
  static const KernelTable table = [] {
    KernelTable t = Avx512Kernels();
    InstallVnniProducts(t);
    return t;
  }();
  return table;
}

const KernelTable& Avx512Bf16Kernels() {
  static const KernelTable table = [] {
    KernelTable t = Avx512VnniKernels();
    InstallBf16Attention(t.bf16);
    InstallBf16Products(t);
    return t;
  }();
  return table;
}
#endif

}  // namespace

const KernelTable& KernelsFor(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx2:
      return Avx2Kernels();
    case Isa::kAvx512:
      return Avx512Kernels();
    case Isa::kAvx512Vnni:
      return Avx512VnniKernels();
    case Isa::kAvx512Bf16:
      return Avx512Bf16Kernels();
#elif defined(__aarch64__)
    case Isa::kNeon:
      return NeonKernels();
#endif
    default:
      break;
  }
  return ScalarKernels();
}

}  // namespace ringway::engine
