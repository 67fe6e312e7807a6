#include "router/once/rendezvous.h"

#include <cstddef>

namespace ringway::router::once {
namespace {

// The finalizer of MurmurHash3 (Austin Appleby, public domain).
std::uint64_t Mix(std::uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

std::uint64_t Word(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t StableHash(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t h = Mix(seed + 0x9e3779b97f4a7c15ULL + bytes.size());
  while (bytes.size() >= 8) {
    h = Mix(h ^ Word(bytes.data(), 8)) + 0x9e3779b97f4a7c15ULL;
    bytes.remove_prefix(8);
  }
  return Mix(h ^ Word(bytes.data(), bytes.size()));
}

std::vector<std::uint64_t> Rank(std::string_view key, const std::vector<std::uint64_t>& marks) {
  struct Scored {
    std::uint64_t score = 0;
    std::uint64_t mark = 0;
  };
  std::vector<Scored> best;
  const std::uint64_t hash = StableHash(key);
  for (const std::uint64_t mark : marks) {
    const std::uint64_t score = Mix(hash ^ Mix(mark));
    std::size_t at = best.size();
    while (at > 0 && best[at - 1].score < score) --at;
    if (at >= kReplicasMax) continue;
    best.insert(best.begin() + static_cast<std::ptrdiff_t>(at), {score, mark});
    if (best.size() > kReplicasMax) best.pop_back();
  }
  std::vector<std::uint64_t> ranked;
  for (const Scored& scored : best) ranked.push_back(scored.mark);
  return ranked;
}

}  // namespace ringway::router::once
