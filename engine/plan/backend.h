// What a device must offer so that plans run on it: a kernel for each operation. The CPU is one
// (engine/cpu/); a GPU is another implementation of these two classes.
//
// Prepare sees everything that is known when a plan is frozen (shapes, element types, which inputs are
// weights, but never their numbers) and does all that can be done once: choose an implementation, say in what
// form it reads its weights, size the workspace. Pack makes such a form. Bind gives the addresses, of values
// and of packed weights alike; it is called again when the plan is given other weights. Run is then called
// once a step, in the order of the plan, from one thread at a time; it allocates nothing and cannot fail.
#ifndef RINGWAY_ENGINE_PLAN_BACKEND_H_
#define RINGWAY_ENGINE_PLAN_BACKEND_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "engine/graph/op.h"
#include "engine/plan/weight_form.h"

namespace ringway::engine {

// How an operand lies in memory. An absent optional input has present == false.
struct Operand {
  bool present = false;
  Shape shape;
  DType dtype = DType::kF32;
  std::int64_t row_stride = 0;  // elements from one row to the next; the channels unless it is a slice
  bool fixed = false;           // a weight: the same at every run, in the form that the kernel asks for

  bool dense() const { return shape.rank() == 0 || row_stride == shape.dim(-1) || shape.rows() == 1; }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::size_t workspace_bytes() const { return 0; }
  // In which form the kernel reads an input that is fixed; nothing: plain rows of the operand's type.
  virtual std::optional<WeightForm> FormOf(std::size_t) const { return std::nullopt; }
  // `inputs` has as many addresses as there were operands; null for absent ones.
  virtual void Bind(std::span<std::byte* const> inputs, std::byte* output, std::byte* workspace) = 0;
  virtual void Run() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  // Whether bf16 is multiplied natively; where not, f32 is faster and better.
  virtual bool FastBf16() const = 0;
  virtual absl::StatusOr<std::unique_ptr<Kernel>> Prepare(const Op& op, std::span<const Operand> inputs,
                                                          const Operand& output) const = 0;
  // A weight in a form that one of this backend's kernels asked for and that is not plain.
  virtual absl::StatusOr<Tensor> Pack(const WeightForm& form, const WeightRows& rows) const = 0;
  // What decides how plans look beside their graphs: instruction set, threads.
  virtual std::string Fingerprint() const = 0;
  // What decides the bytes that Pack makes of the same rows, beside the form: instruction set.
  virtual std::string PackingFingerprint() const = 0;
  // What its multipliers of this element type give at best, in operations a second: the denominator of
  // "percent of peak". Measured, for some tenths of a second; zero where that is not known.
  virtual double PeakFlops(DType type) const = 0;
  // Called before the kernels of a plan run, on the thread that runs them.
  virtual void Enter() const = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_BACKEND_H_
