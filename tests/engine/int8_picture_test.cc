// The bundled picture model in int8 against itself in f32: the same sentences and seeds, how far the pictures
// are apart, with a LoRA and without, and what its weights take.
//
// The bounds are what was measured less a few decibels: another machine rounds otherwise.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "engine/bundled_pictures.h"
#include "engine/picture_engine.h"

namespace ringway::engine {
namespace {

constexpr const char* kPrompts[] = {"two red boats on the sea on the left at dusk under a cloudy sky",
                                    "a blue house on a meadow by day under a clear sky",
                                    "three yellow kites on the right on a beach at night in the rain",
                                    "a white lighthouse in the middle in snow at dusk under a clear sky"};

std::unique_ptr<PictureEngine> OpenedIn(Precision precision) {
  const auto folder = FindPictureModel(kScenes);
  RINGWAY_CHECK(folder.ok());
  auto opened = PictureEngine::Open(*folder, {.threads = 2, .precision = precision});
  RINGWAY_CHECK(opened.ok());
  return *std::move(opened);
}

Picture DrawnBy(PictureEngine& engine, const char* prompt, const std::vector<AdapterFile>& adapters = {}) {
  const auto drawn = engine.Draw({.prompt = prompt, .seed = 7, .adapters = adapters}, {}, {});
  RINGWAY_CHECK(drawn.ok());
  return drawn->picture;
}

double SquaredError(const Picture& a, const Picture& b) {
  RINGWAY_CHECK(a.rgb.size() == b.rgb.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i)
    sum += (a.rgb[i] - b.rgb[i]) * double{1} * (a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}
double Decibels(double squared_error) { return 10 * std::log10(255.0 * 255.0 / (squared_error + 1e-9)); }

std::vector<Picture> DrawnBy(PictureEngine& engine) {
  std::vector<Picture> pictures;
  for (const char* prompt : kPrompts) pictures.push_back(DrawnBy(engine, prompt));
  return pictures;
}

// Over all sentences.
double Psnr(const std::vector<Picture>& drawn, const std::vector<Picture>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) sum += SquaredError(drawn[i], expected[i]);
  return Decibels(sum / static_cast<double>(drawn.size()));
}

std::string NameOf(Precision precision) {
  return std::string(kPrecisionNames[static_cast<std::size_t>(precision)]);
}

class Int8Pictures : public testing::Test {
 protected:
  void SetUp() override {
    if (!FindPictureModel(kScenes).ok()) GTEST_SKIP() << "the bundled picture model is absent";
  }
};

TEST_F(Int8Pictures, AreNearThoseOfFullPrecision) {
  const std::vector<Picture> f32 = DrawnBy(*OpenedIn(Precision::kF32));
  const auto bf16 = OpenedIn(Precision::kBF16);
  const double plain = Psnr(DrawnBy(*bf16), f32), bf16_bytes = static_cast<double>(bf16->residency().bytes);
  std::printf("  bf16 (f32 where it is not native): %.1f dB, weights %.1f MB\n", plain, bf16_bytes / 1e6);
  for (const Precision precision : {Precision::kInt8, Precision::kInt8Weights}) {
    const auto int8 = OpenedIn(precision);
    const double psnr = Psnr(DrawnBy(*int8), f32), bytes = static_cast<double>(int8->residency().bytes);
    std::printf("  %s: %.1f dB, weights %.1f MB, %.2f of bf16's, convolutions of 3 x 3 and all\n",
                NameOf(precision).c_str(), psnr, bytes / 1e6, bytes / bf16_bytes);
    EXPECT_GT(psnr, precision == Precision::kInt8 ? 46.0 : 48.0);
    EXPECT_LT(psnr, 80.0) << "or nothing was quantised";
    EXPECT_LT(bytes, bf16_bytes);
  }
}

// The layers that a LoRA touches are quantised once more, of the sum; without it, all is as it was.
TEST_F(Int8Pictures, FollowAdapters) {
  const std::vector<AdapterFile> sketch = {{BundledAdapterOr("sketch"), 1}};
  const Picture f32 = DrawnBy(*OpenedIn(Precision::kF32), kPrompts[0], sketch);
  for (const Precision precision : {Precision::kInt8, Precision::kInt8Weights}) {
    const auto int8 = OpenedIn(precision);
    const Picture before = DrawnBy(*int8, kPrompts[0]), drawn = DrawnBy(*int8, kPrompts[0], sketch);
    const double psnr = Decibels(SquaredError(drawn, f32)), moved = Decibels(SquaredError(drawn, before));
    std::printf("  %s, with a LoRA: %.1f dB from f32 with it; it moves the picture to %.1f dB\n",
                NameOf(precision).c_str(), psnr, moved);
    EXPECT_GT(psnr, 42.0);
    EXPECT_LT(moved, 20.0) << "far more than quantising does";
    EXPECT_EQ(DrawnBy(*int8, kPrompts[0]).rgb, before.rgb);
  }
}

}  // namespace
}  // namespace ringway::engine
