#include "engine/media/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/media/exif.h"
#include "tests/engine/fuzz/targets.h"
#include "tests/engine/mutation.h"
#include "tests/engine/sample_pictures.h"

namespace ringway::engine {
namespace {

using testing::HasSubstr;

TEST(Decode, PngAndWebpAreExact) {
  const Picture ramp = Ramp(37, 23);
  for (const std::string& file : {PngFile(ramp), WebpFile(ramp)}) {
    const auto picture = DecodePicture(file);
    ASSERT_TRUE(picture.ok()) << picture.status();
    EXPECT_EQ(*picture, ramp);
  }
}

TEST(Decode, SixteenBitsAreTheSamePictureAsEight) {
  const Picture ramp = Ramp(37, 23);
  const auto picture = DecodePicture(Png16File(ramp));
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_LE(MeanDifference(*picture, ramp), 0.5);
}

TEST(Decode, JpegIsClose) {
  const Picture ramp = Ramp(64, 48);
  for (const bool progressive : {false, true}) {
    const auto picture = DecodePicture(JpegFile(ramp, 95, "", progressive));
    ASSERT_TRUE(picture.ok()) << picture.status();
    EXPECT_LT(MeanDifference(*picture, ramp), 3.0);
  }
}

// The stored picture of each orientation, as a camera writes it: turning it upright must give the same scene.
TEST(Decode, JpegIsTurnedUpright) {
  const Picture scene = Ramp(48, 32);
  const int undo[9] = {0, 1, 2, 3, 4, 5, 8, 7, 6};  // storing with the inverse of the orientation
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Picture stored = TurnUpright(scene, undo[orientation]);
    for (const bool big_endian : {false, true}) {
      const auto picture = DecodeJpeg(JpegFile(stored, 95, ExifSegment(orientation, big_endian)));
      ASSERT_TRUE(picture.ok()) << picture.status();
      ASSERT_EQ(picture->width, 48) << orientation;
      EXPECT_LT(MeanDifference(*picture, scene), 3.0) << orientation;
    }
  }
}

TEST(Exif, OrientationSixTurnsRight) {
  // A camera held so that the right of the scene is at the bottom of the sensor: first stored pixel is the
  // top right.
  Picture stored = Picture::Blank(3, 2);
  stored.At(0, 0)[0] = 200;
  const Picture upright = TurnUpright(stored, 6);
  EXPECT_EQ(upright.width, 2);
  EXPECT_EQ(upright.height, 3);
  EXPECT_EQ(upright.At(1, 0)[0], 200);
}

TEST(Exif, OddNotesMeanUpright) {
  EXPECT_EQ(ExifOrientation(ExifSegment(6, true)), 6);
  EXPECT_EQ(ExifOrientation(ExifSegment(9, true)), 1);
  EXPECT_EQ(ExifOrientation(ExifSegment(6, true).substr(0, 20)), 1);
  EXPECT_EQ(ExifOrientation(""), 1);
  std::string far = ExifSegment(6, false);
  far[6 + 4] = far[6 + 5] = far[6 + 6] = far[6 + 7] = '\xff';  // a directory beyond the end
  EXPECT_EQ(ExifOrientation(far), 1);
}

TEST(Decode, RefusesWhatIsTruncated) {
  const Picture ramp = Ramp(64, 48);
  for (const std::string& file : {PngFile(ramp), JpegFile(ramp, 90), WebpFile(ramp)}) {
    const auto picture = DecodePicture(file.substr(0, file.size() * 2 / 3));
    ASSERT_FALSE(picture.ok());
    EXPECT_THAT(std::string(picture.status().message()), HasSubstr("damaged"));
  }
}

TEST(Decode, RefusesWhatIsTooLargeBeforeAllocatingIt) {
  std::string jpeg = JpegFile(Ramp(16, 16), 90);
  const std::size_t frame_header = jpeg.find("\xff\xc0");
  ASSERT_NE(frame_header, std::string::npos);
  for (std::size_t i = 5; i < 9; ++i) jpeg[frame_header + i] = '\xfe';  // 65278 x 65278
  EXPECT_THAT(std::string(DecodePicture(jpeg).status().message()),
              HasSubstr("JPEG picture of 65278 x 65278"));
  EXPECT_THAT(std::string(DecodePicture("GIF89a").status().message()), HasSubstr("PNG, JPEG and WebP are"));
  EXPECT_FALSE(CheckPictureSize(30'000, 30'000, "PNG").ok());
  EXPECT_TRUE(CheckPictureSize(8'000, 8'000, "PNG").ok());
}

using Target = bool (*)(std::string_view);
void ExpectSurvival(Target target, const std::string& valid, int refused_min) {
  ASSERT_TRUE(target(valid));
  int refused = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) refused += target(Mutated(valid, i)) ? 0 : 1;
  EXPECT_GE(refused, refused_min);
}

TEST(Decode, SurvivesDamagedFiles) {
  const Picture ramp = Ramp(24, 20);
  ExpectSurvival(FuzzPng, PngFile(ramp), 500);
  ExpectSurvival(FuzzJpeg, JpegFile(ramp, 80, ExifSegment(6, true)), 100);
  ExpectSurvival(FuzzJpeg, JpegFile(ramp, 80, "", true), 100);
  ExpectSurvival(FuzzWebp, WebpFile(ramp), 100);
  ExpectSurvival(FuzzExif, ExifSegment(6, false), 100);
}

}  // namespace
}  // namespace ringway::engine
