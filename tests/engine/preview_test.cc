// The pictures that stand for a film: which frames, how large, in which format.
#include "engine/media/preview.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/media/decode.h"
#include "engine/media/encode.h"
#include "engine/media/resize.h"
#include "tests/engine/sample_pictures.h"

namespace ringway::engine {
namespace {

// Frame n of `frames` is grey: from black at the first to white at the last.
std::string Fade(int width, int height, int frames) {
  Animation animation;
  for (int f = 0; f < frames; ++f) {
    animation.frames.push_back(Picture::Blank(width, height));
    for (auto& value : animation.frames.back().rgb)
      value = static_cast<std::uint8_t>(frames == 1 ? 0 : 255 * f / (frames - 1));
  }
  const auto file = EncodeWebp(animation, 90.0f);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.value_or("");
}

Picture Made(const std::string& film, Preview preview) {
  const auto file = MakePreview(film, preview);
  EXPECT_TRUE(file.ok()) << file.status();
  if (!file.ok()) return Picture::Blank(1, 1);
  EXPECT_EQ(SniffPicture(*file),
            preview == Preview::kThumbnail ? PictureFormat::kWebp : PictureFormat::kJpeg);
  auto picture = DecodePicture(*file);
  EXPECT_TRUE(picture.ok()) << picture.status();
  return picture.ok() ? *std::move(picture) : Picture::Blank(1, 1);
}

int GreyAt(const Picture& picture, int x, int y) { return *picture.At(x, y); }

TEST(PreviewOfFilm, AThumbnailIsTheMiddleAndFitsIntoItsSquare) {
  struct Case {
    int width, height, frames, shown_width, shown_height;
  };
  const Case cases[] = {{64, 48, 9, 64, 48},       // nothing is enlarged
                        {1280, 720, 2, 640, 360},  //
                        {720, 1280, 1, 360, 640},
                        {640, 20, 1, 640, 20},
                        {8000, 4, 2, 640, 1}};
  for (const Case& c : cases) {
    const Picture made = Made(Fade(c.width, c.height, c.frames), Preview::kThumbnail);
    EXPECT_EQ(made.width, c.shown_width);
    EXPECT_EQ(made.height, c.shown_height);
  }
  EXPECT_NEAR(GreyAt(Made(Fade(64, 48, 9), Preview::kThumbnail), 30, 20), 127, 12);
  EXPECT_NEAR(GreyAt(Made(Fade(64, 48, 301), Preview::kThumbnail), 30, 20), 127, 12);
}

TEST(PreviewOfFilm, ASheetShowsTheFilmFromItsBeginningToItsEnd) {
  struct Case {
    int frames, columns, rows;
  };
  const Case cases[] = {{1, 1, 1},  {2, 2, 1},  {4, 2, 2},  {5, 3, 2},   {25, 5, 5},
                        {26, 5, 5}, {52, 5, 5}, {53, 5, 5}, {240, 5, 5}, {1000, 5, 5}};
  for (const Case& c : cases) {
    const Picture sheet = Made(Fade(32, 24, c.frames), Preview::kSpritesheet);
    EXPECT_EQ(sheet.width, 32 * c.columns) << c.frames;
    EXPECT_EQ(sheet.height, 24 * c.rows) << c.frames;
    const int tiles = std::min(c.frames, kSheetTilesMax);
    int before = -1;
    for (int i = 0; i < tiles; ++i) {
      const int grey = GreyAt(sheet, i % c.columns * 32 + 16, i / c.columns * 24 + 12);
      EXPECT_GT(grey, before - 3) << "tile " << i << " of " << c.frames << " frames";
      before = grey;
    }
    EXPECT_NEAR(GreyAt(sheet, 16, 12), 0, 12) << c.frames;
    // With a stride, the last frame that was kept is at most a fiftieth of the film before its end.
    if (c.frames > 1) {
      EXPECT_GT(before, 235) << c.frames;
    }
  }
}

TEST(PreviewOfFilm, ASheetOfALargeFilmIsBounded) {
  const Picture sheet = Made(Fade(640, 40, 30), Preview::kSpritesheet);
  EXPECT_EQ(sheet.width, 5 * kTileSide);
  EXPECT_EQ(sheet.height, 5 * 20);
}

TEST(PreviewOfFilm, TheSameFilmGivesTheSameBytes) {
  const std::string film = Fade(64, 48, 9);
  for (const Preview preview : {Preview::kThumbnail, Preview::kSpritesheet})
    EXPECT_EQ(*MakePreview(film, preview), *MakePreview(film, preview));
}

}  // namespace
}  // namespace ringway::engine
