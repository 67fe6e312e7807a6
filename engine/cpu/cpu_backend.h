// The CPU as a backend of plans: oneDNN for convolutions and matrix products, own vector kernels for the
// rest.
//
// The instruction set is found at run time and can be lowered for tests; bf16 is fast from avx512_bf16 on.
// All kernels of a backend use the same number of threads. Results are the same for any number of threads in
// the own kernels; oneDNN may split sums differently, so identical bytes are promised for one machine class
// and thread count only.
#ifndef RINGWAY_ENGINE_CPU_CPU_BACKEND_H_
#define RINGWAY_ENGINE_CPU_CPU_BACKEND_H_

#include "engine/cpu/isa.h"
#include "engine/cpu/kernel_table.h"
#include "engine/plan/backend.h"

namespace ringway::engine {

struct CpuOptions {
  int threads = 1;
  Isa isa = BestIsa();  // of the own kernels; oneDNN finds its own
};

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(const CpuOptions& options = {}) : options_(options), table_(KernelsFor(options.isa)) {}

  bool FastBf16() const override { return options_.isa == Isa::kAvx512Bf16; }
  absl::StatusOr<std::unique_ptr<Kernel>> Prepare(const Op& op, std::span<const Operand> inputs,
                                                  const Operand& output) const override;
  void Enter() const override;
  int threads() const { return options_.threads; }

 private:
  CpuOptions options_;
  const KernelTable& table_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_CPU_BACKEND_H_
