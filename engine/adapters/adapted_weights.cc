#include "engine/adapters/adapted_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringway::engine {

absl::StatusOr<std::shared_ptr<const AdaptedWeights>> AdaptedWeights::Make(
    std::shared_ptr<WeightSource> source, std::string_view part, std::vector<ChosenAdapter> adapters) {
  const auto made = std::make_shared<AdaptedWeights>();
  made->source_ = std::move(source);
  made->adapters_ = std::move(adapters);
  for (const ChosenAdapter& chosen : made->adapters_) {
    if (chosen.strength == 0) continue;
    for (const auto& [name, delta] : chosen.adapter->Of(part)) {
      Applied applied{&delta, static_cast<float>(chosen.strength)};
      if (delta.lengths == Lengths::kOfInputs)
        if (absl::Status status = made->FindNorms(name, applied); !status.ok()) return status;
      made->applied_[name].push_back(std::move(applied));
    }
  }
  return made;
}

absl::Status AdaptedWeights::FindNorms(const std::string& name, Applied& applied) const {
  const LowRank& delta = *applied.delta;
  std::vector<double> squares(static_cast<std::size_t>(delta.row / delta.taps));
  std::vector<float> row(static_cast<std::size_t>(delta.row));
  for (std::int64_t first = 0; first < delta.rows; ++first) {
    if (absl::Status status = source_->ReadRows(name, first, delta.row, row); !status.ok()) return status;
    AddSquaresByInput(delta, first, row, squares);
  }
  for (const double square : squares)
    applied.norms.push_back(static_cast<float>(std::sqrt(square)) + std::numeric_limits<float>::epsilon());
  return absl::OkStatus();
}

absl::Status AdaptedWeights::ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                                      std::span<float> out) const {
  if (absl::Status status = source_->ReadRows(name, first, row_elements, out); !status.ok()) return status;
  const auto at = applied_.find(name);
  if (at == applied_.end()) return absl::OkStatus();
  const std::vector<Applied>& all = at->second;
  const bool lengths = std::any_of(all.begin(), all.end(),
                                   [](const Applied& a) { return a.delta->lengths != Lengths::kNone; });
  const std::vector<float> base = lengths ? std::vector<float>(out.begin(), out.end()) : std::vector<float>();
  for (const Applied& applied : all) {
    if (applied.delta->row != row_elements)
      return absl::InternalError("rows of another size than the adapted weight's");
    AddAdapted(*applied.delta, first, applied.strength, base, applied.norms, out);
  }
  return absl::OkStatus();
}

}  // namespace ringway::engine
