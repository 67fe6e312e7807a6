// A motion field: how far every part of the photo has moved at each moment of the clip.
//
// The field is backward: the film's pixel at p shows the photo's at p + d(p, t), with d in widths (x) and
// heights (y) of the photo. The network gives it packed, patch x patch x patch cells of time and space as one
// token of channels
// ((dt * patch + dy) * patch + dx) * 2 + component, divided by one number a frame; the file field/config.json
// says which. Here it is unpacked and read at any moment: cubically between the frames (Catmull and Rom,
// 1974), frame f standing at (f + 1) / frames and nothing moving at 0. Space is left to the one who draws
// (film.h). Immutable.
#ifndef RINGWAY_ENGINE_MOTION_FIELD_H_
#define RINGWAY_ENGINE_MOTION_FIELD_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/check.h"
#include "engine/checkpoint/model_directory.h"
#include "engine/motion/cubic_weights.h"

namespace ringway::engine {

struct MotionFieldConfig {
  std::int64_t grid = 16, frames = 16, patch = 2;
  std::vector<float> scale_per_frame;

  std::int64_t packed_grid() const { return grid / patch; }
  std::int64_t packed_frames() const { return frames / patch; }
  std::int64_t packed_channels() const { return 2 * patch * patch * patch; }
  // Where a component of a frame's cell lies in the packed field.
  std::size_t PlaceOf(std::int64_t f, std::int64_t component, std::int64_t y, std::int64_t x) const {
    const std::int64_t token = (f / patch * packed_grid() + y / patch) * packed_grid() + x / patch;
    const std::int64_t channel = ((f % patch * patch + y % patch) * patch + x % patch) * 2 + component;
    return static_cast<std::size_t>(token * packed_channels() + channel);
  }
  std::size_t elements() const { return static_cast<std::size_t>(2 * frames * grid * grid); }
};
absl::StatusOr<MotionFieldConfig> ReadMotionFieldConfig(Config config);

// Packed: what all cells of a frame have in common, times `by` of its component.
void ScaleCommonPart(const MotionFieldConfig& config, std::array<float, 2> by, std::span<float> packed);

// Packed, both: what is affine in place of each frame and component of `to` (the a + b x + c y that fits it
// best: pans, zooms, turns and shears) becomes that of `from`; the rest of `to` stays.
void CopyAffinePart(const MotionFieldConfig& config, std::span<const float> from, std::span<float> to);

class MotionField {
 public:
  // `packed` as the network gives it, [packed_frames, packed_grid, packed_grid, packed_channels].
  MotionField(const MotionFieldConfig& config, std::span<const float> packed);

  int grid() const { return grid_; }
  // The displacements at `time` in [0, 1], as [2, grid, grid]: all of x, then all of y. `out` has 2 * grid *
  // grid places.
  void At(double time, std::span<float> out) const;

 private:
  int grid_, frames_;
  std::vector<float> knots_;  // [frames + 1][2][grid][grid], the first all zero
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_FIELD_H_
