// libav (FFmpeg), loaded when a film is first written or read, and not before.
//
// Its libraries and the hundred that they need take the dynamic linker some 35 ms, as long as all the rest of
// a small command; most commands never see a film. So nothing links it: the functions that are used stand in
// a table that is filled from the libraries of the versions whose headers this was compiled with.
// ringway-preview alone links it as well (engine/CMakeLists.txt), so that it is there before that program
// gives up its rights, and so that packages depend on it. Only built where CMake found libav.
//
// Threads: any. Loaded once, and never let go.
#ifndef RINGWAY_ENGINE_MEDIA_LIBAV_H_
#define RINGWAY_ENGINE_MEDIA_LIBAV_H_

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include "absl/status/status.h"

// X(library, function)
#define RINGWAY_LIBAV_FUNCTIONS(X)           \
  X(kFormat, av_find_best_stream)            \
  X(kFormat, av_interleaved_write_frame)     \
  X(kFormat, av_read_frame)                  \
  X(kFormat, av_write_trailer)               \
  X(kFormat, avformat_alloc_context)         \
  X(kFormat, avformat_alloc_output_context2) \
  X(kFormat, avformat_close_input)           \
  X(kFormat, avformat_find_stream_info)      \
  X(kFormat, avformat_free_context)          \
  X(kFormat, avformat_new_stream)            \
  X(kFormat, avformat_open_input)            \
  X(kFormat, avformat_write_header)          \
  X(kFormat, avio_alloc_context)             \
  X(kFormat, avio_close_dyn_buf)             \
  X(kFormat, avio_context_free)              \
  X(kFormat, avio_open_dyn_buf)              \
  X(kCodec, av_packet_alloc)                 \
  X(kCodec, av_packet_free)                  \
  X(kCodec, av_packet_rescale_ts)            \
  X(kCodec, av_packet_unref)                 \
  X(kCodec, avcodec_alloc_context3)          \
  X(kCodec, avcodec_find_encoder)            \
  X(kCodec, avcodec_find_encoder_by_name)    \
  X(kCodec, avcodec_free_context)            \
  X(kCodec, avcodec_open2)                   \
  X(kCodec, avcodec_parameters_from_context) \
  X(kCodec, avcodec_parameters_to_context)   \
  X(kCodec, avcodec_receive_frame)           \
  X(kCodec, avcodec_receive_packet)          \
  X(kCodec, avcodec_send_frame)              \
  X(kCodec, avcodec_send_packet)             \
  X(kScale, sws_freeContext)                 \
  X(kScale, sws_getCachedContext)            \
  X(kScale, sws_getContext)                  \
  X(kScale, sws_scale)                       \
  X(kUtil, av_frame_alloc)                   \
  X(kUtil, av_frame_free)                    \
  X(kUtil, av_frame_get_buffer)              \
  X(kUtil, av_frame_make_writable)           \
  X(kUtil, av_free)                          \
  X(kUtil, av_freep)                         \
  X(kUtil, av_image_alloc)                   \
  X(kUtil, av_image_copy_plane)              \
  X(kUtil, av_log_set_level)                 \
  X(kUtil, av_malloc)                        \
  X(kUtil, av_opt_set)                       \
  X(kUtil, av_opt_set_int)                   \
  X(kUtil, av_strdup)                        \
  X(kUtil, av_strerror)

namespace ringway::engine {

struct Libav {
#define RINGWAY_LIBAV_MEMBER(library, function) decltype(&::function) function = nullptr;
  RINGWAY_LIBAV_FUNCTIONS(RINGWAY_LIBAV_MEMBER)
#undef RINGWAY_LIBAV_MEMBER
};

// Errors: Unimplemented, with the library or the function that is missing, every time.
absl::Status LoadLibav();

// After LoadLibav has succeeded.
const Libav& Av();

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_MEDIA_LIBAV_H_
