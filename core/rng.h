// Random numbers for decisions: seeded, cheap, the same on every machine.
//
// xoshiro256++ by Blackman and Vigna (https://prng.di.unimi.it, public domain algorithm), seeded through
// splitmix64. A stream is derived from a seed and a purpose number, so that adding a draw in one place does
// not shift another (common random numbers). The distributions are ours because the standard ones differ
// between libraries. Never two draws in one expression: the order of evaluation is not fixed. About 1 ns a
// draw. Not for secrets. One owner thread.
#ifndef RINGWAY_CORE_RNG_H_
#define RINGWAY_CORE_RNG_H_

#include <array>
#include <bit>
#include <cstdint>

#include "core/state.h"

namespace ringway {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);
  std::uint64_t Next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  // Uniform in [0, 1), 53 bits.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  // Uniform in [0, n), n > 0, without modulo bias (Lemire's multiply-shift with rejection).
  std::uint64_t Below(std::uint64_t n);
  bool Chance(double p) { return Uniform() < p; }
  // Mean 1.
  double Exponential();
  // Mean 0, standard deviation 1 (Marsaglia's polar method; no value is kept between calls).
  double Normal();
  // Log-normal with the given mean and coefficient of variation.
  double LogNormal(double mean, double cv);
  // Gamma with the given mean and coefficient of variation (Marsaglia and Tsang, 2000).
  double Gamma(double mean, double cv);

  RINGWAY_STATE(state_)

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_RNG_H_
