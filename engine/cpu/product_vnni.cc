// Products in int8 with VPDPBUSD: a step multiplies four channels and adds their sum to an int32, in 16
// lanes. (VPDPBUSDS, which saturates, is another instruction.)
#include "engine/cpu/int8_avx512.h"
#include "engine/cpu/product_int8_kernel.h"

namespace ringway::engine {
namespace {

struct VnniInt8 : Avx512Int8 {
  using Factor = __m512i;
  using Weight = __m512i;
  static constexpr int kTileRowsMax = 8;
  static Weight Weights(const std::uint32_t* packed) { return _mm512_loadu_si512(packed); }
  static Factor Spread(const std::uint8_t* x) { return Four(x); }
  static Sum MultiplyAdd(Sum sum, Factor x, Weight w) { return _mm512_dpbusd_epi32(sum, x, w); }
};

}  // namespace

void InstallVnniProducts(KernelTable& table) { table.int8_products = MakeInt8Products<VnniInt8>(); }

}  // namespace ringway::engine
