#include "engine/tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace ringway::engine {

Tensor::Tensor(DType dtype, const Shape& shape) : dtype_(dtype), shape_(shape) {
  const std::size_t bytes = std::max<std::size_t>(size_bytes(), 1);
  auto* memory = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment}));
  std::memset(memory, 0, bytes);
  bytes_ = std::shared_ptr<std::byte>(
      memory, [](std::byte* p) { ::operator delete (p, std::align_val_t{kAlignment}); });
}

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
