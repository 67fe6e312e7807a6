// Which vector instructions this processor has, found out when the program starts to compute, not when it was
// built.
//
// One binary runs on every processor of its architecture. For x86-64 kernels are compiled three times
// (AVX-512, AVX2, plain C++), for 64-bit Arm twice (NEON, plain C++), elsewhere once, and are taken from a
// table by the level found here. Numbers of 8 bits are multiplied natively from kAvx512Vnni on, bf16 from
// kAvx512Bf16 on: every processor with the second has the first. A lower level than the machine's may be
// asked for, which is how the tests run all of them on one machine.
#ifndef RINGWAY_ENGINE_CPU_ISA_H_
#define RINGWAY_ENGINE_CPU_ISA_H_

#include <string_view>

namespace ringway::engine {

// Levels of one architecture rise.
enum class Isa { kScalar, kNeon, kAvx2, kAvx512, kAvx512Vnni, kAvx512Bf16 };

Isa BestIsa();
// Whether this processor runs the kernels of it.
bool HasIsa(Isa isa);
std::string_view IsaName(Isa isa);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_ISA_H_
