#include "engine/media/preview.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/media/encode.h"
#include "engine/media/film_reader.h"
#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

constexpr float kThumbnailQuality = 80.0f;
constexpr int kSheetQuality = 80;
// As many frames are kept at most, of which those of the picture are chosen; even, because every other one
// goes.
constexpr std::size_t kKeptMax = 2 * kSheetTilesMax + 2;

struct Size {
  int width = 0;
  int height = 0;
};

// The largest of this shape in a square of `side`, and no larger than it is.
Size FittedInto(int side, int width, int height) {
  const int longer = std::max(width, height);
  if (longer <= side) return {width, height};
  const auto scaled = [&](int length) {
    return std::max(1, static_cast<int>(std::int64_t{length} * side / longer));
  };
  return {scaled(width), scaled(height)};
}

// Frames spread over the film, each small enough for `side`.
absl::StatusOr<std::vector<Picture>> SpreadFrames(FilmReader& film, int side) {
  std::vector<Picture> kept;
  std::int64_t stride = 1, at = 0;
  for (;; ++at) {
    const auto more = film.Next();
    if (!more.ok()) return more.status();
    if (!*more) return kept;
    if (at % stride != 0) continue;
    if (kept.size() == kKeptMax) {
      for (std::size_t i = 1; i < kept.size() / 2; ++i) kept[i] = std::move(kept[2 * i]);
      kept.resize(kept.size() / 2);
      stride *= 2;
      if (at % stride != 0) continue;
    }
    const Size size = FittedInto(side, film.width(), film.height());
    auto picture = film.Shown(size.width, size.height);
    if (!picture.ok()) return picture.status();
    kept.push_back(*std::move(picture));
  }
}

// Chosen evenly, the first and the last among them.
std::vector<Picture> Chosen(std::vector<Picture> frames, std::size_t count) {
  if (frames.size() <= count) return frames;
  std::vector<Picture> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(std::move(frames[i * (frames.size() - 1) / (count - 1)]));
  return chosen;
}

// Row after row; what is left of the last row is black. All tiles have the size of the first.
Picture Sheet(const std::vector<Picture>& tiles) {
  const Size tile = {tiles.front().width, tiles.front().height};
  const int count = static_cast<int>(tiles.size());
  const int columns = static_cast<int>(std::ceil(std::sqrt(count)));
  Picture sheet = Picture::Blank(columns * tile.width, (count + columns - 1) / columns * tile.height);
  for (int i = 0; i < count; ++i) {
    // A film may change its size on the way.
    const Picture shown = Resize(tiles[static_cast<std::size_t>(i)], tile.width, tile.height);
    for (int y = 0; y < tile.height; ++y)
      std::copy_n(shown.At(0, y), tile.width * 3,
                  sheet.At(i % columns * tile.width, i / columns * tile.height + y));
  }
  return sheet;
}

}  // namespace

std::optional<Preview> PreviewOf(std::string_view name) {
  if (name == "thumbnail") return Preview::kThumbnail;
  if (name == "spritesheet") return Preview::kSpritesheet;
  return std::nullopt;
}

absl::StatusOr<std::string> MakePreview(std::string_view film, Preview preview) {
  auto reader = OpenFilm(film);
  if (!reader.ok()) return reader.status();
  const bool sheet = preview == Preview::kSpritesheet;
  auto frames = SpreadFrames(**reader, sheet ? kTileSide : kThumbnailSide);
  if (!frames.ok()) return frames.status();
  if (!sheet) return EncodeStillWebp((*frames)[frames->size() / 2], kThumbnailQuality);
  return EncodeJpeg(Sheet(Chosen(*std::move(frames), kSheetTilesMax)), kSheetQuality);
}

}  // namespace ringway::engine
