#include "engine/host_backend.h"

#include "engine/cpu/cpu_backend.h"

namespace ringway::engine {

std::unique_ptr<Backend> MakeHostBackend(int threads) {
  return std::make_unique<CpuBackend>(CpuOptions{.threads = threads});
}

}  // namespace ringway::engine
