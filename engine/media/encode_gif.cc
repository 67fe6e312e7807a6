#include <gif_lib.h>

#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/media/encode_frames.h"
#include "engine/media/palette.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kColorsMax = 255;
constexpr int kTransparent = 255;
constexpr int kMapColors = 256;
constexpr char kTrailer = ';';

// Bayer's 8 x 8 matrix, row by row, 0 to 63.
constexpr std::uint8_t kBayer[64] = {0,  32, 8,  40, 2,  34, 10, 42, 48, 16, 56, 24, 50, 18, 58, 26,
                                     12, 44, 4,  36, 14, 46, 6,  38, 60, 28, 52, 20, 62, 30, 54, 22,
                                     3,  35, 11, 43, 1,  33, 9,  41, 51, 19, 59, 27, 49, 17, 57, 25,
                                     15, 47, 7,  39, 13, 45, 5,  37, 63, 31, 55, 23, 61, 29, 53, 21};

using Indices = std::vector<std::uint8_t>;  // into the palette, row after row

Indices Dithered(const Picture& frame, const Palette& palette) {
  Indices indices(frame.rgb.size() / 3);
  const auto shifted = [](int value, int shift) { return std::clamp(value + shift, 0, 255); };
  for (int y = 0; y < frame.height; ++y) {
    for (int x = 0; x < frame.width; ++x) {
      const std::uint8_t* p = frame.At(x, y);
      const int shift = (kBayer[(y & 7) * 8 + (x & 7)] - 31) / 4;
      indices[static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.width) +
              static_cast<std::size_t>(x)] =
          palette.Nearest(shifted(p[0], shift), shifted(p[1], shift), shifted(p[2], shift));
    }
  }
  return indices;
}

struct Rectangle {
  int left = 0, top = 0, right = 0, bottom = 0;  // right and bottom are outside
};

// The smallest rectangle with all that differs; one pixel when nothing does, for every frame needs one.
Rectangle Changed(const Indices& before, const Indices& now, int width, int height) {
  Rectangle r{width, height, 0, 0};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      if (before[at] == now[at]) continue;
      r = {std::min(r.left, x), std::min(r.top, y), std::max(r.right, x + 1), std::max(r.bottom, y + 1)};
    }
  }
  return r.right == 0 ? Rectangle{0, 0, 1, 1} : r;
}

int AppendBytes(GifFileType* file, const GifByteType* bytes, int count) {
  static_cast<std::string*>(file->UserData)
      ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  return count;
}

class GifWriter {
 public:
  explicit GifWriter(std::string& out) : file_(EGifOpen(&out, AppendBytes, &error_)) {}
  ~GifWriter() {
    if (file_ != nullptr) EGifCloseFile(file_, &error_);
  }
  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  bool Start(int width, int height, const Palette& palette) {
    if (file_ == nullptr) return false;
    std::array<GifColorType, kMapColors> colors{};
    for (std::size_t i = 0; i < palette.colors().size(); ++i)
      colors[i] = {palette.colors()[i][0], palette.colors()[i][1], palette.colors()[i][2]};
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
        GifMakeMapObject(kMapColors, colors.data()), GifFreeMapObject);
    EGifSetGifVersion(file_, true);
    static constexpr char kLoop[] = "NETSCAPE2.0";
    static constexpr GifByteType kForever[3] = {1, 0, 0};
    return map != nullptr && EGifPutScreenDesc(file_, width, height, 8, 0, map.get()) == GIF_OK &&
           EGifPutExtensionLeader(file_, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(file_, 11, kLoop) == GIF_OK &&
           EGifPutExtensionBlock(file_, 3, kForever) == GIF_OK && EGifPutExtensionTrailer(file_) == GIF_OK;
  }

  bool AddFrame(Indices& indices, int width, const Rectangle& r, int delay_ms) {
    GraphicsControlBlock control{DISPOSE_DO_NOT, false, std::max(1, (delay_ms + 5) / 10), kTransparent};
    GifByteType block[4];
    EGifGCBToExtension(&control, block);
    if (EGifPutExtension(file_, GRAPHICS_EXT_FUNC_CODE, sizeof(block), block) != GIF_OK) return false;
    if (EGifPutImageDesc(file_, r.left, r.top, r.right - r.left, r.bottom - r.top, false, nullptr) != GIF_OK)
      return false;
    for (int y = r.top; y < r.bottom; ++y) {
      std::uint8_t* row =
          indices.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + r.left;
      if (EGifPutLine(file_, row, r.right - r.left) != GIF_OK) return false;
    }
    return true;
  }

 private:
  int error_ = 0;
  GifFileType* file_;
};

struct GifFrame {
  Indices indices;  // of the whole film's size
  Rectangle area;   // of it, what is written
};

// What has changed since the frame before, the rest transparent; all of the first frame.
GifFrame FrameAfter(const Indices* before, const Indices& now, int width, int height) {
  if (before == nullptr) return {now, {0, 0, width, height}};
  GifFrame frame{now, Changed(*before, now, width, height)};
  for (std::size_t p = 0; p < now.size(); ++p)
    if (now[p] == (*before)[p]) frame.indices[p] = kTransparent;
  return frame;
}

// A file of one frame, or of none, without the trailer; empty when the encoder failed.
std::string Untrailed(const Animation& animation, const Palette& palette, GifFrame* frame) {
  const Picture& first = animation.frames[0];
  std::string out;
  bool ok = true;
  {
    GifWriter writer(out);  // its end writes the trailer
    ok = writer.Start(first.width, first.height, palette) &&
         (frame == nullptr || writer.AddFrame(frame->indices, first.width, frame->area, animation.delay_ms));
  }
  if (!ok || out.empty()) return {};
  out.pop_back();
  return out;
}

}  // namespace

// Each frame is compressed by itself, so each is written as a file of its own and the files are joined.
absl::StatusOr<std::string> EncodeGif(const Animation& animation, const EncodeOptions& options) {
  if (absl::Status status = CheckAnimation(animation); !status.ok()) return status;
  const int width = animation.frames[0].width;
  const int height = animation.frames[0].height;
  const std::size_t frames = animation.frames.size();
  const Palette palette(animation.frames, kColorsMax, options.threads);
  std::vector<Indices> indices(frames);
  ParallelFor(static_cast<std::int64_t>(frames), options.threads, [&](std::int64_t task, int) {
    const auto i = static_cast<std::size_t>(task);
    if (CheckGoesOn(options).ok()) indices[i] = Dithered(animation.frames[i], palette);
  });
  if (absl::Status status = CheckGoesOn(options); !status.ok()) return status;
  const absl::Status failed = absl::InternalError("GIF: the encoder failed");
  std::string out = Untrailed(animation, palette, nullptr);
  if (out.empty()) return failed;
  const auto pieces = EncodeFrames(frames, options, [&](std::size_t i) -> absl::StatusOr<std::string> {
    GifFrame frame = FrameAfter(i == 0 ? nullptr : &indices[i - 1], indices[i], width, height);
    const std::string file = Untrailed(animation, palette, &frame);
    if (file.empty()) return failed;
    return file.substr(out.size());
  });
  if (!pieces.ok()) return pieces.status();
  for (const std::string& piece : *pieces) out += piece;
  return out + kTrailer;
}

}  // namespace ringway::engine
