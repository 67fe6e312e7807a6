// H.264 in MP4 by libav (FFmpeg 5.1 on Debian 12), into memory. Only built where CMake found it.
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/encode_frames.h"
#include "engine/media/libav.h"

namespace ringway::engine {
namespace {

constexpr int kTimeBase = 1000;  // a delay is whole milliseconds
// Boxes of fixed size and the codec's own header take less than 1 KiB.
constexpr std::size_t kIndexHeadBytes = 2048;
// 4 (stsz) + 8 (stts) + 8 (ctts) + 4 (stss) + 12 (stsc) + 8 (co64).
constexpr std::size_t kIndexFrameBytes = 44;

absl::Status Check(int code, const char* what) {
  if (code >= 0) return absl::OkStatus();
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  Av().av_strerror(code, text, sizeof text);
  return absl::InternalError(absl::StrCat("MP4: ", what, ": ", text));
}

// Everything that libav allocates, given back in one place.
class Mp4Writer {
 public:
  ~Mp4Writer() {
    if (format_ != nullptr && format_->pb != nullptr) {
      std::uint8_t* bytes = nullptr;
      Av().avio_close_dyn_buf(format_->pb, &bytes);
      Av().av_free(bytes);
    }
    Av().av_packet_free(&packet_);
    Av().av_frame_free(&source_);
    Av().av_frame_free(&frame_);
    Av().sws_freeContext(scaler_);
    Av().avcodec_free_context(&codec_);
    Av().avformat_free_context(format_);
  }

  absl::Status Open(const Picture& first, std::size_t frames) {
    const AVCodec* encoder = Av().avcodec_find_encoder_by_name("libx264");
    if (encoder == nullptr) encoder = Av().avcodec_find_encoder(AV_CODEC_ID_MPEG4);
    if (encoder == nullptr) return absl::UnimplementedError("MP4: libav has no encoder for it here");
    if (absl::Status s =
            Check(Av().avformat_alloc_output_context2(&format_, nullptr, "mp4", nullptr), "container");
        !s.ok())
      return s;
    codec_ = Av().avcodec_alloc_context3(encoder);
    stream_ = Av().avformat_new_stream(format_, nullptr);
    packet_ = Av().av_packet_alloc();
    source_ = Av().av_frame_alloc();
    frame_ = Av().av_frame_alloc();
    if (codec_ == nullptr || stream_ == nullptr || packet_ == nullptr || source_ == nullptr ||
        frame_ == nullptr)
      return absl::ResourceExhaustedError("MP4: no memory");
    Configure(first, *encoder);
    if (absl::Status s = Check(Av().avcodec_open2(codec_, encoder, nullptr), "encoder"); !s.ok()) return s;
    if (absl::Status s = Check(Av().avcodec_parameters_from_context(stream_->codecpar, codec_), "stream");
        !s.ok())
      return s;
    stream_->time_base = codec_->time_base;
    if (absl::Status s = Check(Av().avio_open_dyn_buf(&format_->pb), "memory"); !s.ok()) return s;
    // A player begins before it has all of a film only if the index stands before the frames. libav moves the
    // index there by reading the file again, which memory does not offer; room that is kept for it does.
    Av().av_opt_set_int(format_->priv_data, "moov_size", static_cast<std::int64_t>(IndexBytes(frames)), 0);
    if (absl::Status s = Check(Av().avformat_write_header(format_, nullptr), "header"); !s.ok()) return s;
    scaler_ = Av().sws_getContext(first.width, first.height, AV_PIX_FMT_RGB24, first.width, first.height,
                                  codec_->pix_fmt, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT,
                                  nullptr, nullptr, nullptr);
    if (scaler_ == nullptr) return absl::InternalError("MP4: no conversion from RGB");
    if (absl::Status s = Allocate(first, AV_PIX_FMT_RGB24, source_); !s.ok()) return s;
    return Allocate(first, codec_->pix_fmt, frame_);
  }

  absl::Status Add(const Picture& picture, std::int64_t at_ms) {
    if (absl::Status s = Check(Av().av_frame_make_writable(frame_), "frame"); !s.ok()) return s;
    const int row = picture.width * 3;
    Av().av_image_copy_plane(source_->data[0], source_->linesize[0], picture.rgb.data(), row, row,
                             picture.height);
    Av().sws_scale(scaler_, source_->data, source_->linesize, 0, picture.height, frame_->data,
                   frame_->linesize);
    frame_->pts = at_ms;
    if (absl::Status s = Check(Av().avcodec_send_frame(codec_, frame_), "encoding"); !s.ok()) return s;
    return Drain();
  }

  absl::StatusOr<std::string> Finish() {
    if (absl::Status s = Check(Av().avcodec_send_frame(codec_, nullptr), "encoding"); !s.ok()) return s;
    if (absl::Status s = Drain(); !s.ok()) return s;
    if (absl::Status s = Check(Av().av_write_trailer(format_), "index"); !s.ok()) return s;
    std::uint8_t* bytes = nullptr;
    const int size = Av().avio_close_dyn_buf(format_->pb, &bytes);
    format_->pb = nullptr;
    std::string file(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    Av().av_free(bytes);
    return file;
  }

  void set_delay_ms(int delay_ms) { delay_ms_ = delay_ms; }

 private:
  // At least what the index of so many frames takes: of each frame its size, place, time, offset of its time
  // and whether it is a key frame.
  static std::size_t IndexBytes(std::size_t frames) { return kIndexHeadBytes + frames * kIndexFrameBytes; }

  void Configure(const Picture& first, const AVCodec& encoder) {
    codec_->width = first.width;
    codec_->height = first.height;
    codec_->pix_fmt = AV_PIX_FMT_YUV420P;  // what every player shows
    codec_->time_base = {1, kTimeBase};
    codec_->framerate = {kTimeBase, delay_ms_};
    codec_->thread_count = 1;  // the same bytes everywhere
    codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    format_->flags |= AVFMT_FLAG_BITEXACT;
    if (std::string_view(encoder.name) == "libx264") {
      Av().av_opt_set(codec_->priv_data, "crf", "18", 0);
      Av().av_opt_set(codec_->priv_data, "preset", "fast", 0);
      // x264's macroblock tree (build 164, AVX-512) reads past its rows: what lies on the heap changes the
      // bytes.
      Av().av_opt_set(codec_->priv_data, "mbtree", "0", 0);
    } else {
      codec_->bit_rate = std::int64_t{8} * first.width * first.height;
    }
  }

  // Rows that are aligned and padded with zeros: libswscale and the encoder read vectors past a row's end,
  // and what they find there must neither be another's memory nor change the bytes.
  static absl::Status Allocate(const Picture& first, AVPixelFormat format, AVFrame* frame) {
    frame->format = format;
    frame->width = first.width;
    frame->height = first.height;
    if (absl::Status s = Check(Av().av_frame_get_buffer(frame, 0), "frame"); !s.ok()) return s;
    for (const AVBufferRef* plane : frame->buf)
      if (plane != nullptr) std::memset(plane->data, 0, plane->size);
    return absl::OkStatus();
  }

  absl::Status Drain() {
    for (;;) {
      const int code = Av().avcodec_receive_packet(codec_, packet_);
      if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return absl::OkStatus();
      if (absl::Status s = Check(code, "encoding"); !s.ok()) return s;
      if (packet_->duration == 0) packet_->duration = delay_ms_;
      Av().av_packet_rescale_ts(packet_, codec_->time_base, stream_->time_base);
      packet_->stream_index = stream_->index;
      if (absl::Status s = Check(Av().av_interleaved_write_frame(format_, packet_), "writing"); !s.ok())
        return s;
    }
  }

  int delay_ms_ = 42;
  AVFormatContext* format_ = nullptr;
  AVCodecContext* codec_ = nullptr;
  AVStream* stream_ = nullptr;  // the format's
  AVPacket* packet_ = nullptr;
  AVFrame* source_ = nullptr;  // RGB, as libswscale wants it
  AVFrame* frame_ = nullptr;
  SwsContext* scaler_ = nullptr;
};

}  // namespace

absl::StatusOr<std::string> EncodeMp4(const Animation& animation, const EncodeOptions& options) {
  if (absl::Status status = CheckAnimation(animation); !status.ok()) return status;
  const Picture& first = animation.frames[0];
  if (first.width % 2 != 0 || first.height % 2 != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("MP4 wants even sides, the frames are ", first.width, " x ", first.height));
  if (absl::Status status = LoadLibav(); !status.ok()) return status;
  Av().av_log_set_level(AV_LOG_QUIET);
  Mp4Writer writer;
  writer.set_delay_ms(animation.delay_ms);
  if (absl::Status status = writer.Open(first, animation.frames.size()); !status.ok()) return status;
  std::int64_t at_ms = 0;
  for (const Picture& frame : animation.frames) {
    if (absl::Status status = CheckGoesOn(options); !status.ok()) return status;
    if (absl::Status status = writer.Add(frame, at_ms); !status.ok()) return status;
    at_ms += animation.delay_ms;
  }
  return writer.Finish();
}

}  // namespace ringway::engine
