// The part of a photo that is to move: a box, as people give it and as planes of numbers.
//
// Sides are fractions of the photo, from its top left corner. The matte that the network is told is the share
// of each cell that the box covers. What is drawn follows a softer one: the displacement fades out over a
// margin on both sides of the box's edge (a smooth step over an eighth of the shorter side), so that nothing
// tears and no hole opens where the thing was; far outside nothing moves at all. Pure values.
#ifndef RINGWAY_ENGINE_MOTION_REGION_H_
#define RINGWAY_ENGINE_MOTION_REGION_H_

#include <span>
#include <string_view>

#include "absl/status/statusor.h"

namespace ringway::engine {

struct Region {
  double left = 0, top = 0, right = 1, bottom = 1;
  friend bool operator==(const Region&, const Region&) = default;
};

// "left,top,right,bottom", each in pixels of a photo of that size or, with a % behind it, in hundredths.
absl::StatusOr<Region> ParseRegion(std::string_view text, int width, int height);
absl::Status CheckRegion(const Region& region);

// How much of the cell [x, x + 1) x [y, y + 1) of a side x side grid lies in the box.
float Coverage(const Region& region, int x, int y, int side);
// The soft matte's two factors at a coordinate in [0, 1]; it is their product.
float SoftX(const Region& region, float x);
float SoftY(const Region& region, float y);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_REGION_H_
