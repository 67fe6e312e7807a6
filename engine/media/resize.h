// Photos in other sizes: the mean of what each new pixel covers when it gets smaller, cubic when it gets
// larger.
//
// Separable: each axis has its own weights, made once. Smaller: every old pixel counts by the area that the
// new one covers of it, so nothing aliases. Larger: Keys' cubic with a = -1/2 (IEEE ASSP 29(6), 1981),
// clamped at the border. Works in the stored sRGB values, as training does. O(pixels); memory: one
// floating-point picture between the axes.
#ifndef RINGWAY_ENGINE_MEDIA_RESIZE_H_
#define RINGWAY_ENGINE_MEDIA_RESIZE_H_

#include <vector>

#include "engine/media/picture.h"

namespace ringway::engine {

// height x width x 3 numbers in [0, 255], not rounded.
std::vector<float> ResizeToFloats(const Picture& picture, int width, int height);
Picture Resize(const Picture& picture, int width, int height);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_RESIZE_H_
