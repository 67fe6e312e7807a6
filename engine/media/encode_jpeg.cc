#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// libjpeg's header needs size_t and FILE before it.
#include <jpeglib.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/encode.h"

namespace ringway::engine {
namespace {

// Everything that a longjmp out of libjpeg must not skip the end of lives here, outside the jump.
struct Compression {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf give_up;
  char why[JMSG_LENGTH_MAX] = "";
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  ~Compression() {
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }
};

[[noreturn]] void AbandonPicture(j_common_ptr jpeg) {
  Compression& session = *static_cast<Compression*>(jpeg->client_data);
  (*jpeg->err->format_message)(jpeg, session.why);
  std::longjmp(session.give_up, 1);
}

void Write(Compression& session, const Picture& picture, int quality) {
  jpeg_compress_struct& jpeg = session.jpeg;
  jpeg.err = jpeg_std_error(&session.errors);
  session.errors.error_exit = AbandonPicture;
  jpeg.client_data = &session;
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, &session.bytes, &session.size);
  jpeg.image_width = static_cast<JDIMENSION>(picture.width);
  jpeg.image_height = static_cast<JDIMENSION>(picture.height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    auto* row = const_cast<JSAMPLE*>(picture.At(0, static_cast<int>(jpeg.next_scanline)));
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
}

}  // namespace

absl::StatusOr<std::string> EncodeJpeg(const Picture& picture, int quality) {
  Compression session;
  if (setjmp(session.give_up) != 0)
    return absl::InternalError(absl::StrCat("JPEG: the picture cannot be written: ", session.why));
  Write(session, picture, quality);
  return std::string(reinterpret_cast<const char*>(session.bytes), session.size);
}

}  // namespace ringway::engine
