// A tensor: a shape, an element type and the bytes, contiguous and aligned to a cache line when owned.
//
// Owned tensors hold weights, constants, inputs and results; they are shared by reference count, because the
// same weight serves every plan compiled from a graph. What lives only between two operations of a frozen
// plan is not a Tensor but an offset in the plan's Arena (arena.h). Nothing here is locked: a tensor is
// written by the one who made it and then only read.
#ifndef RINGWAY_ENGINE_TENSOR_TENSOR_H_
#define RINGWAY_ENGINE_TENSOR_TENSOR_H_

#include <cstddef>
#include <memory>
#include <span>

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace ringway::engine {

inline constexpr std::size_t kAlignment = 64;

// The element type of a C++ type.
template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kF32;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::kBF16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::kI32;
};

class Tensor {
 public:
  Tensor() = default;
  // Zero-filled, aligned to kAlignment.
  Tensor(DType dtype, const Shape& shape);
  static Tensor FromFloats(const Shape& shape, std::span<const float> values);

  bool empty() const { return bytes_ == nullptr; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::size_t size_bytes() const { return static_cast<std::size_t>(shape_.elements()) * SizeOf(dtype_); }

  std::byte* bytes() { return bytes_.get(); }
  const std::byte* bytes() const { return bytes_.get(); }
  // The elements; T must be the type of the tensor.
  template <typename T>
  std::span<T> As() {
    RINGWAY_CHECK(DTypeOf<T>::value == dtype_);
    return {reinterpret_cast<T*>(bytes_.get()), static_cast<std::size_t>(shape_.elements())};
  }
  template <typename T>
  std::span<const T> As() const {
    RINGWAY_CHECK(DTypeOf<T>::value == dtype_);
    return {reinterpret_cast<const T*>(bytes_.get()), static_cast<std::size_t>(shape_.elements())};
  }

  // A copy in another element type (f32 <-> bf16; the same type shares the bytes).
  Tensor To(DType dtype) const;
  // The same bytes under another shape of as many elements.
  Tensor Reshaped(const Shape& shape) const;

 private:
  DType dtype_ = DType::kF32;
  Shape shape_;
  std::shared_ptr<std::byte> bytes_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TENSOR_TENSOR_H_
