#include "engine/networks/weight_source.h"

namespace ringway::engine {

Scope Scope::operator/(std::string_view name) const {
  std::string below = prefix_;
  if (!below.empty()) below += '.';
  below += name;
  return Scope(*graph_, *source_, std::move(below));
}

ValueId Scope::Take(const std::string& name, const std::vector<std::int64_t>& dims,
                    const Shape& shape) const {
  if (!graph_->status().ok()) return kAbsent;
  const absl::StatusOr<std::vector<float>> values = source_->Take(name, dims);
  if (!values.ok()) {
    graph_->Fail(values.status());
    return kAbsent;
  }
  return graph_->Constant(Tensor::FromFloats(shape, *values), name);
}

ValueId Scope::Weight(std::string_view name, const Shape& shape) const {
  std::vector<std::int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) dims.push_back(shape.dim(i));
  return Take((*this / name).prefix_, dims, shape);
}

ValueId Scope::ConvWeight(std::int64_t out, std::int64_t in, std::int64_t height, std::int64_t width,
                          bool frames) const {
  if (!graph_->status().ok()) return kAbsent;
  std::vector<std::int64_t> dims = {out, in, height, width};
  if (frames) dims.push_back(1);
  const std::string name = (*this / "weight").prefix_;
  const absl::StatusOr<std::vector<float>> values = source_->Take(name, dims);
  if (!values.ok()) {
    graph_->Fail(values.status());
    return kAbsent;
  }
  Tensor kernel(DType::kF32, {out, height, width, in});
  const auto to = kernel.As<float>();
  const std::int64_t area = height * width;
  for (std::int64_t o = 0; o < out; ++o)
    for (std::int64_t i = 0; i < in; ++i)
      for (std::int64_t p = 0; p < area; ++p)
        to[static_cast<std::size_t>((o * area + p) * in + i)] =
            (*values)[static_cast<std::size_t>((o * in + i) * area + p)];
  return graph_->Constant(std::move(kernel), name);
}

}  // namespace ringway::engine
