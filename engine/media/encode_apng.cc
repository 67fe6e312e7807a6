// APNG 1.0 (https://wiki.mozilla.org/APNG_Specification): acTL announces the frames, fcTL precedes each, the
// first frame is an ordinary IDAT and the others are fdAT with a sequence number.
#include <zlib.h>

#include <cstdlib>

#include "absl/status/status.h"
#include "engine/media/encode.h"

namespace ringway::engine {
namespace {

constexpr int kCompression = 6;
constexpr std::size_t kBytesPerPixel = 3;

void AppendNumber(std::uint32_t n, int width, std::string& out) {
  for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift);
}

void AppendChunk(std::string_view kind, std::string_view content, std::string& out) {
  AppendNumber(static_cast<std::uint32_t>(content.size()), 4, out);
  const std::size_t checked_from = out.size();
  out += kind;
  out += content;
  const auto* checked = reinterpret_cast<const Bytef*>(out.data() + checked_from);
  AppendNumber(static_cast<std::uint32_t>(crc32(0, checked, static_cast<uInt>(out.size() - checked_from))), 4,
               out);
}

std::uint8_t Paeth(int left, int up, int corner) {
  const int estimate = left + up - corner;
  const int to_left = std::abs(estimate - left);
  const int to_up = std::abs(estimate - up);
  const int to_corner = std::abs(estimate - corner);
  if (to_left <= to_up && to_left <= to_corner) return static_cast<std::uint8_t>(left);
  return static_cast<std::uint8_t>(to_up <= to_corner ? up : corner);
}

// PNG's five row filters; the one with the smallest sum of absolute differences usually compresses best
// (PNG, 12.8).
void Filter(int kind, const std::uint8_t* row, const std::uint8_t* above, std::size_t bytes,
            std::vector<std::uint8_t>& out) {
  out[0] = static_cast<std::uint8_t>(kind);
  for (std::size_t i = 0; i < bytes; ++i) {
    const int left = i >= kBytesPerPixel ? row[i - kBytesPerPixel] : 0;
    const int up = above != nullptr ? above[i] : 0;
    const int corner = above != nullptr && i >= kBytesPerPixel ? above[i - kBytesPerPixel] : 0;
    const int guess[] = {0, left, up, (left + up) / 2, Paeth(left, up, corner)};
    out[i + 1] = static_cast<std::uint8_t>(row[i] - guess[kind]);
  }
}

std::uint64_t Roughness(const std::vector<std::uint8_t>& filtered) {
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < filtered.size(); ++i)
    sum += static_cast<std::uint64_t>(std::abs(static_cast<std::int8_t>(filtered[i])));
  return sum;
}

std::vector<std::uint8_t> FilteredRows(const Picture& frame) {
  const std::size_t bytes = static_cast<std::size_t>(frame.width) * kBytesPerPixel;
  std::vector<std::uint8_t> all;
  all.reserve((bytes + 1) * static_cast<std::size_t>(frame.height));
  std::vector<std::uint8_t> best(bytes + 1), trial(bytes + 1);
  for (int y = 0; y < frame.height; ++y) {
    const std::uint8_t* above = y > 0 ? frame.At(0, y - 1) : nullptr;
    std::uint64_t best_sum = ~std::uint64_t{0};
    for (int kind = 0; kind < 5; ++kind) {
      Filter(kind, frame.At(0, y), above, bytes, trial);
      const std::uint64_t sum = Roughness(trial);
      if (sum < best_sum) {
        best_sum = sum;
        best.swap(trial);
      }
    }
    all.insert(all.end(), best.begin(), best.end());
  }
  return all;
}

absl::StatusOr<std::string> Compressed(const Picture& frame) {
  const std::vector<std::uint8_t> rows = FilteredRows(frame);
  uLongf size = compressBound(rows.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, rows.data(), rows.size(), kCompression) != Z_OK)
    return absl::InternalError("APNG: compression failed");
  out.resize(size);
  return out;
}

void AppendFrameControl(const Picture& frame, std::uint32_t sequence, int delay_ms, std::string& out) {
  std::string control;
  for (const std::uint32_t n :
       {sequence, static_cast<std::uint32_t>(frame.width), static_cast<std::uint32_t>(frame.height), 0u, 0u})
    AppendNumber(n, 4, control);
  AppendNumber(static_cast<std::uint32_t>(delay_ms), 2, control);
  AppendNumber(1000, 2, control);
  control.append(2, '\0');  // leave the frame, replace all
  AppendChunk("fcTL", control, out);
}

}  // namespace

absl::StatusOr<std::string> EncodeApng(const Animation& animation) {
  if (absl::Status status = CheckAnimation(animation); !status.ok()) return status;
  std::string out = "\x89PNG\r\n\x1a\n";
  std::string header;
  AppendNumber(static_cast<std::uint32_t>(animation.frames[0].width), 4, header);
  AppendNumber(static_cast<std::uint32_t>(animation.frames[0].height), 4, header);
  header.append({8, 2, 0, 0, 0});  // 8 bits, RGB
  AppendChunk("IHDR", header, out);
  std::string control;
  AppendNumber(static_cast<std::uint32_t>(animation.frames.size()), 4, control);
  AppendNumber(0, 4, control);  // play for ever
  AppendChunk("acTL", control, out);
  std::uint32_t sequence = 0;
  for (std::size_t i = 0; i < animation.frames.size(); ++i) {
    absl::StatusOr<std::string> pixels = Compressed(animation.frames[i]);
    if (!pixels.ok()) return pixels.status();
    AppendFrameControl(animation.frames[i], sequence++, animation.delay_ms, out);
    if (i == 0) {
      AppendChunk("IDAT", *pixels, out);
    } else {
      std::string numbered;
      AppendNumber(sequence++, 4, numbered);
      AppendChunk("fdAT", numbered + *pixels, out);
    }
  }
  AppendChunk("IEND", "", out);
  return out;
}

}  // namespace ringway::engine
