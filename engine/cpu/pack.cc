#include "engine/cpu/pack.h"

#include <algorithm>
#include <vector>

#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

// The rows of a panel: a run of rows, or, gated, a run of values and the run of their gates.
absl::Status ReadPanel(const WeightForm& form, const WeightRows& rows, std::int64_t panel,
                       std::span<float> out) {
  if (!form.gated) return rows.Read(panel * form.panel_columns, out);
  const std::int64_t half = rows.rows() / 2, first = panel * (form.panel_columns / 2);
  const auto values = out.first(out.size() / 2), gates = out.subspan(out.size() / 2);
  if (absl::Status status = rows.Read(first, values); !status.ok()) return status;
  return rows.Read(half + first, gates);
}

absl::Status PackPanelIn(const CpuContext& context, const WeightForm& form, const PanelRows& rows,
                         std::uint32_t* packed) {
  if (form.dtype == DType::kI8) {
    if (PackInt8Panel(rows, form.lanes, packed)) return absl::OkStatus();
    return absl::OutOfRangeError("a number is not finite, which int8 cannot hold");
  }
  form.dtype == DType::kBF16 ? ProductsOf<BFloat16>(context.table).pack_panel(rows, packed)
                             : ProductsOf<float>(context.table).pack_panel(rows, packed);
  return absl::OkStatus();
}

}  // namespace

std::int64_t PackedWords(const WeightForm& form, std::int64_t outputs, std::int64_t taps,
                         std::int64_t channels) {
  const std::int64_t panels = (outputs + form.panel_columns - 1) / form.panel_columns;
  const std::int64_t last = outputs - (panels - 1) * form.panel_columns;
  const std::int64_t columns = (panels - 1) * form.panel_columns + RoundedUp(last, form.lanes);
  const std::int64_t steps = taps * (RoundedUp(channels, form.step_channels) / form.step_channels);
  return columns * (steps + (form.dtype == DType::kI8 ? Int8Panel::kColumnWords : 0));
}

absl::StatusOr<Tensor> PackWeight(const CpuContext& context, const WeightForm& form, const WeightRows& rows) {
  const bool reordered_only = form.step_channels == 0;
  const std::int64_t outputs = rows.rows(), size = rows.row_elements();
  const std::int64_t channels = reordered_only ? size : rows.shape().dim(-1), taps = size / channels;
  const std::int64_t panels = (outputs + form.panel_columns - 1) / form.panel_columns;
  Tensor packed = reordered_only ? Tensor(DType::kF32, rows.shape())
                                 : Tensor(DType::kI32, {PackedWords(form, outputs, taps, channels)});
  const std::int64_t panel_words =
      reordered_only ? form.panel_columns * size : PackedWords(form, form.panel_columns, taps, channels);
  std::vector<absl::Status> statuses(static_cast<std::size_t>(panels));
  std::vector<std::vector<float>> buffers(static_cast<std::size_t>(context.threads));
  ParallelFor(panels, context.threads, [&](std::int64_t panel, int thread) {
    const std::int64_t count =
        std::min<std::int64_t>(form.panel_columns, outputs - panel * form.panel_columns);
    std::vector<float>& buffer = buffers[static_cast<std::size_t>(thread)];
    buffer.resize(static_cast<std::size_t>(count * size));
    absl::Status& status = statuses[static_cast<std::size_t>(panel)];
    status = ReadPanel(form, rows, panel, buffer);
    if (!status.ok()) return;
    std::byte* to = packed.bytes() + panel * panel_words * 4;
    if (reordered_only) {
      std::copy(buffer.begin(), buffer.end(), reinterpret_cast<float*>(to));
      return;
    }
    const PanelRows panel_rows{buffer.data(), static_cast<int>(count), taps, channels, rows.taps_last()};
    auto* words = reinterpret_cast<std::uint32_t*>(to);
    status = PackPanelIn(context, form, panel_rows, words);
  });
  for (const absl::Status& status : statuses)
    if (!status.ok()) return status;
  return packed;
}

}  // namespace ringway::engine
