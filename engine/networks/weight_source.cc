#include "engine/networks/weight_source.h"

namespace ringway::engine {

Scope Scope::operator/(std::string_view name) const {
  std::string below = prefix_;
  if (!below.empty()) below += '.';
  below += name;
  return Scope(*graph_, *source_, std::move(below));
}

ValueId Scope::Name(const std::vector<std::int64_t>& dims, WeightOp weight) const {
  if (!graph_->status().ok()) return kAbsent;
  if (absl::Status status = source_->Expect(weight.name, dims); !status.ok()) {
    graph_->Fail(std::move(status));
    return kAbsent;
  }
  return graph_->Weight(std::move(weight));
}

ValueId Scope::Weight(std::string_view name, const Shape& shape) const {
  std::vector<std::int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) dims.push_back(shape.dim(i));
  return Name(dims, {(*this / name).prefix_, shape});
}

ValueId Scope::ConvWeight(std::int64_t out, std::int64_t in, std::int64_t height, std::int64_t width,
                          bool frames) const {
  std::vector<std::int64_t> dims = {out, in, height, width};
  if (frames) dims.push_back(1);
  return Name(dims, {(*this / "weight").prefix_, {out, height, width, in}, /*kernel=*/true});
}

ValueId Scope::FilmConvWeight(std::int64_t out, std::int64_t in, std::int64_t frames, std::int64_t height,
                              std::int64_t width) const {
  return Name({out, in, frames, height, width},
              {(*this / "weight").prefix_, {out, frames, height, width, in}, /*kernel=*/true});
}

ValueId Scope::Table(std::string_view name, std::int64_t rows, std::int64_t columns) const {
  return Name({1, rows, columns}, {(*this / name).prefix_, {rows, columns}});
}

}  // namespace ringway::engine
