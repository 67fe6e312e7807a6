// RINGWAY_FUZZ_TARGET is one of the functions of targets.h; the build makes one program of each.
#include "tests/engine/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ringway::engine::RINGWAY_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
