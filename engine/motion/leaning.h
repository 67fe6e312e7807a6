// Noise that leans to one direction of travel.
//
// A wave goes one way or the other. A network that cannot tell which from faint evidence leaves some waves in
// between, standing. So of the noise's longest waves (one over the clip, one or two over the picture, the
// same all along their crest) those that travel one way are made louder and the others quieter. The first
// noise says which way: that in which it has more of them. The two components of the field each have a way of
// their own; what moves in x travels along y, and the other way round.
#ifndef RINGWAY_ENGINE_MOTION_LEANING_H_
#define RINGWAY_ENGINE_MOTION_LEANING_H_

#include <array>
#include <span>
#include <vector>

#include "engine/motion/field.h"

namespace ringway::engine {

class Leaning {
 public:
  // Only of a field finer than its shortest waves can it be said which way they go.
  static bool Fits(const MotionFieldConfig& config) {
    return config.frames > 2 && config.grid > 2 * kLengths;
  }
  // The favoured waves get 1 + lean times their variance, the others 1 - lean times, with lean from 0 to 1.
  // `first` is standard normal noise, packed; the field fits.
  Leaning(const MotionFieldConfig& config, float lean, std::span<const float> first);
  // Packed, of the same size. Allocates nothing.
  void Apply(std::span<float> noise);

 private:
  static constexpr int kLengths = 2;  // one wave over the picture, and two
  using Table = std::vector<double>;  // [frames][grid]
  // A component's mean along the crest, in across_.
  void ReadAcross(std::int64_t component, std::span<const float> packed);
  // Where a cell of [frame][place across the crest][place along it] lies.
  std::size_t PlaceOf(std::int64_t component, std::int64_t frame, std::int64_t across,
                      std::int64_t along) const;
  double InAcross(const Table& wave) const;

  const MotionFieldConfig& config_;
  std::array<std::array<Table, 2 * kLengths>, 2> waves_;  // by direction: a sine and a cosine of each length
  std::array<std::array<double, 2>, 2> more_;             // by component and direction: the factor less 1
  Table across_, change_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_LEANING_H_
