#include "engine/cpu/isa.h"

namespace ringway::engine {

Isa BestIsa() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  if (vnni && __builtin_cpu_supports("avx512bf16")) return Isa::kAvx512Bf16;
  if (vnni) return Isa::kAvx512Vnni;
  if (avx512) return Isa::kAvx512;
  return avx2 ? Isa::kAvx2 : Isa::kScalar;
#elif defined(__aarch64__)
  return Isa::kNeon;  // part of the architecture
#else
  return Isa::kScalar;
#endif
}

bool HasIsa(Isa isa) {
  const Isa best = BestIsa();
  return isa == Isa::kNeon ? best == isa : isa <= best;
}

std::string_view IsaName(Isa isa) {
  static constexpr std::string_view kNames[] = {"scalar", "neon",        "avx2",
                                                "avx512", "avx512_vnni", "avx512_bf16"};
  return kNames[static_cast<int>(isa)];
}

}  // namespace ringway::engine
