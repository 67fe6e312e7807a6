// One block of memory that holds everything a frozen plan touches between its first and last operation.
//
// The memory plan (engine/plan/memory_plan.h) decides which value lies at which offset; the arena only owns
// the bytes and checks that what is asked for lies inside. It is allocated once, when a plan is frozen, and
// is zero, so that padding never holds a NaN; its pages come with their first use. No allocation happens
// after that.
#ifndef RINGWAY_ENGINE_TENSOR_ARENA_H_
#define RINGWAY_ENGINE_TENSOR_ARENA_H_

#include <cstddef>

#include "engine/tensor/tensor.h"

namespace ringway::engine {

class Arena {
 public:
  explicit Arena(std::size_t bytes)
      : block_(DType::kF32, {static_cast<std::int64_t>((bytes + 3) / 4)}), bytes_(bytes) {}

  std::size_t size_bytes() const { return bytes_; }
  std::byte* At(std::size_t offset, std::size_t bytes) {
    RINGWAY_CHECK(offset % kAlignment == 0 && offset <= bytes_ && bytes <= bytes_ - offset);
    return block_.bytes() + offset;
  }

 private:
  Tensor block_;
  std::size_t bytes_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TENSOR_ARENA_H_
