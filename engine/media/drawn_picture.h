// A picture for whoever has none at hand: a boat on a lake, with hills, clouds, a sun, reeds and a flag.
//
// Drawn from formulas, so nobody's photo is needed to try the engine: it has what the bundled model knows to
// move (water, sky, what stands and sways, a thing on its own). The same picture for the same size,
// everywhere. O(pixels).
#ifndef RINGWAY_ENGINE_MEDIA_DRAWN_PICTURE_H_
#define RINGWAY_ENGINE_MEDIA_DRAWN_PICTURE_H_

#include "engine/media/picture.h"

namespace ringway::engine {

Picture DrawPicture(int width = 640, int height = 448);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_DRAWN_PICTURE_H_
