// What writing a film takes: by one thread and by several, and APNG's search for runs against zlib's usual
// search for any match (its level 6) over the same filtered rows, which are taken out of the file again.
#include <zlib.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/stopwatch.h"
#include "engine/bundled_model.h"
#include "engine/engine.h"
#include "engine/media/drawn_picture.h"
#include "engine/media/encode.h"

namespace ringway::bench {
namespace {

using engine::Animation;
using engine::AnimationFormat;
using engine::EncodeAnimation;

constexpr int kUsualLevel = 6;
constexpr std::size_t kSignature = 8, kChunkHead = 8, kChecksum = 4, kSequence = 4;

Animation DrawnFilm(const RunOptions& options) {
  const auto bundled = engine::FindBundledModel();
  RINGWAY_CHECK(bundled.ok());
  const auto engine = engine::Engine::Open(*bundled, {.threads = options.threads});
  RINGWAY_CHECK(engine.ok());
  const auto film = (*engine)->Animate(
      {.picture = engine::DrawPicture(), .prompt = "zoom in", .frames = options.quick ? 12 : 48}, nullptr,
      std::stop_token());
  RINGWAY_CHECK(film.ok());
  return *film;
}

std::uint32_t NumberAt(std::string_view bytes) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<std::uint8_t>(bytes[i]);
  return n;
}

// The filtered rows of every frame of an APNG.
std::vector<std::string> RowsOf(std::string_view file, const engine::Picture& frame) {
  std::vector<std::string> all;
  for (file.remove_prefix(kSignature); !file.empty();) {
    const std::size_t size = NumberAt(file);
    const std::string_view kind = file.substr(4, 4);
    const std::size_t before = kind == "IDAT" ? 0 : kSequence;
    if (kind == "IDAT" || kind == "fdAT") {
      const std::string_view packed = file.substr(kChunkHead + before, size - before);
      std::string rows(frame.rgb.size() + static_cast<std::size_t>(frame.height), '\0');
      uLongf unpacked = rows.size();
      RINGWAY_CHECK(uncompress(reinterpret_cast<Bytef*>(rows.data()), &unpacked,
                               reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
      RINGWAY_CHECK(unpacked == rows.size());
      all.push_back(std::move(rows));
    }
    file.remove_prefix(kChunkHead + size + kChecksum);
  }
  return all;
}

std::size_t BytesByAnyMatch(const std::vector<std::string>& rows) {
  std::size_t bytes = 0;
  for (const std::string& frame : rows) {
    uLongf size = compressBound(frame.size());
    std::string out(size, '\0');
    RINGWAY_CHECK(compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                            reinterpret_cast<const Bytef*>(frame.data()), frame.size(), kUsualLevel) == Z_OK);
    bytes += size;
  }
  return bytes;
}

void MeasureRuns(const Animation& film, int rounds, Claims& claims) {
  const std::string apng = engine::EncodeApng(film).value();
  const std::vector<std::string> rows = RowsOf(apng, film.frames[0]);
  std::size_t bytes = 0;
  const Pair seconds = FastestOfEach([&] { bytes = BytesByAnyMatch(rows); },
                                     [&] { RINGWAY_CHECK(engine::EncodeApng(film).ok()); }, rounds);
  claims.AtLeast("files_apng_any_match_alone_against_whole_file", seconds.ratio(), 1.5,
                 absl::StrFormat("compressing at level %d %.0f ms, filters and runs %.0f ms", kUsualLevel,
                                 seconds.first * 1e3, seconds.second * 1e3));
  claims.AtLeast("files_apng_bytes_by_any_match_against_runs",
                 static_cast<double>(bytes) / static_cast<double>(apng.size()), 0.97,
                 absl::StrFormat("%.2f MB and %.2f MB", static_cast<double>(bytes) / 1e6,
                                 static_cast<double>(apng.size()) / 1e6));
}

}  // namespace

void MeasureFiles(const RunOptions& options, Claims& claims) {
  const Animation film = DrawnFilm(options);
  const int rounds = options.quick ? 2 : 4;
  struct Format {
    const char* name;
    AnimationFormat format;
  };
  for (const Format& f : {Format{"files_gif_by_threads", AnimationFormat::kGif},
                          Format{"files_apng_by_threads", AnimationFormat::kApng},
                          Format{"files_webp_by_threads", AnimationFormat::kWebp}}) {
    std::size_t bytes = 0;
    const auto with = [&](int threads) {
      return [&, threads] { bytes = EncodeAnimation(film, f.format, {.threads = threads})->size(); };
    };
    const Pair seconds = FastestOfEach(with(1), with(options.threads), rounds);
    claims.AtLeast(f.name, seconds.ratio(), options.threads > 1 ? 1.3 : 0.9,
                   absl::StrFormat("%d frames of %d x %d, %.1f MB: 1 thread %.0f ms, %d threads %.0f ms",
                                   film.frames.size(), film.frames[0].width, film.frames[0].height,
                                   static_cast<double>(bytes) / 1e6, seconds.first * 1e3, options.threads,
                                   seconds.second * 1e3));
  }
  MeasureRuns(film, rounds, claims);
}

}  // namespace ringway::bench
