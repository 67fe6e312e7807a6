// The extent of a tensor: up to five dimensions, the last one contiguous.
//
// Everywhere in the engine channels are last: pictures are [pictures, height, width, channels], token rows
// [batch, tokens, channels]. A clip is its frames as pictures, frame after frame, so that [clip*frames, h, w,
// c], [clip, frames, h*w, c] and [clip*frames*h*w, c] are the same bytes and changing between them costs
// nothing. A shape is a value of 48 bytes; its product is at most 2^40 (checked where a shape comes from a
// file).
#ifndef RINGWAY_ENGINE_TENSOR_SHAPE_H_
#define RINGWAY_ENGINE_TENSOR_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/check.h"

namespace ringway::engine {

class Shape {
 public:
  static constexpr int kMaxRank = 5;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) {
    RINGWAY_CHECK(dims.size() <= kMaxRank);
    for (std::int64_t d : dims) dims_[static_cast<std::size_t>(rank_++)] = d;
  }

  int rank() const { return rank_; }
  // Negative axes count from the end: dim(-1) is the channels.
  std::int64_t dim(int axis) const { return dims_[Slot(axis)]; }
  void set_dim(int axis, std::int64_t size) { dims_[Slot(axis)] = size; }
  void Append(std::int64_t size) {
    RINGWAY_CHECK(rank_ < kMaxRank);
    dims_[static_cast<std::size_t>(rank_++)] = size;
  }

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[static_cast<std::size_t>(i)];
    return n;
  }
  // Elements before the last axis: the number of rows of a matrix with channels() columns.
  std::int64_t rows() const { return rank_ == 0 ? 1 : elements() / (dim(-1) == 0 ? 1 : dim(-1)); }

  // "[2, 64, 64, 4]"
  std::string ToString() const {
    std::string text = "[";
    for (int i = 0; i < rank_; ++i) {
      if (i > 0) text += ", ";
      text += std::to_string(dims_[static_cast<std::size_t>(i)]);
    }
    return text + "]";
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i)
      if (a.dims_[static_cast<std::size_t>(i)] != b.dims_[static_cast<std::size_t>(i)]) return false;
    return true;
  }

 private:
  std::size_t Slot(int axis) const {
    const int slot = axis < 0 ? axis + rank_ : axis;
    RINGWAY_CHECK(slot >= 0 && slot < rank_);
    return static_cast<std::size_t>(slot);
  }

  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TENSOR_SHAPE_H_
