#include "engine/media/png_stream.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "absl/status/status.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kBytesPerPixel = 3;

// PNG's row filters (PNG, 9): each byte less what its neighbours to the left, above and at the corner
// promise.
constexpr int kFilters = 5;

template <int kKind>
std::uint8_t Promised(int left, int up, int corner) {
  if constexpr (kKind == 0) return 0;
  if constexpr (kKind == 1) return static_cast<std::uint8_t>(left);
  if constexpr (kKind == 2) return static_cast<std::uint8_t>(up);
  if constexpr (kKind == 3) return static_cast<std::uint8_t>((left + up) / 2);
  // Paeth's: the one of the three that is nearest to left + up - corner.
  const int to_left = std::abs(up - corner), to_up = std::abs(left - corner);
  const int to_corner = std::abs(left + up - 2 * corner);
  const int straight = to_up <= to_corner ? up : corner;
  return static_cast<std::uint8_t>(to_left <= to_up && to_left <= to_corner ? left : straight);
}

// `row` and `above` have kBytesPerPixel bytes before them. Returns how rough the filtered row is, the sum of
// its bytes' absolute values as signed numbers: the smoothest usually compresses best (PNG, 12.8).
template <int kKind>
std::uint32_t Filter(const std::uint8_t* row, const std::uint8_t* above, std::size_t bytes,
                     std::uint8_t* out) {
  std::uint32_t rough = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint8_t promised =
        Promised<kKind>(row[i - kBytesPerPixel], above[i], above[i - kBytesPerPixel]);
    out[i] = static_cast<std::uint8_t>(row[i] - promised);
    rough += static_cast<std::uint32_t>(std::abs(static_cast<std::int8_t>(out[i])));
  }
  return rough;
}

using FilterFn = std::uint32_t (*)(const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint8_t*);
constexpr FilterFn kFilter[kFilters] = {Filter<0>, Filter<1>, Filter<2>, Filter<3>, Filter<4>};

std::vector<std::uint8_t> FilteredRows(const Picture& frame) {
  const std::size_t bytes = static_cast<std::size_t>(frame.width) * kBytesPerPixel;
  const auto height = static_cast<std::size_t>(frame.height);
  std::vector<std::uint8_t> all((bytes + 1) * height), trial(bytes);
  std::vector<std::uint8_t> row(kBytesPerPixel + bytes), above(kBytesPerPixel + bytes);
  for (std::size_t y = 0; y < height; ++y) {
    std::copy_n(frame.rgb.data() + y * bytes, bytes, row.data() + kBytesPerPixel);
    std::uint8_t* best = all.data() + y * (bytes + 1);
    std::uint32_t smoothest = ~std::uint32_t{0};
    for (int kind = 0; kind < kFilters; ++kind) {
      const std::uint32_t rough =
          kFilter[kind](row.data() + kBytesPerPixel, above.data() + kBytesPerPixel, bytes, trial.data());
      if (rough >= smoothest) continue;
      smoothest = rough;
      best[0] = static_cast<std::uint8_t>(kind);
      std::copy(trial.begin(), trial.end(), best + 1);
    }
    row.swap(above);
  }
  return all;
}

}  // namespace

void AppendPngNumber(std::uint32_t n, int width, std::string& out) {
  for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift);
}

void AppendPngChunk(std::string_view kind, std::string_view content, std::string& out) {
  AppendPngNumber(static_cast<std::uint32_t>(content.size()), 4, out);
  const std::size_t checked_from = out.size();
  out += kind;
  out += content;
  const auto* checked = reinterpret_cast<const Bytef*>(out.data() + checked_from);
  AppendPngNumber(static_cast<std::uint32_t>(crc32(0, checked, static_cast<uInt>(out.size() - checked_from))),
                  4, out);
}

std::string PngHeader(const Picture& picture) {
  std::string out = "\x89PNG\r\n\x1a\n";
  std::string header;
  AppendPngNumber(static_cast<std::uint32_t>(picture.width), 4, header);
  AppendPngNumber(static_cast<std::uint32_t>(picture.height), 4, header);
  header.append({8, 2, 0, 0, 0});  // 8 bits, RGB
  AppendPngChunk("IHDR", header, out);
  return out;
}

// Of filtered rows, runs are all that is worth looking for: against a search for any match (zlib's level 6)
// films come out 1 to 2 % smaller in a fifth of the time (docs/benchmarks.md).
absl::StatusOr<std::string> CompressedPng(const Picture& frame) {
  std::vector<std::uint8_t> rows = FilteredRows(frame);
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, Z_RLE) != Z_OK)
    return absl::InternalError("PNG: compression cannot start");
  std::string out(deflateBound(&stream, rows.size()), '\0');
  stream.next_in = rows.data();
  stream.avail_in = static_cast<uInt>(rows.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) return absl::InternalError("PNG: compression failed");
  return out;
}

}  // namespace ringway::engine
