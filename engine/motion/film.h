// From a photo and a motion field to the frames of a film: nothing is drawn that the photo does not hold.
//
// Every frame is the whole photo, looked up once a pixel at its full sharpness (warp.h), where the field,
// cubic in time and space, says. Without a region the film shows a window of the photo (window.h); with one
// it shows all of it, and the displacement fades out around the region (region.h). Frame 0 is the window of
// the photo itself, the last frame stands at the end of the field. The film is at most side_max pixels wide
// and high, its sides are even (MP4 wants that), and it is never larger than the photo. The photo is scaled
// once so that pixels of film and photo are of a size. Immutable after construction: frames may be drawn side
// by side by any threads, each by one.
#ifndef RINGWAY_ENGINE_MOTION_FILM_H_
#define RINGWAY_ENGINE_MOTION_FILM_H_

#include <optional>

#include "engine/motion/region.h"
#include "engine/motion/warp.h"
#include "engine/motion/window.h"

namespace ringway::engine {

struct FilmSettings {
  int frames = 48;
  int side_max = 768;
  std::optional<Region> region = {};
};

struct FilmSize {
  int width = 0, height = 0;
};
// For a photo of this size; at least 2 x 2.
FilmSize SizeOfFilm(int photo_width, int photo_height, int side_max);

class Film {
 public:
  // The field must outlive the film.
  Film(const Picture& photo, const MotionField& field, const FilmSettings& settings);

  const Window& window() const { return window_; }
  // 0 <= frame < settings.frames
  Picture Frame(int frame) const;

 private:
  // Of one axis: where each pixel would look if nothing moved, in pixels of the photo; its cells of the
  // field; how much it moves.
  struct Axis {
    std::vector<float> at;
    std::vector<GridPlace> place;
    std::vector<float> soft;
  };
  Axis MakeAxis(int pixels, double middle, bool across) const;
  std::vector<float> StretchedAcross(int frame) const;
  WarpLine Line(int y, const std::vector<float>& stretched) const;

  const MotionField& field_;
  FilmSettings settings_;
  Window window_;
  FilmSize size_;
  WarpSource source_;
  Axis across_, down_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MOTION_FILM_H_
