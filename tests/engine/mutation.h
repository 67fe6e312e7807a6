// Damaged copies of valid files: what a broken download, a bad disk or an attacker hands to a parser.
//
// Each call draws one to four of: truncation, changed bits, a changed byte, an "interesting" 8/32/64-bit
// number (zero, ones, sign boundaries) written anywhere, a run copied over another, a run removed, a run
// inserted. Seeded: a failing case is named by its number alone.
#ifndef RINGWAY_TESTS_ENGINE_MUTATION_H_
#define RINGWAY_TESTS_ENGINE_MUTATION_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/rng.h"

namespace ringway::engine {

inline std::size_t Somewhere(const std::string& s, Rng& rng) { return rng.Below(s.size() + 1); }

inline void MutateOnce(std::string& s, Rng& rng) {
  static constexpr std::uint64_t kInteresting[] = {0,           1,          0x7f,        0x80,
                                                   0xff,        0x7fffffff, 0x80000000u, 0xffffffff,
                                                   0x100000000, ~0ull,      ~0ull >> 1,  1ull << 63};
  if (s.empty()) s = "x";
  const std::size_t at = rng.Below(s.size());
  const std::size_t run = rng.Below(std::min<std::size_t>(s.size() - at, 64) + 1);
  switch (rng.Below(7)) {
    case 0:
      s.resize(at);
      break;
    case 1:
      s[at] = static_cast<char>(s[at] ^ (1 << rng.Below(8)));
      break;
    case 2:
      s[at] = static_cast<char>(rng.Below(256));
      break;
    case 3: {
      const std::uint64_t number = kInteresting[rng.Below(std::size(kInteresting))];
      const std::size_t width = std::min<std::size_t>(std::size_t{1} << rng.Below(4), s.size() - at);
      std::memcpy(s.data() + at, &number, width);
      break;
    }
    case 4:
      s.replace(rng.Below(s.size()), run, s.substr(at, run));
      break;
    case 5:
      s.erase(at, run);
      break;
    default:
      s.insert(Somewhere(s, rng), s.substr(at, run));
      break;
  }
}

inline std::string Mutated(const std::string& valid, std::uint64_t number) {
  Rng rng(number, 77);
  std::string s = valid;
  const std::uint64_t times = 1 + rng.Below(4);
  for (std::uint64_t i = 0; i < times; ++i) MutateOnce(s, rng);
  return s;
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_MUTATION_H_
