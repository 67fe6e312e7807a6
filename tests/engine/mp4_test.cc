// An MP4 is read back by libav: frames, size, times, pixel format, and colours near to what was written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/media/encode.h"
#include "tests/engine/sample_pictures.h"

#ifndef RINGWAY_HAS_LIBAV

TEST(Mp4, IsNotBuiltIn) { GTEST_SKIP() << "no libavformat-dev, libavcodec-dev and libswscale-dev here"; }

#else

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>
}

namespace ringway::engine {
namespace {

struct Bytes {
  const std::string* file;
  std::size_t at = 0;
};
int Read(void* opaque, std::uint8_t* to, int size) {
  auto& bytes = *static_cast<Bytes*>(opaque);
  const std::size_t n = std::min(static_cast<std::size_t>(size), bytes.file->size() - bytes.at);
  std::copy_n(bytes.file->begin() + static_cast<std::ptrdiff_t>(bytes.at), n, to);
  bytes.at += n;
  return n == 0 ? AVERROR_EOF : static_cast<int>(n);
}
std::int64_t Seek(void* opaque, std::int64_t offset, int whence) {
  auto& bytes = *static_cast<Bytes*>(opaque);
  if (whence == AVSEEK_SIZE) return static_cast<std::int64_t>(bytes.file->size());
  if (whence != SEEK_SET) return -1;
  bytes.at = static_cast<std::size_t>(offset);
  return offset;
}

struct Film {
  std::string container;
  AVPixelFormat pixels = AV_PIX_FMT_NONE;
  double seconds = 0, frames_per_second = 0;
  std::vector<double> times_s;
  std::vector<Picture> frames;
};

Picture ToPicture(const AVFrame& frame) {
  Picture picture = Picture::Blank(frame.width, frame.height);
  SwsContext* scaler = sws_getContext(
      frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width, frame.height,
      AV_PIX_FMT_RGB24, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr);
  std::uint8_t* rows[] = {picture.rgb.data()};
  const int pitch[] = {frame.width * 3};
  sws_scale(scaler, frame.data, frame.linesize, 0, frame.height, rows, pitch);
  sws_freeContext(scaler);
  return picture;
}

// Takes every frame that the decoder has.
void Drain(AVCodecContext* decoder, AVRational unit, Film& film) {
  AVFrame* frame = av_frame_alloc();
  while (avcodec_receive_frame(decoder, frame) >= 0) {
    film.pixels = static_cast<AVPixelFormat>(frame->format);
    film.times_s.push_back(static_cast<double>(frame->pts) * av_q2d(unit));
    film.frames.push_back(ToPicture(*frame));
  }
  av_frame_free(&frame);
}

Film Decoded(const std::string& file) {
  Film film;
  Bytes bytes{&file};
  AVFormatContext* format = avformat_alloc_context();
  format->pb =
      avio_alloc_context(static_cast<std::uint8_t*>(av_malloc(4096)), 4096, 0, &bytes, Read, nullptr, Seek);
  AVIOContext* input = format->pb;
  RINGWAY_CHECK(avformat_open_input(&format, nullptr, nullptr, nullptr) >= 0);
  RINGWAY_CHECK(avformat_find_stream_info(format, nullptr) >= 0 && format->nb_streams == 1);
  const AVStream& stream = *format->streams[0];
  film.container = format->iformat->name;
  film.seconds = static_cast<double>(format->duration) / AV_TIME_BASE;
  film.frames_per_second = av_q2d(stream.avg_frame_rate);
  const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
  AVCodecContext* decoder = avcodec_alloc_context3(codec);
  RINGWAY_CHECK(avcodec_parameters_to_context(decoder, stream.codecpar) >= 0);
  RINGWAY_CHECK(avcodec_open2(decoder, codec, nullptr) >= 0);
  AVPacket* packet = av_packet_alloc();
  for (; av_read_frame(format, packet) >= 0; av_packet_unref(packet))
    if (avcodec_send_packet(decoder, packet) >= 0) Drain(decoder, stream.time_base, film);
  avcodec_send_packet(decoder, nullptr);
  Drain(decoder, stream.time_base, film);
  av_packet_free(&packet);
  avcodec_free_context(&decoder);
  avformat_close_input(&format);
  av_freep(&input->buffer);
  avio_context_free(&input);
  return film;
}

struct Case {
  int width, height, frames, delay_ms;
};

TEST(Mp4, IsReadBackAsItWasWritten) {
  for (const Case& c : {Case{96, 64, 30, 42}, {64, 48, 12, 100}, {130, 70, 5, 33}, {16, 16, 1, 40}}) {
    SCOPED_TRACE(testing::Message() << c.width << " x " << c.height << ", " << c.frames << " frames");
    Animation animation = MovingDisc(c.width, c.height, c.frames);
    animation.delay_ms = c.delay_ms;
    const auto file = EncodeAnimation(animation, AnimationFormat::kMp4);
    ASSERT_TRUE(file.ok()) << file.status();
    const Film film = Decoded(*file);
    EXPECT_THAT(film.container, testing::HasSubstr("mp4"));
    EXPECT_EQ(film.pixels, AV_PIX_FMT_YUV420P);
    EXPECT_NEAR(film.seconds, c.frames * c.delay_ms * 1e-3, 2e-3);
    EXPECT_NEAR(film.frames_per_second, 1000.0 / c.delay_ms, 0.02 * 1000.0 / c.delay_ms);
    ASSERT_EQ(film.frames.size(), static_cast<std::size_t>(c.frames));
    for (std::size_t f = 0; f < film.frames.size(); ++f) {
      EXPECT_NEAR(film.times_s[f], static_cast<double>(f) * c.delay_ms * 1e-3, 2e-3);
      ASSERT_EQ(film.frames[f].width, c.width);
      ASSERT_EQ(film.frames[f].height, c.height);
      // Nearer to its own frame than to its neighbour: none was dropped, doubled or moved.
      const double own = MeanDifference(film.frames[f], animation.frames[f]);
      EXPECT_LT(own, 9) << "frame " << f;
      if (f > 0) {
        EXPECT_LT(own, MeanDifference(film.frames[f], animation.frames[f - 1])) << "frame " << f;
      }
    }
  }
}

// Leaves blocks of many sizes behind, filled with noise, for the next allocations to find.
void DirtyTheHeap(std::mt19937& draws) {
  std::vector<std::vector<std::uint32_t> > blocks(50);
  for (auto& block : blocks) {
    block.resize(draws() % 50'000 + 1);
    for (std::uint32_t& word : block) word = static_cast<std::uint32_t>(draws());
  }
}

TEST(Mp4, GivesTheSameBytesWhateverLiesOnTheHeap) {
  const Animation animation = MovingDisc(64, 48, 9);
  const std::string first = EncodeMp4(animation).value();
  std::mt19937 draws(1);
  for (int i = 0; i < 20; ++i) {
    DirtyTheHeap(draws);
    ASSERT_TRUE(EncodeMp4(animation).value() == first)
        << "encoding " << i + 1;  // not EQ: it would print both
  }
}

// The boxes of the outermost level, in order, as ISO/IEC 14496-12 lays them out; a box that lies about its
// size ends the list with "broken".
std::vector<std::string> TopBoxes(const std::string& file) {
  std::vector<std::string> boxes;
  for (std::size_t at = 0; at < file.size();) {
    std::uint64_t size = 0;
    if (file.size() - at < 8) return boxes.push_back("broken"), boxes;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(file[at + i]);
    if (size < 8 || size > file.size() - at) return boxes.push_back("broken"), boxes;
    boxes.push_back(file.substr(at + 4, 4));
    at += size;
  }
  return boxes;
}

// From one frame to the most that are taken: the room that is kept for the index is never too small.
TEST(Mp4, TheIndexStandsBeforeTheFrames) {
  for (const int frames : {1, 2, 30, static_cast<int>(kAnimationFramesMax)}) {
    const auto file = EncodeMp4(MovingDisc(16, 16, frames));
    ASSERT_TRUE(file.ok()) << frames << " frames: " << file.status();
    const std::vector<std::string> boxes = TopBoxes(*file);
    const auto index = std::find(boxes.begin(), boxes.end(), "moov");
    const auto samples = std::find(boxes.begin(), boxes.end(), "mdat");
    ASSERT_TRUE(index != boxes.end() && samples != boxes.end()) << frames;
    EXPECT_LT(index - boxes.begin(), samples - boxes.begin()) << frames;
    EXPECT_THAT(boxes, testing::Not(testing::Contains("broken"))) << frames;
    EXPECT_EQ(boxes.front(), "ftyp");
  }
}

TEST(Mp4, RefusesOddSides) {
  for (const auto& [width, height] : {std::pair{63, 48}, {64, 47}, {1, 1}}) {
    const auto file = EncodeMp4(MovingDisc(width, height, 2));
    ASSERT_FALSE(file.ok());
    EXPECT_THAT(std::string(file.status().message()), testing::HasSubstr("even sides"));
  }
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_HAS_LIBAV
