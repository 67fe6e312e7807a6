// The CPU as a backend of plans.
//
// The instruction set is found at run time and can be lowered for tests; bf16 is fast from avx512_bf16 on.
// All kernels of a backend use the same number of threads, and every number of threads gives the same bytes.
// Another instruction set may round differently.
#ifndef RINGWAY_ENGINE_CPU_CPU_BACKEND_H_
#define RINGWAY_ENGINE_CPU_CPU_BACKEND_H_

#include "engine/cpu/isa.h"
#include "engine/cpu/kernel_table.h"
#include "engine/plan/backend.h"

namespace ringway::engine {

struct CpuOptions {
  int threads = 1;
  Isa isa = BestIsa();
};

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(const CpuOptions& options = {}) : options_(options), table_(KernelsFor(options.isa)) {}

  bool FastBf16() const override { return options_.isa == Isa::kAvx512Bf16; }
  absl::StatusOr<std::unique_ptr<Kernel>> Prepare(const Op& op, std::span<const Operand> inputs,
                                                  const Operand& output) const override;
  absl::StatusOr<Tensor> Pack(const WeightForm& form, const WeightRows& rows) const override;
  std::string Fingerprint() const override;
  std::string PackingFingerprint() const override;
  double PeakFlops(DType type) const override;
  void Enter() const override {}
  int threads() const { return options_.threads; }

 private:
  CpuOptions options_;
  const KernelTable& table_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_CPU_BACKEND_H_
