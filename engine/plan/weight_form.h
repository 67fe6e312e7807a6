// How a kernel wants a weight to lie in memory, and the rows that it is made from.
//
// A form is a small value that says everything about the bytes: two kernels that ask for the same weight in
// equal forms share one packed copy, whatever size of picture they work on. So nothing in a form may depend
// on activations. Rows come as f32, a few at a time, straight from the file that holds them: packing needs
// memory for a panel, not for a tensor. In i8 a row is whole numbers times a scale of its own, which lies
// with the panel. A convolution's rows may come as they are stored, [in][taps], or as the engine has them,
// [taps][in]; strides tell which.
#ifndef RINGWAY_ENGINE_PLAN_WEIGHT_FORM_H_
#define RINGWAY_ENGINE_PLAN_WEIGHT_FORM_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace ringway::engine {

// Raise it with any change to what passes write, how steps are laid out or how weights are packed: plans and
// files of packed weights of another version are not used.
inline constexpr std::uint32_t kEngineVersion = 3;

struct WeightForm {
  DType dtype = DType::kF32;
  int panel_columns = 0;  // outputs of a panel; 0: plain rows
  int lanes = 0;          // columns are padded to a multiple of it
  int step_channels = 0;  // channels in one 32-bit word; 0: plain rows in the order of the panels
  bool gated = false;     // each panel holds as many gates as values

  bool plain() const { return panel_columns == 0; }
  // For the key of a packed weight.
  std::string ToString() const;
  friend bool operator==(const WeightForm&, const WeightForm&) = default;
};

class WeightRows {
 public:
  virtual ~WeightRows() = default;
  // Rows of the first axis from `first` on, as many as fill `out`. From any thread.
  virtual absl::Status Read(std::int64_t first, std::span<float> out) const = 0;
  // As the engine has it, whatever the order in which the rows come: [out, taps..., in].
  virtual const Shape& shape() const = 0;
  // Rows are [in][taps] instead of [taps][in].
  virtual bool taps_last() const = 0;

  std::int64_t rows() const { return shape().rank() == 0 ? 1 : shape().dim(0); }
  std::int64_t row_elements() const { return shape().elements() / (rows() == 0 ? 1 : rows()); }
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_WEIGHT_FORM_H_
