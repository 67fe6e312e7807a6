// Films are read frame by frame, in every format that the encoders write; what is no film, or lies, is
// refused.
#include "engine/media/film_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/media/encode.h"
#include "tests/engine/fuzz/targets.h"
#include "tests/engine/mutation.h"
#include "tests/engine/sample_pictures.h"

namespace ringway::engine {
namespace {

using ::testing::HasSubstr;

std::string FilmFile(const Animation& animation, AnimationFormat format) {
  auto file = EncodeAnimation(animation, format);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : "";
}

const bool kReadsAll = AnimationFormatOf("mp4").has_value();  // libav is there

std::vector<std::pair<const char*, AnimationFormat>> Formats() {
  std::vector<std::pair<const char*, AnimationFormat>> formats = {{"webp", AnimationFormat::kWebp}};
  if (!kReadsAll) return formats;
  formats.push_back({"mp4", AnimationFormat::kMp4});
  formats.push_back({"gif", AnimationFormat::kGif});
  formats.push_back({"apng", AnimationFormat::kApng});
  return formats;
}

std::vector<Picture> FramesOf(const std::string& file) {
  std::vector<Picture> frames;
  auto film = OpenFilm(file);
  EXPECT_TRUE(film.ok()) << film.status();
  if (!film.ok()) return frames;
  for (auto more = (*film)->Next();; more = (*film)->Next()) {
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    auto frame = (*film)->Shown((*film)->width(), (*film)->height());
    EXPECT_TRUE(frame.ok()) << frame.status();
    if (frame.ok()) frames.push_back(*std::move(frame));
  }
  return frames;
}

// What became of a film: frames that it gave, or why it gave none.
std::string Verdict(const std::string& file) {
  auto film = OpenFilm(file);
  if (!film.ok()) return std::string(film.status().message());
  const auto first = (*film)->Next();
  return first.ok() ? "it has a frame" : std::string(first.status().message());
}

TEST(FilmReader, EveryFormatGivesAllFramesAsTheyWereWritten) {
  const Animation animation = MovingDisc(64, 48, 9);
  for (const auto& [name, format] : Formats()) {
    const auto frames = FramesOf(FilmFile(animation, format));
    ASSERT_EQ(frames.size(), 9u) << name;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].width, 64) << name;
      EXPECT_EQ(frames[i].height, 48) << name;
      EXPECT_LT(MeanDifference(frames[i], animation.frames[i]), 16) << name << " frame " << i;
    }
  }
}

TEST(FilmReader, AStillPictureIsAFilmOfOneFrame) {
  const Picture picture = Ramp(40, 30);
  for (const std::string& file : {PngFile(picture), JpegFile(picture, 90), WebpFile(picture)}) {
    const auto frames = FramesOf(file);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_LT(MeanDifference(frames[0], picture), 12);
  }
}

TEST(FilmReader, AFrameIsShownInTheSizeThatIsAskedFor) {
  for (const auto& [name, format] : Formats()) {
    const std::string file = FilmFile(MovingDisc(64, 48, 3), format);
    auto film = OpenFilm(file);
    ASSERT_TRUE(film.ok()) << film.status();
    ASSERT_TRUE(*(*film)->Next());
    const auto small = (*film)->Shown(21, 16);
    ASSERT_TRUE(small.ok()) << small.status();
    EXPECT_EQ(small->width, 21) << name;
    EXPECT_EQ(small->rgb.size(), 21u * 16 * 3) << name;
  }
}

TEST(FilmReader, AFilmThatBreaksOffHasTheFramesBefore) {
  for (const auto& [name, format] : Formats()) {
    if (format != AnimationFormat::kMp4 && format != AnimationFormat::kApng) continue;
    std::string file = FilmFile(MovingDisc(160, 120, 40), format);
    file.resize(file.size() * 3 / 4);
    const auto frames = FramesOf(file);
    EXPECT_GT(frames.size(), 4u) << name;
    EXPECT_LT(frames.size(), 40u) << name;
  }
}

TEST(FilmReader, WhatIsNoFilmIsRefusedInWords) {
  std::string gif_screen = "GIF89a";
  gif_screen.append("\xff\xff\xff\xff\0\0\0", 7);
  std::string png = PngFile(Ramp(40, 30));
  png.replace(16, 8, std::string("\0\0\x40\0\0\0\x40\0", 8));  // 16384 squared
  const std::pair<std::string, const char*> wrong[] = {
      {"", "no film that is understood"},
      {std::string(300'000, 'f'), "no film that is understood"},
      {"<html><script>alert(1)</script></html>", "no film that is understood"},
      {"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n", "no film that is understood"},
      {std::string("\0\0\0\x18"
                   "ftypisom\0\0\2\0isommp42",
                   24),
       "no film that is understood"},
      {gif_screen, "no film that is understood"},
      {WebpFile(Ramp(40, 30)).substr(0, 25), "WebP film is damaged"},
      {png, "PNG"},
      {JpegFile(Ramp(40, 30), 90).substr(0, 100), "JPEG picture is damaged"}};
  for (const auto& [file, says] : wrong) {
    if (!kReadsAll && std::string_view(says).starts_with("no film")) continue;
    EXPECT_THAT(Verdict(file), HasSubstr(says)) << file.size() << " bytes: " << file.substr(0, 12);
  }
}

TEST(FilmReader, AFilmThatIsTooLargeIsRefusedBeforeItIsDecoded) {
  EXPECT_TRUE(CheckFilmSize(7680, 4320).ok());
  EXPECT_FALSE(CheckFilmSize(0, 100).ok());
  EXPECT_FALSE(CheckFilmSize(8193, 16).ok());
  EXPECT_FALSE(CheckFilmSize(8192, 8192).ok());
  EXPECT_THAT(Verdict(PngFile(Ramp(8200, 2))), HasSubstr("film of 8200 x 2 pixels"));
  EXPECT_THAT(Verdict(WebpFile(Ramp(8200, 2))), HasSubstr("film of 8200 x 2 pixels"));
  if (kReadsAll) {
    EXPECT_THAT(Verdict(FilmFile(MovingDisc(8200, 2, 2), AnimationFormat::kGif)),
                HasSubstr("film of 8200 x 2 pixels"));
  }
}

TEST(FilmReader, SurvivesDamagedFilms) {
  constexpr int kCopies = 150;
  for (const auto& [name, format] : Formats()) {
    const std::string whole = FilmFile(MovingDisc(32, 24, 4), format);
    ASSERT_TRUE(FuzzFilm(whole)) << name;
    int accepted = 0;
    for (std::uint64_t copy = 0; copy < kCopies; ++copy) accepted += FuzzFilm(Mutated(whole, copy)) ? 1 : 0;
    EXPECT_LT(accepted, kCopies) << name;  // some are beyond help
  }
}

}  // namespace
}  // namespace ringway::engine
