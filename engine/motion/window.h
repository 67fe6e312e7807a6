// The part of the photo that a film shows: so much smaller than the photo that no border ever comes into
// sight.
//
// A camera that moves needs something to move over. The window is the largest square share of the photo (in
// its own units of width and height), at most kSideMost, from which no pixel at any moment looks beyond the
// photo; its middle is shifted against the middle of the motion. Found by bisection over the side; for each
// side the middle is corrected a few times by what sticks out. When even kSideLeast sticks out, it is taken,
// and the rim repeats the last pixels. About a million looks at the field: a millisecond. Pure.
#ifndef RINGWAY_ENGINE_MOTION_WINDOW_H_
#define RINGWAY_ENGINE_MOTION_WINDOW_H_

#include "engine/motion/field.h"

namespace ringway::engine {

struct Window {
  static constexpr double kSideMost = 0.95, kSideLeast = 0.5;
  double middle_x = 0.5, middle_y = 0.5;
  double side = 1;
};
Window FindWindow(const MotionField& field);

// The cells around a coordinate in [0, 1] of the photo and their weights; cells beyond the border are the
// last ones.
struct GridPlace {
  int cell[4];
  float weight[4];
  GridPlace(double at, int grid);
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_WINDOW_H_
