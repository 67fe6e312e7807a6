// Which way up a photo is: the orientation that a camera writes into EXIF, and turning a picture by it.
//
// EXIF is a TIFF header and a first directory of 12-byte entries; orientation is tag 0x0112, a short from 1
// to 8 (JEITA CP-3451, 4.6.4). Only that entry is looked at; every offset is checked, at most 1000 entries
// are walked, and anything odd means 1, upright: a photo is not refused for a bad note in its margin.
#ifndef RINGWAY_ENGINE_MEDIA_EXIF_H_
#define RINGWAY_ENGINE_MEDIA_EXIF_H_

#include <string_view>

#include "engine/media/picture.h"

namespace ringway::engine {

// `segment` is the payload of a JPEG APP1 segment ("Exif\0\0" + TIFF). Returns 1 to 8.
int ExifOrientation(std::string_view segment);

// The picture as it should be seen; O(pixels).
Picture TurnUpright(Picture picture, int orientation);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_EXIF_H_
