#include "engine/media/drawn_picture.h"

#include <algorithm>
#include <cmath>

#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

constexpr float kHorizon = 0.52f;
constexpr int kFiner = 2;  // drawn larger, then averaged: smooth edges

struct Color {
  float r, g, b;
};
Color Mix(const Color& a, const Color& b, float t) {
  const float s = std::clamp(t, 0.0f, 1.0f);
  return {a.r + (b.r - a.r) * s, a.g + (b.g - a.g) * s, a.b + (b.b - a.b) * s};
}

// Value noise: hashed corners, smoothly joined.
float Corner(int x, int y) {
  auto h = static_cast<std::uint32_t>(x) * 374761393u + static_cast<std::uint32_t>(y) * 668265263u;
  h = (h ^ (h >> 13)) * 1274126177u;
  return static_cast<float>((h ^ (h >> 16)) & 0xffffu) / 65535.0f;
}
float Noise(float x, float y) {
  const float fx = std::floor(x), fy = std::floor(y);
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
  const float tx = (x - fx) * (x - fx) * (3 - 2 * (x - fx)), ty = (y - fy) * (y - fy) * (3 - 2 * (y - fy));
  const float top = Corner(ix, iy) + (Corner(ix + 1, iy) - Corner(ix, iy)) * tx;
  const float low = Corner(ix, iy + 1) + (Corner(ix + 1, iy + 1) - Corner(ix, iy + 1)) * tx;
  return top + (low - top) * ty;
}
float Cloudy(float x, float y) {
  float sum = 0, size = 0.5f;
  for (int octave = 0; octave < 5; ++octave, size /= 2, x *= 2, y *= 2) sum += size * Noise(x, y);
  return sum;
}

// All in units of the picture's height, x from its middle.
Color Sky(float x, float y) {
  Color sky = Mix({84, 143, 214}, {236, 214, 190}, y / kHorizon);
  const float sun = std::hypot(x - 0.38f, y - 0.17f);
  sky = Mix(sky, {255, 246, 214}, std::exp(-sun * sun * 60));
  if (sun < 0.052f) sky = {255, 250, 228};
  return Mix(sky, {252, 250, 248},
             (Cloudy(x * 2.2f + 7, y * 5.5f + 3) - 0.5f) * 3.2f * (1 - y / kHorizon * 0.6f));
}

bool Hills(float x, float y, Color& color) {
  const float far = kHorizon - 0.10f - 0.09f * Cloudy(x * 1.6f + 11, 0.5f);
  const float near = kHorizon - 0.015f - 0.10f * Cloudy(x * 2.7f + 31, 4.5f);
  if (y > near) {
    color = Mix({52, 84, 60}, {86, 122, 70}, Cloudy(x * 30, y * 60));
  } else if (y > far) {
    color = Mix({112, 134, 156}, {136, 156, 168}, Cloudy(x * 9, y * 20));
  } else {
    return false;
  }
  return true;
}

Color Water(float x, float y) {
  const float depth = (y - kHorizon) / (1 - kHorizon);
  const float nearness = 0.02f + depth;  // waves grow towards the eye
  const float wave = std::sin((y - kHorizon) / nearness * 46 + 1.3f * Noise(x * 9, y * 30)) *
                     Noise(x * 5 / nearness + 5, y * 42 / nearness);
  Color water = Mix({118, 158, 184}, {22, 66, 98}, depth * 1.15f);
  water = Mix(water, {226, 236, 232}, wave * 0.55f);
  const float glitter = std::exp(-std::pow((x - 0.38f) / (0.05f + 0.12f * depth), 2.0f));
  return Mix(water, {255, 240, 206}, glitter * (0.25f + 0.5f * wave));
}

// A boat with its middle on the water at (-0.18, 0.66): hull, mast, two sails, a flag.
bool Boat(float x, float y, Color& color) {
  const float u = x + 0.18f, v = y - 0.66f;
  const float hull_half = 0.17f - 1.1f * v * v - 0.45f * std::max(0.0f, v);
  if (v > -0.012f + 0.10f * u * u && v < 0.058f && std::abs(u) < hull_half) {
    color = v < 0.010f ? Color{246, 242, 232} : Mix({158, 44, 38}, {104, 26, 30}, v * 18);
  } else if (std::abs(u) < 0.0045f && v > -0.40f && v <= 0) {
    color = {92, 62, 38};
  } else if (u > 0.010f && v > -0.36f && v < -0.035f && u < 0.155f * (v + 0.36f) / 0.325f) {
    color = Mix({252, 248, 238}, {222, 214, 202}, u * 7);
  } else if (u < -0.010f && v > -0.31f && v < -0.035f && -u < 0.115f * (v + 0.31f) / 0.275f) {
    color = Mix({240, 226, 196}, {226, 148, 82}, -u * 8);
  } else if (u > 0 && u < 0.07f && std::abs(v + 0.383f + 0.008f * std::sin(u * 90)) < 0.018f) {
    color = {204, 52, 46};
  } else {
    return false;
  }
  return true;
}

// Stalks that stand in the foreground, each leaning a little, thinner towards the top.
bool Reeds(float x, float y, float half_width, Color& color) {
  for (int i = 0; i < 26; ++i) {
    const float foot = half_width - 0.46f + 0.019f * static_cast<float>(i) + 0.014f * Corner(i, 1);
    const float height = 0.16f + 0.24f * Corner(i, 2);
    const float up = (1.02f - y) / height;
    if (up < 0 || up > 1) continue;
    const float off = std::abs(x - foot - 0.06f * (Corner(i, 3) - 0.4f) * up * up);
    if (up > 0.80f && Corner(i, 4) > 0.45f && off < 0.0095f) {
      color = {96, 62, 34};
      return true;
    }
    if (off < 0.0055f * (1.15f - up)) {
      color = Mix({48, 82, 34}, {134, 160, 66}, up * 0.8f + 0.3f * Corner(i, 5));
      return true;
    }
  }
  return false;
}

Color At(float x, float y, float half_width) {
  Color color{};
  if (Reeds(x, y, half_width, color) || Boat(x, y, color)) return color;
  if (y >= kHorizon) return Water(x, y);
  return Hills(x, y, color) ? color : Sky(x, y);
}

}  // namespace

Picture DrawPicture(int width, int height) {
  Picture large = Picture::Blank(width * kFiner, height * kFiner);
  const float unit = 1.0f / static_cast<float>(large.height);
  const float half_width = 0.5f * static_cast<float>(large.width) * unit;
  for (int y = 0; y < large.height; ++y) {
    for (int x = 0; x < large.width; ++x) {
      const Color c = At((static_cast<float>(x) + 0.5f) * unit - half_width,
                         (static_cast<float>(y) + 0.5f) * unit, half_width);
      const float channels[] = {c.r, c.g, c.b};
      for (int i = 0; i < 3; ++i)
        large.At(x, y)[i] = static_cast<std::uint8_t>(std::clamp(channels[i], 0.0f, 255.0f));
    }
  }
  return Resize(large, width, height);
}

}  // namespace ringway::engine
