#include "core/rng.h"

#include <cmath>

namespace ringway {
namespace {

std::uint64_t SplitMix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = seed;
  x = SplitMix(x) ^ (stream * 0xd1342543de82ef95ULL);
  for (std::uint64_t& word : state_) word = SplitMix(x);
}

std::uint64_t Rng::Below(std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(Next()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(Next()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Rng::Exponential() { return -std::log1p(-Uniform()); }

double Rng::Normal() {
  for (;;) {
    const double u = 2 * Uniform() - 1;
    const double v = 2 * Uniform() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

double Rng::LogNormal(double mean, double cv) {
  const double variance = std::log1p(cv * cv);
  return mean * std::exp(std::sqrt(variance) * Normal() - variance / 2);
}

double Rng::Gamma(double mean, double cv) {
  const double shape = 1 / (cv * cv);
  // Below a shape of 1 it is the Gamma of one more, times a power of a uniform value.
  const double boost = shape < 1 ? std::pow(1 - Uniform(), 1 / shape) : 1;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  for (;;) {
    const double x = Normal();
    const double v = std::pow(1 + x / std::sqrt(9 * d), 3);
    if (v > 0 && std::log(1 - Uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return mean * boost * d * v / shape;
    }
  }
}

}  // namespace ringway
