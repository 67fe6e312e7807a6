#include <csetjmp>
#include <cstdio>
// libjpeg's header needs size_t and FILE before it.
#include <jpeglib.h>
// and its message codes come after.
#include <jerror.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/decode.h"
#include "engine/media/exif.h"

namespace ringway::engine {
namespace {

constexpr int kScansMax = 100;
constexpr unsigned int kMarkerBytesMax = 0xffff;
constexpr long kWorkingBytesMax = 1L << 30;

// Everything that a longjmp out of libjpeg must not skip the destructor of lives here, outside the jump.
struct Session {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf give_up;
  char why[JMSG_LENGTH_MAX] = "";
  absl::Status refused;
  int orientation = 1;
  Picture picture;
  std::vector<std::uint8_t> row;

  ~Session() { jpeg_destroy_decompress(&jpeg); }
};

Session& SessionOf(j_common_ptr jpeg) { return *static_cast<Session*>(jpeg->client_data); }

[[noreturn]] void GiveUp(j_common_ptr jpeg) {
  Session& session = SessionOf(jpeg);
  (*jpeg->err->format_message)(jpeg, session.why);
  std::longjmp(session.give_up, 1);
}

// A picture that ends early is an error here; libjpeg would fill the rest with grey and call it a warning.
void OnMessage(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  const int code = jpeg->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_MUST_RESYNC) GiveUp(jpeg);
}

void OnProgress(j_common_ptr jpeg) {
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kScansMax) return;
  Session& session = SessionOf(jpeg);
  std::snprintf(session.why, sizeof(session.why), "more than %d scans", kScansMax);
  std::longjmp(session.give_up, 1);
}

void Prepare(Session& session, std::string_view bytes) {
  session.jpeg.err = jpeg_std_error(&session.errors);
  session.errors.error_exit = GiveUp;
  session.errors.emit_message = OnMessage;
  session.jpeg.client_data = &session;
  jpeg_create_decompress(&session.jpeg);
  session.jpeg.mem->max_memory_to_use = kWorkingBytesMax;
  session.progress.progress_monitor = OnProgress;
  session.jpeg.progress = &session.progress;
  jpeg_save_markers(&session.jpeg, JPEG_APP0 + 1, kMarkerBytesMax);
  jpeg_mem_src(&session.jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

bool ReadHeader(Session& session) {
  jpeg_decompress_struct& jpeg = session.jpeg;
  jpeg_read_header(&jpeg, TRUE);
  session.refused = CheckPictureSize(jpeg.image_width, jpeg.image_height, "JPEG");
  if (!session.refused.ok()) return false;
  for (jpeg_saved_marker_ptr marker = jpeg.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view segment(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (segment.starts_with("Exif")) {
      session.orientation = ExifOrientation(segment);
      break;
    }
  }
  const bool four_inks = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = four_inks ? JCS_CMYK : JCS_RGB;
  jpeg.dct_method = JDCT_ISLOW;  // the accurate one, the same on every machine
  session.picture = Picture::Blank(static_cast<int>(jpeg.image_width), static_cast<int>(jpeg.image_height));
  if (four_inks) session.row.resize(static_cast<std::size_t>(jpeg.image_width) * 4);
  return true;
}

// Adobe writes CMYK inverted: 255 is no ink.
void InksToRgb(const std::vector<std::uint8_t>& inks, std::uint8_t* rgb) {
  for (std::size_t x = 0; x < inks.size() / 4; ++x)
    for (std::size_t c = 0; c < 3; ++c)
      rgb[x * 3 + c] = static_cast<std::uint8_t>(inks[x * 4 + c] * inks[x * 4 + 3] / 255);
}

void ReadRows(Session& session) {
  jpeg_start_decompress(&session.jpeg);
  while (session.jpeg.output_scanline < session.jpeg.output_height) {
    std::uint8_t* rgb = session.picture.At(0, static_cast<int>(session.jpeg.output_scanline));
    JSAMPROW row = session.row.empty() ? rgb : session.row.data();
    jpeg_read_scanlines(&session.jpeg, &row, 1);
    if (!session.row.empty()) InksToRgb(session.row, rgb);
  }
  jpeg_finish_decompress(&session.jpeg);
}

}  // namespace

absl::StatusOr<Picture> DecodeJpeg(std::string_view bytes) {
  Session session;
  if (setjmp(session.give_up) != 0)
    return absl::InvalidArgumentError(absl::StrCat("JPEG picture is damaged: ", session.why));
  Prepare(session, bytes);
  if (!ReadHeader(session)) return session.refused;
  ReadRows(session);
  return TurnUpright(std::move(session.picture), session.orientation);
}

}  // namespace ringway::engine
