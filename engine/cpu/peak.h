// What the processor's multipliers give at best, by running nothing else: the denominator of "percent of
// peak".
//
// Independent multiply-add chains in registers, as many as hide the latency, on every thread: VDPBF16PS where
// there is bf16, fused multiply-add of 16, 8 or 4 floats elsewhere. Best of several short runs, in
// floating-point operations a second.
#ifndef RINGWAY_ENGINE_CPU_PEAK_H_
#define RINGWAY_ENGINE_CPU_PEAK_H_

#include "engine/cpu/isa.h"

namespace ringway::engine {

// Zero when there is no measurement for the instruction set.
double PeakFlops(Isa isa, int threads);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_PEAK_H_
