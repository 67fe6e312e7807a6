#include "engine/media/encode_frames.h"

#include <gif_lib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <webp/demux.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include "core/rng.h"
#include "engine/media/decode.h"
#include "engine/media/palette.h"
#include "tests/engine/sample_pictures.h"

namespace ringway::engine {
namespace {

struct Stream {
  std::string_view rest;
};

int ReadBytes(GifFileType* file, GifByteType* out, int count) {
  auto& stream = *static_cast<Stream*>(file->UserData);
  const std::size_t n = std::min<std::size_t>(static_cast<std::size_t>(count), stream.rest.size());
  std::memcpy(out, stream.rest.data(), n);
  stream.rest.remove_prefix(n);
  return static_cast<int>(n);
}

// Plays a GIF as a viewer does: each frame over the one before, transparent pixels left alone.
std::vector<Picture> PlayGif(const std::string& bytes) {
  Stream stream{bytes};
  int error = 0;
  GifFileType* gif = DGifOpen(&stream, ReadBytes, &error);
  RINGWAY_CHECK(gif != nullptr && DGifSlurp(gif) == GIF_OK);
  Picture canvas = Picture::Blank(gif->SWidth, gif->SHeight);
  std::vector<Picture> frames;
  for (int f = 0; f < gif->ImageCount; ++f) {
    const SavedImage& image = gif->SavedImages[f];
    GraphicsControlBlock control{};
    DGifSavedExtensionToGCB(gif, f, &control);
    const GifImageDesc& area = image.ImageDesc;
    for (int y = 0; y < area.Height; ++y) {
      for (int x = 0; x < area.Width; ++x) {
        const int index = image.RasterBits[y * area.Width + x];
        if (index == control.TransparentColor) continue;
        const GifColorType& color = gif->SColorMap->Colors[index];
        std::uint8_t* p = canvas.At(area.Left + x, area.Top + y);
        p[0] = color.Red, p[1] = color.Green, p[2] = color.Blue;
      }
    }
    frames.push_back(canvas);
  }
  DGifCloseFile(gif, &error);
  return frames;
}

TEST(Gif, PlaysAsTheFramesWere) {
  const Animation disc = MovingDisc(48, 40, 6);
  const auto file = EncodeAnimation(disc, AnimationFormat::kGif);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->substr(0, 6), "GIF89a");
  EXPECT_NE(file->find("NETSCAPE2.0"), std::string::npos);
  const std::vector<Picture> frames = PlayGif(*file);
  ASSERT_EQ(frames.size(), disc.frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f)
    EXPECT_LT(MeanDifference(frames[f], disc.frames[f]), 8.0) << f;
}

int LargestDifference(const Picture& a, const Picture& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) largest = std::max(largest, std::abs(a.rgb[i] - b.rgb[i]));
  return largest;
}

// A square that jumps to and fro over black: where it was must be black again.
TEST(Gif, LeavesNoTrail) {
  Animation film;
  for (const int left : {2, 12, 22, 2, 22, 12}) {
    Picture& frame = film.frames.emplace_back(Picture::Blank(32, 8));
    for (int y = 1; y < 7; ++y) std::fill_n(frame.At(left, y), 3 * 8, std::uint8_t{255});
  }
  const std::vector<Picture> played = PlayGif(EncodeGif(film).value());
  ASSERT_EQ(played.size(), film.frames.size());
  for (std::size_t f = 0; f < played.size(); ++f)
    EXPECT_EQ(LargestDifference(played[f], film.frames[f]), 0) << f;
}

TEST(Gif, WritesOnlyWhatChanged) {
  const auto still = EncodeGif(MovingDisc(96, 80, 1));
  const auto moving = EncodeGif(MovingDisc(96, 80, 11));
  EXPECT_LT(moving->size(), still->size() + 10 * 400);
}

TEST(Palette, KeepsFewColorsExactly) {
  Picture picture = Picture::Blank(4, 1);
  const std::uint8_t colors[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {16, 16, 16}};
  for (int x = 0; x < 4; ++x) std::memcpy(picture.At(x, 0), colors[x], 3);
  const Palette palette({&picture, 1}, 255);
  EXPECT_EQ(palette.colors().size(), 4u);
  for (const auto& c : colors) {
    const Palette::Color& found = palette.colors()[palette.Nearest(c[0], c[1], c[2])];
    EXPECT_EQ(std::memcmp(found.data(), c, 3), 0);
  }
}

std::uint32_t BigEndian(std::string_view s) {
  std::uint32_t n = 0;
  for (int i = 0; i < 4; ++i) n = n << 8 | static_cast<std::uint8_t>(s[static_cast<std::size_t>(i)]);
  return n;
}

struct Chunk {
  std::string kind;
  std::string content;
};

// Splits a PNG into its chunks and checks every checksum.
std::vector<Chunk> ChunksOf(std::string_view png) {
  std::vector<Chunk> chunks;
  png.remove_prefix(8);
  while (!png.empty()) {
    const std::size_t size = BigEndian(png);
    chunks.push_back({std::string(png.substr(4, 4)), std::string(png.substr(8, size))});
    const auto* checked = reinterpret_cast<const Bytef*>(png.data() + 4);
    EXPECT_EQ(BigEndian(png.substr(8 + size)), crc32(0, checked, static_cast<uInt>(size + 4)));
    png.remove_prefix(12 + size);
  }
  return chunks;
}

// The frame whose compressed pixels are `pixels`, by putting them into an ordinary PNG.
Picture FrameOf(const Picture& like, const std::string& pixels) {
  std::string png = PngFile(like);
  const std::size_t data = png.find("IDAT") - 4;
  std::string out = png.substr(0, data);
  const auto number = [&out](std::uint32_t n) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift);
  };
  number(static_cast<std::uint32_t>(pixels.size()));
  const std::string body = "IDAT" + pixels;
  out += body;
  number(static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
  out += png.substr(png.find("IEND") - 4);
  return DecodePng(out).value();
}

TEST(Apng, HoldsEveryFrameExactly) {
  Animation disc = MovingDisc(33, 29, 4);
  disc.delay_ms = 40;
  const auto file = EncodeAnimation(disc, AnimationFormat::kApng);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(DecodePng(*file).value(), disc.frames[0]);  // a viewer without APNG shows the first frame
  std::vector<Picture> frames;
  std::uint32_t sequence = 0;
  for (const Chunk& chunk : ChunksOf(*file)) {
    if (chunk.kind == "acTL") {
      EXPECT_EQ(BigEndian(chunk.content), 4u);
    }
    if (chunk.kind == "fcTL" || chunk.kind == "fdAT") {
      EXPECT_EQ(BigEndian(chunk.content), sequence++);
    }
    if (chunk.kind == "IDAT") frames.push_back(FrameOf(disc.frames[0], chunk.content));
    if (chunk.kind == "fdAT") frames.push_back(FrameOf(disc.frames[0], chunk.content.substr(4)));
  }
  EXPECT_EQ(frames, disc.frames);
}

// Bands of rows for which one filter after the other is the best: sparse dots, rows that each run on by
// themselves, columns that do, means of both, and steps that go down a diagonal.
Picture EveryFilter() {
  constexpr int kBand = 24;
  Picture picture = Picture::Blank(48, 5 * kBand);
  Rng rng(11);
  const auto byte = [&](double share) { return static_cast<int>(rng.Uniform() * share); };
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const int left = x > 0 ? picture.At(x - 1, y)[c] : byte(256),
                  up = y > 0 ? picture.At(x, y - 1)[c] : 0;
        const bool first = y % kBand == 0;
        const int value[] = {byte(2), left + byte(3), first ? byte(256) : up + byte(3),
                             (left + (first ? byte(256) : up)) / 2 + byte(3), (x + y) / 5 * 37};
        picture.At(x, y)[c] = static_cast<std::uint8_t>(value[y / kBand]);
      }
    }
  }
  return picture;
}

TEST(Apng, UsesEveryFilterAndLosesNothing) {
  const Animation still{.frames = {EveryFilter()}};
  const std::string file = EncodeApng(still).value();
  EXPECT_EQ(DecodePng(file).value(), still.frames[0]);
  std::string rows(still.frames[0].rgb.size() + 120, '\0');
  std::set<int> used;
  for (const Chunk& chunk : ChunksOf(file)) {
    if (chunk.kind != "IDAT") continue;
    uLongf size = rows.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                         reinterpret_cast<const Bytef*>(chunk.content.data()), chunk.content.size()),
              Z_OK);
    for (std::size_t at = 0; at < size; at += 48 * 3 + 1) used.insert(rows[at]);
  }
  EXPECT_THAT(used, testing::ElementsAre(0, 1, 2, 3, 4));
}

std::vector<Picture> PlayWebp(const std::string& bytes, int& last_ms) {
  WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
  WebPAnimInfo info;
  RINGWAY_CHECK(decoder != nullptr && WebPAnimDecoderGetInfo(decoder, &info) != 0);
  std::vector<Picture> frames;
  std::uint8_t* rgba = nullptr;
  while (WebPAnimDecoderGetNext(decoder, &rgba, &last_ms) != 0) {
    Picture& frame = frames.emplace_back(
        Picture::Blank(static_cast<int>(info.canvas_width), static_cast<int>(info.canvas_height)));
    for (std::size_t i = 0; i < frame.rgb.size() / 3; ++i) std::memcpy(&frame.rgb[i * 3], rgba + i * 4, 3);
  }
  WebPAnimDecoderDelete(decoder);
  return frames;
}

TEST(Webp, LosslessIsExactAndLossyIsClose) {
  const Animation disc = MovingDisc(40, 32, 5);
  int end_ms = 0;
  EXPECT_EQ(PlayWebp(EncodeWebp(disc, std::nullopt).value(), end_ms), disc.frames);
  EXPECT_EQ(end_ms, 5 * disc.delay_ms);
  const std::vector<Picture> lossy = PlayWebp(EncodeAnimation(disc, AnimationFormat::kWebp).value(), end_ms);
  ASSERT_EQ(lossy.size(), 5u);
  EXPECT_LT(MeanDifference(lossy[4], disc.frames[4]), 8.0);
}

// A glow that drifts a little in each frame: no part of the film may stay behind.
Animation DriftingGlow(int side, int frames) {
  Animation film;
  for (int f = 0; f < frames; ++f) {
    Picture& picture = film.frames.emplace_back(Picture::Blank(side, side));
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const double dx = x - 0.3 * side - f, dy = y - 0.5 * side;
        const double glow = std::exp(-(dx * dx + dy * dy) / (0.1 * side * side));
        std::uint8_t* pixel = picture.At(x, y);
        pixel[0] = static_cast<std::uint8_t>(100 + 140 * glow);
        pixel[1] = static_cast<std::uint8_t>(140 + 100 * glow);
        pixel[2] = 200;
      }
    }
  }
  return film;
}

TEST(Webp, NothingOfEarlierFramesIsLeftBehind) {
  const Animation glow = DriftingGlow(128, 24);
  int end_ms = 0;
  const std::vector<Picture> played = PlayWebp(EncodeAnimation(glow, AnimationFormat::kWebp).value(), end_ms);
  ASSERT_EQ(played.size(), glow.frames.size());
  const int first = LargestDifference(played.front(), glow.frames.front());
  EXPECT_LE(LargestDifference(played.back(), glow.frames.back()), first + 4);
}

std::vector<AnimationFormat> AllFormats() {
  std::vector<AnimationFormat> formats = {AnimationFormat::kGif, AnimationFormat::kApng,
                                          AnimationFormat::kWebp};
  if (AnimationFormatOf("mp4")) formats.push_back(AnimationFormat::kMp4);
  return formats;
}

TEST(Encode, GivesTheSameBytesForAnyNumberOfThreads) {
  const Animation disc = MovingDisc(40, 32, 7);
  for (const auto format : AllFormats()) {
    const std::string alone = EncodeAnimation(disc, format).value();
    for (const int threads : {1, 2, 5, 40})
      EXPECT_TRUE(EncodeAnimation(disc, format, {.threads = threads}).value() == alone)
          << static_cast<int>(format) << " with " << threads;
  }
}

TEST(Encode, EndsWhenItIsStopped) {
  std::stop_source stop;
  stop.request_stop();
  const EncodeOptions stopped{.threads = 2, .stop = stop.get_token()};
  const Animation disc = MovingDisc(40, 32, 3);
  for (const auto format : AllFormats())
    EXPECT_EQ(EncodeAnimation(disc, format, stopped).status().code(), absl::StatusCode::kCancelled)
        << static_cast<int>(format);
  EXPECT_EQ(EncodeWebp(disc, std::nullopt, stopped).status().code(), absl::StatusCode::kCancelled);
}

TEST(EncodeFrames, BeginsNoFrameAfterItIsStopped) {
  std::stop_source stop;
  std::vector<std::size_t> begun;
  const auto pieces =
      EncodeFrames(100, {.stop = stop.get_token()}, [&](std::size_t frame) -> absl::StatusOr<std::string> {
        begun.push_back(frame);
        if (frame == 2) stop.request_stop();
        return std::string("piece");
      });
  EXPECT_EQ(pieces.status().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(begun, testing::ElementsAre(0, 1, 2));
}

TEST(EncodeFrames, KeepsTheOrderAndTellsTheFirstError) {
  const auto numbered = [](std::size_t frame) -> absl::StatusOr<std::string> {
    return std::to_string(frame);
  };
  EXPECT_THAT(EncodeFrames(4, {.threads = 3}, numbered).value(), testing::ElementsAre("0", "1", "2", "3"));
  const auto torn = [](std::size_t frame) -> absl::StatusOr<std::string> {
    if (frame % 2 == 1) return absl::DataLossError(std::to_string(frame));
    return std::string();
  };
  EXPECT_EQ(EncodeFrames(6, {.threads = 3}, torn).status(), absl::DataLossError("1"));
}

TEST(Encode, RefusesWhatIsNoAnimation) {
  EXPECT_FALSE(EncodeAnimation({}, AnimationFormat::kGif).ok());
  Animation uneven = MovingDisc(40, 32, 2);
  uneven.frames[1] = Ramp(41, 32);
  EXPECT_THAT(std::string(EncodeAnimation(uneven, AnimationFormat::kApng).status().message()),
              testing::HasSubstr("different sizes"));
  Animation slow = MovingDisc(40, 32, 2);
  slow.delay_ms = 0;
  EXPECT_FALSE(EncodeAnimation(slow, AnimationFormat::kWebp).ok());
  EXPECT_EQ(AnimationFormatOf("bmp"), std::nullopt);
  EXPECT_EQ(AnimationFormatOf("png"), AnimationFormat::kApng);
}

TEST(EncodePng, KeepsEveryPixelAndWhatIsSaidBesideThem) {
  const Picture picture = MovingDisc(37, 23, 1).frames[0];
  const auto file = EncodePng(picture, {{"prompt", "a caf\xc3\xa9"}, {"seed", "7"}});
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(DecodePng(*file).value(), picture);
  const auto chunks = ChunksOf(*file);
  ASSERT_EQ(chunks.size(), 5u);
  const char* kinds[] = {"IHDR", "iTXt", "iTXt", "IDAT", "IEND"};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(chunks[i].kind, kinds[i]);
  EXPECT_EQ(chunks[1].content, "prompt" + std::string(5, '\0') + "a caf\xc3\xa9");
  EXPECT_EQ(chunks[2].content, "seed" + std::string(5, '\0') + "7");
  EXPECT_FALSE(EncodePng(picture, {{"", "nothing"}}).ok());
  EXPECT_FALSE(EncodePng(picture, {{std::string(80, 'k'), "long"}}).ok());
  EXPECT_FALSE(EncodePng(picture, {{"zero", std::string(1, '\0')}}).ok());
  EXPECT_FALSE(EncodePng(Picture()).ok());
}

}  // namespace
}  // namespace ringway::engine
