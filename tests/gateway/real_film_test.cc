// What the API says of a film that the engine's own encoders wrote: its size and how long it runs.
#include <gtest/gtest.h>

#include "engine/media/encode.h"
#include "gateway/jobs/film_facts.h"

namespace ringway::gateway {
namespace {

engine::Animation Fade(int width, int height, int frames, int delay_ms) {
  engine::Animation animation;
  animation.delay_ms = delay_ms;
  for (int f = 0; f < frames; ++f) {
    animation.frames.push_back(engine::Picture::Blank(width, height));
    for (auto& value : animation.frames.back().rgb) value = static_cast<std::uint8_t>(20 * f);
  }
  return animation;
}

FilmFacts FactsOfFile(const std::string& type, const std::string& file) {
  return FactsOf(type, file.size(),
                 [&file](std::uint64_t offset, std::size_t count) { return file.substr(offset, count); });
}

TEST(RealFilm, TheDefaultFormatSaysItsSizeAndLength) {
  const auto file = engine::EncodeAnimation(Fade(64, 48, 10, 50), engine::DefaultAnimationFormat());
  ASSERT_TRUE(file.ok()) << file.status();
  const bool mp4 = engine::AnimationFormatOf("mp4").has_value();
  const FilmFacts facts = FactsOfFile(mp4 ? "video/mp4" : "image/gif", *file);
  EXPECT_EQ(facts.Size(), "64x48");
  EXPECT_EQ(facts.SecondsText(), "0.5");
}

TEST(RealFilm, AnAskedFormatSaysTheSame) {
  const std::pair<engine::AnimationFormat, const char*> formats[] = {
      {engine::AnimationFormat::kGif, "image/gif"},
      {engine::AnimationFormat::kApng, "image/apng"},
      {engine::AnimationFormat::kWebp, "image/webp"}};
  for (const auto& [format, type] : formats) {
    const auto file = engine::EncodeAnimation(Fade(64, 48, 10, 50), format);
    ASSERT_TRUE(file.ok()) << file.status();
    const FilmFacts facts = FactsOfFile(type, *file);
    EXPECT_EQ(facts.Size(), "64x48") << type;
    EXPECT_EQ(facts.SecondsText(), "0.5") << type;
  }
}

}  // namespace
}  // namespace ringway::gateway
