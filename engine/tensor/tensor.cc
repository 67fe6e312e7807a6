#include "engine/tensor/tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace ringway::engine {
namespace {

// Weights are read from end to end at every step; with small pages the processor looks up addresses instead.
constexpr std::size_t kHugePage = 2 << 20;
// From here on the system's zeros are cheaper than writing them: the pages are then touched by the threads
// that fill them.
constexpr std::size_t kMappedMin = 512 << 10;

// Fresh from the system, which gives zeros: nothing is touched here, so a large arena costs no time before it
// is used, and no memory where it is not.
std::shared_ptr<std::byte> MappedMemory(std::size_t bytes) {
  const std::size_t mapped = bytes + kHugePage;
  void* begin = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  auto* aligned = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(begin) + kHugePage - 1) /
                                               kHugePage * kHugePage);
  // A system that refuses gives small pages.
  madvise(aligned, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return {aligned, [begin, mapped](std::byte*) { munmap(begin, mapped); }};
}

std::shared_ptr<std::byte> ZeroedMemory(std::size_t bytes) {
  if (bytes >= kMappedMin) return MappedMemory(bytes);
  auto* memory = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment}));
  std::memset(memory, 0, bytes);
  return {memory, [](std::byte* p) { ::operator delete (p, std::align_val_t{kAlignment}); }};
}

}  // namespace

Tensor::Tensor(DType dtype, const Shape& shape)
    : dtype_(dtype), shape_(shape), bytes_(ZeroedMemory(std::max<std::size_t>(size_bytes(), 1))) {}

Tensor Tensor::FromFloats(const Shape& shape, std::span<const float> values) {
  RINGWAY_CHECK(static_cast<std::int64_t>(values.size()) == shape.elements());
  Tensor tensor(DType::kF32, shape);
  std::copy(values.begin(), values.end(), tensor.As<float>().begin());
  return tensor;
}

Tensor Tensor::To(DType dtype) const {
  if (dtype == dtype_) return *this;
  RINGWAY_CHECK(dtype != DType::kI32 && dtype_ != DType::kI32);
  Tensor converted(dtype, shape_);
  if (dtype == DType::kBF16) {
    std::ranges::transform(As<float>(), converted.As<BFloat16>().begin(), ToBFloat16);
  } else {
    std::ranges::transform(As<BFloat16>(), converted.As<float>().begin(),
                           [](BFloat16 x) { return ToFloat(x); });
  }
  return converted;
}

Tensor Tensor::Reshaped(const Shape& shape) const {
  RINGWAY_CHECK(shape.elements() == shape_.elements());
  Tensor view = *this;
  view.shape_ = shape;
  return view;
}

}  // namespace ringway::engine
