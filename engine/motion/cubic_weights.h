// The weights of cubic convolution with a = -1/2: between the frames of a motion field (Catmull and Rom,
// 1974) and between the pixels of a photo (Keys, IEEE ASSP 29(6), 1981).
//
// They sum to 1 but for rounding, and reproduce what is quadratic. Four products and sums each, in single
// precision without fused multiply-add, so that every processor gives the same bits. Pure.
#ifndef RINGWAY_ENGINE_MOTION_CUBIC_WEIGHTS_H_
#define RINGWAY_ENGINE_MOTION_CUBIC_WEIGHTS_H_

namespace ringway::engine {

// Of the four neighbours of a place `fraction` beyond the second of them.
struct CubicWeights {
  float w[4];
  explicit CubicWeights(float fraction) {
    const float f = fraction;
    w[0] = ((-0.5f * f + 1.0f) * f - 0.5f) * f;
    w[1] = (1.5f * f - 2.5f) * f * f + 1.0f;
    w[2] = ((-1.5f * f + 2.0f) * f + 0.5f) * f;
    w[3] = (0.5f * f - 0.5f) * f * f;
  }
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_CUBIC_WEIGHTS_H_
