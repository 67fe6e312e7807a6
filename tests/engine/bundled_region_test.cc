// The model that ships, with a region: what lies in the box moves, the rest of the photo stays.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "engine/engine.h"
#include "engine/media/drawn_picture.h"

namespace ringway::engine {
namespace {

constexpr Region kBox{0.35, 0.3, 0.7, 0.75};

bool InBox(const Picture& frame, int x, int y) {
  const double across = (x + 0.5) / frame.width, down = (y + 0.5) / frame.height;
  return across > kBox.left && across < kBox.right && down > kBox.top && down < kBox.bottom;
}

struct Change {
  double inside = 0, outside = 0;  // mean absolute change of a pixel against the photo, over the film
};

// Frame 0 is the photo itself.
Change ChangeOf(const Animation& film) {
  Change change;
  double pixels_in = 0, pixels_out = 0;
  const Picture& photo = film.frames[0];
  for (std::size_t f = 1; f < film.frames.size(); ++f) {
    for (int y = 0; y < photo.height; ++y) {
      for (int x = 0; x < photo.width; ++x) {
        double apart = 0;
        for (int c = 0; c < 3; ++c) apart += std::abs(film.frames[f].At(x, y)[c] - photo.At(x, y)[c]);
        const bool in = InBox(photo, x, y);
        (in ? change.inside : change.outside) += apart / 3;
        (in ? pixels_in : pixels_out) += 1;
      }
    }
  }
  return {change.inside / pixels_in, change.outside / pixels_out};
}

// The same detail everywhere, so that equal motion changes pixels equally.
Picture Textured(int width, int height) {
  Picture picture = Picture::Blank(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) {
        const double wave =
            std::sin(0.35 * x + 0.2 * y + c) + std::sin(0.17 * x - 0.31 * y) + std::sin(0.4 * y);
        picture.rgb[static_cast<std::size_t>((y * width + x) * 3 + c)] =
            static_cast<std::uint8_t>(128 + 40 * wave);
      }
  return picture;
}

TEST(BundledModel, MovesTheRegionAndNotTheRest) {
  auto engine = Engine::Open(RINGWAY_BUNDLED_MODEL, {.threads = 2});
  ASSERT_TRUE(engine.ok()) << engine.status();
  for (const char* prompt :
       {"the boat moves left", "the object moves up", "the object grows", "the object rotates left",
        "the flag sways", "the object pulses", "the object waves sideways", "the object waves up and down"}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      AnimateRequest request;
      request.picture = seed == 1 ? DrawPicture(320, 224) : Textured(320, 224);
      request.prompt = prompt;
      request.seed = seed;
      request.frames = 12;
      request.region = kBox;
      const auto film = (*engine)->Animate(request, nullptr, {});
      ASSERT_TRUE(film.ok()) << film.status();
      const Change change = ChangeOf(*film);
      std::printf("  %s, seed %d: inside %.2f, outside %.2f levels, %.1f times\n", prompt,
                  static_cast<int>(seed), change.inside, change.outside, change.inside / change.outside);
      EXPECT_GT(change.inside, 1) << prompt << ": nothing moves";
      EXPECT_GE(change.inside, 5 * change.outside) << prompt << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ringway::engine
