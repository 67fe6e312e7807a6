// Small pictures for the tests of media, and the same as PNG, JPEG and WebP files made by the libraries' own
// encoders.
//
// Ramp has another colour at every pixel and no symmetry, so that a flip, a shift or a swapped channel shows.
// Drawing is a moving disc on a still ground, as an animation would have it.
#ifndef RINGWAY_TESTS_ENGINE_SAMPLE_PICTURES_H_
#define RINGWAY_TESTS_ENGINE_SAMPLE_PICTURES_H_

#include <string>

#include "engine/media/picture.h"

namespace ringway::engine {

Picture Ramp(int width, int height);
Animation MovingDisc(int width, int height, int frames);

std::string PngFile(const Picture& picture);
// The same colours in 16 bits a channel, without a word on gamma, as cameras' and scanners' programs write
// it.
std::string Png16File(const Picture& picture);
// `app1` is the payload of an EXIF segment; empty for none.
std::string JpegFile(const Picture& picture, int quality, const std::string& app1 = "",
                     bool progressive = false);
std::string WebpFile(const Picture& picture);

// "Exif\0\0" and a TIFF with one entry, orientation.
std::string ExifSegment(int orientation, bool big_endian);

// The largest and the mean difference of a channel.
double MeanDifference(const Picture& a, const Picture& b);

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_SAMPLE_PICTURES_H_
