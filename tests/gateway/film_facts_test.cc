// How large films are and how long they run, by files that are made here, byte by byte.
#include "gateway/jobs/film_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace ringway::gateway {
namespace {

std::string Big(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}
std::string Little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string Gif() {
  const std::string frame = std::string("\x21\xf9\x04\x00", 4) + Little(25, 2) + std::string("\x00\x00", 2) +
                            "\x2c" + std::string(8, '\0') + "\x81" + std::string(12, 'c') + "\x02\x03" +
                            "abc" + std::string(1, '\0');
  return "GIF89a" + Little(320, 2) + Little(200, 2) + "\xf0" + std::string(2, '\0') + std::string(6, 'c') +
         std::string("\x21\xff\x0b", 3) + "NETSCAPE2.0" + std::string("\x03\x01\x00\x00\x00", 5) + frame +
         frame + frame + "\x3b";
}

std::string Png() {
  const auto chunk = [](std::string_view type, const std::string& data) {
    return Big(data.size(), 4) + std::string(type) + data + "crcc";
  };
  const auto control = [&](int num, int den) {
    return chunk("fcTL", std::string(20, '\0') + Big(num, 2) + Big(den, 2) + std::string(2, '\0'));
  };
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", Big(640, 4) + Big(360, 4) + "12345") + control(1, 4) +
         chunk("IDAT", std::string(100000, 'x')) + control(50, 0) + chunk("IEND", "");
}

std::string Webp() {
  const auto chunk = [](std::string_view type, const std::string& data) {
    return std::string(type) + Little(data.size(), 4) + data + std::string(data.size() & 1, '\0');
  };
  const std::string body = "WEBP" + chunk("VP8X", std::string(4, '\0') + Little(639, 3) + Little(479, 3)) +
                           chunk("ANMF", std::string(12, '\0') + Little(40, 3) + "\x00pixels") +
                           chunk("ANMF", std::string(12, '\0') + Little(60, 3) + "flag");
  return "RIFF" + Little(body.size(), 4) + body;
}

std::string Box(std::string_view type, const std::string& data) {
  return Big(data.size() + 8, 4) + std::string(type) + data;
}

std::string Mp4(bool wide) {
  const std::string times = std::string(wide ? 16 : 8, '\0');
  const std::string version = wide ? std::string("\x01\x00\x00\x00", 4) : std::string(4, '\0');
  const std::string mvhd = version + times + Big(600, 4) + Big(2700, wide ? 8 : 4) + std::string(80, '\0');
  const auto tkhd = [&](int width, int height) {
    return version + std::string(wide ? 84 : 72, '\0') + Big(width, 2) + Big(0, 2) + Big(height, 2) +
           Big(0, 2);
  };
  return Box("ftyp", "isom") + Big(1, 4) + "mdat" + Big(16 + 70000, 8) + std::string(70000, 'm') +
         Box("moov", Box("mvhd", mvhd) + Box("trak", Box("tkhd", tkhd(0, 0))) +
                         Box("trak", Box("tkhd", tkhd(1280, 720)) + Box("mdia", "rest")));
}

FilmFacts Facts(std::string_view type, const std::string& film) {
  return FactsOf(type, film.size(), [&film](std::uint64_t offset, std::size_t count) {
    return offset < film.size() ? film.substr(offset, count) : std::string();
  });
}

std::string Told(const FilmFacts& facts) { return absl::StrCat(facts.Size(), " ", facts.SecondsText()); }

TEST(FilmFactsTest, AreThoseOfTheFile) {
  EXPECT_EQ(Told(Facts("image/gif", Gif())), "320x200 0.75");
  EXPECT_EQ(Told(Facts("image/png", Png())), "640x360 0.75");
  EXPECT_EQ(Told(Facts("image/apng; x=y", Png())), "640x360 0.75");
  EXPECT_EQ(Told(Facts("image/webp", Webp())), "640x480 0.1");
  EXPECT_EQ(Told(Facts("video/mp4", Mp4(false))), "1280x720 4.5");
  EXPECT_EQ(Told(Facts("video/mp4", Mp4(true))), "1280x720 4.5");
}

TEST(FilmFactsTest, NothingIsMadeUp) {
  EXPECT_EQ(Told(Facts("image/gif", Mp4(false))), " ");
  EXPECT_EQ(Told(Facts("text/plain", Gif())), " ");
  EXPECT_EQ(Told(Facts("video/mp4", "")), " ");
  EXPECT_EQ(Told(Facts("video/mp4", std::string(1000, '\xff'))), " ");
}

// Cut off anywhere, or with any byte wrong, it ends; nothing is read outside of it.
TEST(FilmFactsTest, DamagedFilmsEnd) {
  const std::pair<const char*, std::string> films[] = {
      {"image/gif", Gif()}, {"image/webp", Webp()}, {"video/mp4", Mp4(true)}};
  for (const auto& [type, film] : films) {
    for (std::size_t size = 0; size < film.size(); size += size < 300 ? 1 : 997)
      (void)Facts(type, film.substr(0, size));
    for (std::size_t at = 0; at < std::min<std::size_t>(film.size(), 400); ++at) {
      std::string wrong = film;
      wrong[at] = static_cast<char>(wrong[at] ^ 0xff);
      (void)Facts(type, wrong);
    }
  }
}

}  // namespace
}  // namespace ringway::gateway
