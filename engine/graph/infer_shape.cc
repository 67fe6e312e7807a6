#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/graph/graph.h"

namespace ringway::engine {
namespace {

using Shapes = std::span<const Shape* const>;

absl::Status Misfit(std::string_view text) {
  return absl::InvalidArgumentError(absl::string_view(text.data(), text.size()));
}

const Shape* At(Shapes in, std::size_t i) { return i < in.size() ? in[i] : nullptr; }

bool IsVector(const Shape* shape, std::int64_t size) {
  return shape != nullptr && shape->rank() == 1 && shape->dim(0) == size;
}

// Every axis is that of `whole`, or 1.
bool Spreads(const Shape& part, const Shape& whole) {
  bool fits = part.rank() == whole.rank();
  for (int i = 0; fits && i < whole.rank(); ++i) fits = part.dim(i) == whole.dim(i) || part.dim(i) == 1;
  return fits;
}

// Of attention: the keys are all there.
bool IsBias(const Shape& bias, const Shape& scores) {
  return Spreads(bias, scores) && bias.dim(2) == scores.dim(2);
}

absl::StatusOr<Shape> WithResidual(const Shape& result, std::int64_t channels, Shapes in) {
  if (At(in, 2) != nullptr && !IsVector(in[2], channels))
    return Misfit(absl::StrCat("bias ", in[2]->ToString(), " for ", channels, " channels"));
  if (At(in, 3) != nullptr && !(*in[3] == result))
    return Misfit(absl::StrCat("residual ", in[3]->ToString(), " for a result ", result.ToString()));
  return result;
}

struct Inference {
  Shapes in;

  bool Has(std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      if (At(in, i) == nullptr) return false;
    return true;
  }
  const Shape& x() const { return *in[0]; }

  absl::StatusOr<Shape> operator()(const InputOp& op) const { return op.shape; }
  absl::StatusOr<Shape> operator()(const ConstantOp& op) const { return op.tensor.shape(); }
  absl::StatusOr<Shape> operator()(const WeightOp& op) const { return op.shape; }

  absl::StatusOr<Shape> operator()(const ConvOp& op) const {
    const int rank = Has(2) ? in[1]->rank() : 0;
    const bool fits = x().rank() == 4 && (rank == 4 || rank == 5) && in[1]->dim(-1) == x().dim(3);
    if (!fits || (rank == 5 && (op.front < 0 || op.front >= in[1]->dim(1))))
      return Misfit(absl::StrCat("input ", Text(0), " and weight ", Text(1), " do not fit"));
    const Shape& w = *in[1];
    const std::int64_t height = x().dim(1) + op.padding.top + op.padding.bottom - w.dim(-3);
    const std::int64_t width = x().dim(2) + op.padding.left + op.padding.right - w.dim(-2);
    if (height < 0 || width < 0)
      return Misfit(absl::StrCat("input ", Text(0), " is smaller than the kernel ", Text(1)));
    return WithResidual({x().dim(0), height / op.stride + 1, width / op.stride + 1, w.dim(0)}, w.dim(0), in);
  }
  absl::StatusOr<Shape> operator()(const LinearOp& op) const {
    if (!Has(2) || x().rank() < 1 || in[1]->rank() != 2 || in[1]->dim(1) != x().dim(-1))
      return Misfit(absl::StrCat("input ", Text(0), " and weight ", Text(1), " do not fit"));
    Shape result = x();
    if (op.gated) {
      if (in[1]->dim(0) % 2 != 0 || At(in, 3) != nullptr) return Misfit("cannot be gated");
      result.set_dim(-1, in[1]->dim(0) / 2);
      if (At(in, 2) != nullptr && !IsVector(in[2], in[1]->dim(0))) return Misfit("bias does not fit");
      return result;
    }
    result.set_dim(-1, in[1]->dim(0));
    return WithResidual(result, in[1]->dim(0), in);
  }
  absl::StatusOr<Shape> operator()(const GroupNormOp& op) const {
    if (!Has(3) || x().rank() < 2 || op.groups < 1 || x().dim(-1) % op.groups != 0)
      return Misfit(absl::StrCat("input ", Text(0), " cannot be split into ", op.groups, " groups"));
    if (At(in, 3) != nullptr &&
        (in[3]->dim(-1) != x().dim(-1) || (in[3]->rows() != 1 && in[3]->rows() != x().dim(0))))
      return Misfit(absl::StrCat("shift ", Text(3), " for ", Text(0)));
    return NormResult();
  }
  absl::StatusOr<Shape> operator()(const LayerNormOp&) const {
    if (!Has(1) || x().rank() < 1) return Misfit("needs an input");
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
      if (At(in, i) != nullptr && !IsVector(in[i], x().dim(-1)))
        return Misfit(absl::StrCat("gamma ", Text(1), " and beta ", Text(2), " for ", Text(0)));
    return x();
  }
  absl::StatusOr<Shape> operator()(const AttentionOp& op) const {
    if (!Has(3) || x().rank() != 4 || in[1]->rank() != 4 || !(*in[1] == *in[2]))
      return Misfit(
          absl::StrCat("needs 4-dimensional q, and k like v; got ", Text(0), ", ", Text(1), ", ", Text(2)));
    const Shape& k = *in[1];
    const bool fits = k.dim(0) > 0 && x().dim(0) % k.dim(0) == 0 &&
                      (k.dim(2) == 1 || k.dim(2) == x().dim(2)) && k.dim(3) == x().dim(3) && k.dim(1) > 0 &&
                      op.heads > 0 && x().dim(3) % op.heads == 0;
    if (!fits)
      return Misfit(
          absl::StrCat("q ", Text(0), " and k ", Text(1), " do not fit, with ", op.heads, " heads"));
    if (At(in, 3) != nullptr && !IsBias(*in[3], {x().dim(0), x().dim(1), k.dim(1), op.heads}))
      return Misfit(
          absl::StrCat("bias ", Text(3), " for q ", Text(0), ", k ", Text(1), " and ", op.heads, " heads"));
    return x();
  }
  absl::StatusOr<Shape> operator()(const ActivateOp&) const { return Unary(); }
  absl::StatusOr<Shape> operator()(const CastOp&) const { return Unary(); }
  absl::StatusOr<Shape> operator()(const GegluOp&) const {
    if (!Has(1) || x().rank() < 1 || x().dim(-1) % 2 != 0)
      return Misfit(absl::StrCat("cannot halve ", Text(0)));
    Shape result = x();
    result.set_dim(-1, x().dim(-1) / 2);
    return result;
  }
  absl::StatusOr<Shape> operator()(const AddOp&) const {
    if (!Has(2) || !Spreads(*in[1], x()))
      return Misfit(absl::StrCat("cannot add ", Text(1), " to ", Text(0)));
    return x();
  }
  absl::StatusOr<Shape> operator()(const ScaleOp&) const {
    if (!Has(2) || !Spreads(*in[1], x()) || (At(in, 2) != nullptr && !Spreads(*in[2], x())))
      return Misfit(absl::StrCat("cannot scale ", Text(0), " by ", Text(1), " and shift it by ", Text(2)));
    return x();
  }
  absl::StatusOr<Shape> operator()(const RotateOp&) const {
    const bool fits = Has(2) && in[1]->rank() == 2 && in[1]->dim(0) > 0 && x().rank() > 0 &&
                      in[1]->dim(1) == x().dim(-1) && x().dim(-1) % 2 == 0 && x().rows() % in[1]->dim(0) == 0;
    if (!fits) return Misfit(absl::StrCat("cannot turn ", Text(0), " by ", Text(1)));
    return x();
  }
  absl::StatusOr<Shape> operator()(const DepthToSpaceOp& op) const {
    const std::int64_t times = Has(1) ? std::int64_t{op.frames} * op.height * op.width : 0;
    if (times < 1 || x().rank() != 4 || x().dim(3) % times != 0 || op.skipped < 0 ||
        op.skipped >= x().dim(0) * op.frames)
      return Misfit(absl::StrCat("channels of ", Text(0), " cannot become ", op.frames, " x ", op.height,
                                 " x ", op.width, " pixels without ", op.skipped, " frames"));
    return Shape{x().dim(0) * op.frames - op.skipped, x().dim(1) * op.height, x().dim(2) * op.width,
                 x().dim(3) / times};
  }
  absl::StatusOr<Shape> operator()(const BlendOp&) const {
    if (!Has(3) || !(x() == *in[1]) || in[2]->elements() != 1)
      return Misfit(absl::StrCat("cannot blend ", Text(0), " and ", Text(1)));
    return x();
  }
  absl::StatusOr<Shape> operator()(const ConcatOp& op) const {
    bool fits = Has(2) && x().rank() == in[1]->rank() && op.axis >= -x().rank() && op.axis < x().rank();
    const int axis = fits && op.axis < 0 ? op.axis + x().rank() : op.axis;
    for (int i = 0; fits && i < x().rank(); ++i) fits = i == axis || x().dim(i) == in[1]->dim(i);
    if (!fits) return Misfit(absl::StrCat("cannot join ", Text(0), " and ", Text(1), " at axis ", op.axis));
    Shape result = x();
    result.set_dim(axis, x().dim(axis) + in[1]->dim(axis));
    return result;
  }
  absl::StatusOr<Shape> operator()(const UpsampleOp& op) const {
    if (!Has(1) || x().rank() != 4) return Misfit(absl::StrCat("needs pictures, got ", Text(0)));
    return Shape{x().dim(0), x().dim(1) * 2 - (op.odd_height ? 1 : 0),
                 x().dim(2) * 2 - (op.odd_width ? 1 : 0), x().dim(3)};
  }
  absl::StatusOr<Shape> operator()(const ReshapeOp& op) const {
    if (!Has(1) || op.shape.elements() != x().elements())
      return Misfit(absl::StrCat(Text(0), " has not as many elements as ", op.shape.ToString()));
    return op.shape;
  }
  absl::StatusOr<Shape> operator()(const ExpandOp& op) const {
    if (!Has(1) || op.axis < 0 || op.axis >= x().rank() || op.times < 1)
      return Misfit(absl::StrCat("axis ", op.axis, " of ", Text(0), ", ", op.times, " times"));
    Shape result = x();
    result.set_dim(op.axis, x().dim(op.axis) * op.times);
    return result;
  }
  absl::StatusOr<Shape> operator()(const SliceOp& op) const {
    if (!Has(1) || x().rank() < 1 || op.begin < 0 || op.size < 1 || op.begin > x().dim(-1) - op.size)
      return Misfit(absl::StrCat("channels ", op.begin, " to ", op.begin + op.size, " of ", Text(0)));
    Shape result = x();
    result.set_dim(-1, op.size);
    return result;
  }
  absl::StatusOr<Shape> operator()(const TimeEmbeddingOp& op) const {
    if (!Has(1) || x().rank() != 1 || op.channels < 2 || op.channels % 2 != 0)
      return Misfit(absl::StrCat(op.channels, " channels of ", Text(0)));
    return Shape{x().dim(0), op.channels};
  }
  absl::StatusOr<Shape> operator()(const LookupOp&) const {
    if (!Has(2) || x().rank() != 2 || in[1]->rank() >= Shape::kMaxRank)
      return Misfit("needs a table and ids");
    Shape result = *in[1];
    result.Append(x().dim(1));
    return result;
  }

 private:
  std::string Text(std::size_t i) const { return At(in, i) == nullptr ? "nothing" : in[i]->ToString(); }
  absl::StatusOr<Shape> Unary() const {
    if (!Has(1)) return Misfit("needs an input");
    return x();
  }
  absl::StatusOr<Shape> NormResult() const {
    if (!IsVector(in[1], x().dim(-1)) || !IsVector(in[2], x().dim(-1)))
      return Misfit(absl::StrCat("gamma ", Text(1), " and beta ", Text(2), " for ", Text(0)));
    return x();
  }
};

}  // namespace

absl::StatusOr<Shape> InferShape(const Op& op, std::span<const Shape* const> inputs) {
  return std::visit(Inference{inputs}, op);
}

}  // namespace ringway::engine
