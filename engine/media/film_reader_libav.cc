// MP4, WebM, GIF and APNG by libav (FFmpeg 5.1 on Debian 12), out of memory. Only built where CMake found it.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "engine/media/film_reader.h"
#include "engine/media/libav.h"

namespace ringway::engine {
namespace {

// What may be inside: the formats that the videos API passes on as films, with the codecs that browsers show.
constexpr char kContainers[] = "mov,mp4,matroska,webm,gif,apng";
constexpr char kCodecs[] = "h264,hevc,mpeg4,vp8,libvpx-vp9,vp9,libdav1d,av1,gif,apng";
constexpr int kReadBytes = 64 << 10;
// libav looks at so much to find out what it is; the index of a film of our own stands at its beginning.
constexpr std::int64_t kProbeBytesMax = 4 << 20;
// Packets that give no frame, one after the other: a film of damaged ones ends.
constexpr int kFruitlessMax = 1000;

absl::Status Damaged(int code, const char* what) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  Av().av_strerror(code, text, sizeof text);
  return absl::InvalidArgumentError(absl::StrCat("no film that is understood: ", what, ": ", text));
}

// Films may name other files and addresses; none is opened.
int OpensNothing(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EACCES);
}

// Everything that libav allocates, given back in one place.
class LibavFilm final : public FilmReader {
 public:
  explicit LibavFilm(std::string_view bytes) : bytes_(bytes) {}
  ~LibavFilm() override {
    Av().sws_freeContext(scaler_);
    Av().av_frame_free(&frame_);
    Av().av_packet_free(&packet_);
    Av().avcodec_free_context(&codec_);
    Av().avformat_close_input(&format_);
    if (io_ != nullptr) Av().av_freep(&io_->buffer);
    Av().avio_context_free(&io_);
  }
  LibavFilm(const LibavFilm&) = delete;
  LibavFilm& operator=(const LibavFilm&) = delete;

  absl::Status Open() {
    auto* buffer = static_cast<unsigned char*>(Av().av_malloc(kReadBytes));
    if (buffer != nullptr) io_ = Av().avio_alloc_context(buffer, kReadBytes, 0, this, &Read, nullptr, &Seek);
    format_ = Av().avformat_alloc_context();
    packet_ = Av().av_packet_alloc();
    frame_ = Av().av_frame_alloc();
    if (io_ == nullptr || format_ == nullptr || packet_ == nullptr || frame_ == nullptr)
      return absl::ResourceExhaustedError("no memory to read a film");
    format_->pb = io_;
    format_->io_open = &OpensNothing;
    format_->probesize = kProbeBytesMax;
    format_->max_streams = kStreamsMax;
    format_->format_whitelist = Av().av_strdup(kContainers);
    format_->codec_whitelist = Av().av_strdup(kCodecs);
    if (const int code = Av().avformat_open_input(&format_, nullptr, nullptr, nullptr); code < 0)
      return Damaged(code, "container");
    if (const int code = Av().avformat_find_stream_info(format_, nullptr); code < 0)
      return Damaged(code, "stream");
    return OpenDecoder();
  }

  absl::StatusOr<bool> Next() override {
    for (int fruitless = 0; frames_ < kFilmFramesMax && fruitless < kFruitlessMax; ++fruitless) {
      const int code = Av().avcodec_receive_frame(codec_, frame_);
      if (code >= 0) {
        if (absl::Status fits = CheckFilmSize(frame_->width, frame_->height); !fits.ok()) return fits;
        ++frames_;
        return true;
      }
      // Damaged frames are passed over; the decoder goes on with the next packet.
      if (code == AVERROR_EOF || !Feed()) break;
    }
    if (frames_ == 0) return absl::InvalidArgumentError("no film that is understood: it has no frame");
    return false;
  }
  int width() const override { return frame_->width; }
  int height() const override { return frame_->height; }

  absl::StatusOr<Picture> Shown(int width, int height) override {
    scaler_ = Av().sws_getCachedContext(scaler_, frame_->width, frame_->height,
                                        static_cast<AVPixelFormat>(frame_->format), width, height,
                                        AV_PIX_FMT_RGB24, SWS_AREA, nullptr, nullptr, nullptr);
    if (scaler_ == nullptr) return absl::InternalError("a frame cannot be converted to RGB");
    // libswscale writes whole vectors: rows of its own with room behind them.
    std::uint8_t* planes[4] = {};
    int pitch[4] = {};
    if (Av().av_image_alloc(planes, pitch, width, height, AV_PIX_FMT_RGB24, kRowAlignment) < 0)
      return absl::InternalError("no memory for a frame");
    Av().sws_scale(scaler_, frame_->data, frame_->linesize, 0, frame_->height, planes, pitch);
    Picture picture = Picture::Blank(width, height);
    Av().av_image_copy_plane(picture.rgb.data(), width * 3, planes[0], pitch[0], width * 3, height);
    Av().av_freep(&planes[0]);
    return picture;
  }

 private:
  static constexpr int kStreamsMax = 16;
  static constexpr int kRowAlignment = 64;

  absl::Status OpenDecoder() {
    const AVCodec* decoder = nullptr;
    stream_ = Av().av_find_best_stream(format_, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (stream_ < 0 || decoder == nullptr)
      return absl::InvalidArgumentError("no film that is understood: it has no picture that can be decoded");
    const AVCodecParameters& parameters = *format_->streams[stream_]->codecpar;
    if (parameters.width == 0 || parameters.height == 0)
      return absl::InvalidArgumentError("no film that is understood: its pictures have no size");
    if (absl::Status fits = CheckFilmSize(parameters.width, parameters.height); !fits.ok()) return fits;
    codec_ = Av().avcodec_alloc_context3(decoder);
    if (codec_ == nullptr) return absl::ResourceExhaustedError("no memory to read a film");
    if (const int code = Av().avcodec_parameters_to_context(codec_, &parameters); code < 0)
      return Damaged(code, "stream");
    codec_->thread_count = 1;
    codec_->max_pixels = kFilmPixelsMax;
    codec_->codec_whitelist = Av().av_strdup(kCodecs);
    if (const int code = Av().avcodec_open2(codec_, decoder, nullptr); code < 0)
      return Damaged(code, "decoder");
    return absl::OkStatus();
  }

  // The next packet of the film, or its end; false: the end was there already.
  bool Feed() {
    if (ended_) return false;
    for (;;) {
      if (Av().av_read_frame(format_, packet_) < 0) {
        ended_ = true;
        (void)Av().avcodec_send_packet(codec_, nullptr);
        return true;
      }
      const bool ours = packet_->stream_index == stream_;
      if (ours) (void)Av().avcodec_send_packet(codec_, packet_);
      Av().av_packet_unref(packet_);
      if (ours) return true;
    }
  }

  static int Read(void* opaque, std::uint8_t* to, int size) {
    auto& film = *static_cast<LibavFilm*>(opaque);
    const std::size_t count = std::min(static_cast<std::size_t>(size), film.bytes_.size() - film.at_);
    std::copy_n(film.bytes_.data() + film.at_, count, to);
    film.at_ += count;
    return count == 0 ? AVERROR_EOF : static_cast<int>(count);
  }
  static std::int64_t Seek(void* opaque, std::int64_t offset, int whence) {
    auto& film = *static_cast<LibavFilm*>(opaque);
    const auto size = static_cast<std::int64_t>(film.bytes_.size());
    if (whence == AVSEEK_SIZE) return size;
    if (whence == SEEK_CUR) offset += static_cast<std::int64_t>(film.at_);
    if (whence == SEEK_END) offset += size;
    if (offset < 0) return -1;
    // Behind the end is allowed, as in files: a film that is cut off names places there.
    offset = std::min(offset, size);
    film.at_ = static_cast<std::size_t>(offset);
    return offset;
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  AVIOContext* io_ = nullptr;
  AVFormatContext* format_ = nullptr;
  AVCodecContext* codec_ = nullptr;
  AVPacket* packet_ = nullptr;
  AVFrame* frame_ = nullptr;
  SwsContext* scaler_ = nullptr;
  int stream_ = -1;
  int frames_ = 0;
  bool ended_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FilmReader>> OpenLibavFilm(std::string_view bytes) {
  if (absl::Status status = LoadLibav(); !status.ok()) return status;
  Av().av_log_set_level(AV_LOG_QUIET);
  auto film = std::make_unique<LibavFilm>(bytes);
  if (absl::Status opened = film->Open(); !opened.ok()) return opened;
  return film;
}

}  // namespace ringway::engine
