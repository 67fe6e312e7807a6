#include "gateway/jobs/film_facts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gateway/jobs/film_type.h"

namespace ringway::gateway {
namespace {

constexpr int kStepsMax = 1 << 20;
constexpr std::size_t kFactsWindowBytes = std::size_t{64} << 10;

// Bytes by their place; those behind the end are 0.
class FilmBytes {
 public:
  FilmBytes(std::uint64_t size, const ReadFilm& read) : size_(size), read_(read) {}

  std::uint64_t size() const { return size_; }
  std::uint64_t At(std::uint64_t offset) {
    if (offset >= size_) return 0;
    if (offset < from_ || offset - from_ >= window_.size()) {
      from_ = offset;
      window_ = read_(offset, kFactsWindowBytes);
      if (window_.empty()) return 0;
    }
    return static_cast<unsigned char>(window_[offset - from_]);
  }
  std::uint64_t Big(std::uint64_t offset, int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | At(offset + static_cast<std::uint64_t>(i));
    return value;
  }
  std::uint64_t Little(std::uint64_t offset, int count) {
    std::uint64_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8 | At(offset + static_cast<std::uint64_t>(i));
    return value;
  }
  bool Says(std::uint64_t offset, std::string_view text) {
    for (const char c : text) {
      if (At(offset++) != static_cast<unsigned char>(c)) return false;
    }
    return true;
  }

 private:
  const std::uint64_t size_;
  const ReadFilm& read_;
  std::uint64_t from_ = 0;
  std::string window_;
};

std::uint64_t ColourTable(std::uint64_t packed) { return packed & 0x80 ? 3ull << ((packed & 7) + 1) : 0; }

FilmFacts OfGif(FilmBytes& film) {
  FilmFacts facts;
  if (!film.Says(0, "GIF8")) return facts;
  facts.width = static_cast<std::uint32_t>(film.Little(6, 2));
  facts.height = static_cast<std::uint32_t>(film.Little(8, 2));
  std::uint64_t at = 13 + ColourTable(film.At(10));
  std::uint64_t hundredths = 0;
  int steps = 0;
  const auto skip_blocks = [&] {
    for (std::uint64_t block = 1; block != 0 && at < film.size() && ++steps < kStepsMax;) {
      block = film.At(at);
      at += 1 + block;
    }
  };
  while (at < film.size() && ++steps < kStepsMax) {
    const std::uint64_t kind = film.At(at);
    if (kind == 0x2c) {  // an image
      at += 11 + ColourTable(film.At(at + 9));
    } else if (kind == 0x21) {  // an extension; 0xf9 controls the next image
      if (film.At(at + 1) == 0xf9) hundredths += film.Little(at + 4, 2);
      at += 2;
    } else {
      break;
    }
    skip_blocks();
  }
  facts.seconds = static_cast<double>(hundredths) / 100;
  return facts;
}

FilmFacts OfPng(FilmBytes& film) {
  FilmFacts facts;
  if (!film.Says(1, "PNG")) return facts;
  std::uint64_t at = 8;
  for (int steps = 0; at + 8 <= film.size() && steps < kStepsMax; ++steps) {
    const std::uint64_t size = film.Big(at, 4), data = at + 8;
    if (film.Says(at + 4, "IHDR")) {
      facts.width = static_cast<std::uint32_t>(film.Big(data, 4));
      facts.height = static_cast<std::uint32_t>(film.Big(data + 4, 4));
    } else if (film.Says(at + 4, "fcTL")) {
      const std::uint64_t parts = film.Big(data + 22, 2);
      facts.seconds +=
          static_cast<double>(film.Big(data + 20, 2)) / static_cast<double>(parts == 0 ? 100 : parts);
    }
    at = data + size + 4;
  }
  return facts;
}

FilmFacts OfWebp(FilmBytes& film) {
  FilmFacts facts;
  if (!film.Says(0, "RIFF") || !film.Says(8, "WEBP")) return facts;
  std::uint64_t at = 12;
  for (int steps = 0; at + 8 <= film.size() && steps < kStepsMax; ++steps) {
    const std::uint64_t size = film.Little(at + 4, 4), data = at + 8;
    if (film.Says(at, "VP8X")) {
      facts.width = static_cast<std::uint32_t>(film.Little(data + 4, 3)) + 1;
      facts.height = static_cast<std::uint32_t>(film.Little(data + 7, 3)) + 1;
    } else if (film.Says(at, "ANMF")) {
      facts.seconds += static_cast<double>(film.Little(data + 12, 3)) / 1000;
    }
    at = data + size + (size & 1);
  }
  return facts;
}

void ReadMp4Header(FilmBytes& film, std::uint64_t box, std::uint64_t data, FilmFacts& facts) {
  const bool wide = film.At(data) == 1;  // version 1 has times of 64 bits
  if (film.Says(box + 4, "mvhd")) {
    const std::uint64_t scale = film.Big(data + (wide ? 20 : 12), 4);
    const std::uint64_t length = wide ? film.Big(data + 24, 8) : film.Big(data + 16, 4);
    if (scale > 0) facts.seconds = static_cast<double>(length) / static_cast<double>(scale);
  } else if (film.Says(box + 4, "tkhd") && facts.width == 0) {  // 16.16; a track of sound has none
    facts.width = static_cast<std::uint32_t>(film.Big(data + (wide ? 88 : 76), 2));
    facts.height = static_cast<std::uint32_t>(film.Big(data + (wide ? 92 : 80), 2));
  }
}

FilmFacts OfMp4(FilmBytes& film) {
  FilmFacts facts;
  std::uint64_t at = 0;
  for (int steps = 0; at + 8 <= film.size() && steps < kStepsMax; ++steps) {
    std::uint64_t size = film.Big(at, 4), head = 8;
    if (size == 1) size = film.Big(at + 8, 8), head = 16;
    if (size == 0) size = film.size() - at;
    if (size < head || size > film.size() - at) break;
    // What is wanted lies in these: into them, past all others.
    if (film.Says(at + 4, "moov") || film.Says(at + 4, "trak")) {
      at += head;
      continue;
    }
    ReadMp4Header(film, at, at + head, facts);
    at += size;
  }
  return facts;
}

}  // namespace

std::string FilmFacts::Size() const {
  return width == 0 || height == 0 ? "" : absl::StrCat(width, "x", height);
}

std::string FilmFacts::SecondsText() const {
  if (!(seconds > 0) || seconds > 1e6) return "";
  std::string text = absl::StrFormat("%.2f", seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

FilmFacts FactsOf(std::string_view type, std::uint64_t bytes, const ReadFilm& read) {
  FilmBytes film(bytes, read);
  const std::string_view ending = FilmTypeOf(type).ending;
  if (ending == "gif") return OfGif(film);
  if (ending == "png" || ending == "apng") return OfPng(film);
  if (ending == "webp") return OfWebp(film);
  if (ending == "mp4") return OfMp4(film);
  return {};
}

}  // namespace ringway::gateway
