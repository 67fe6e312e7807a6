#include "engine/checkpoint/block_sum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ringway::engine {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;

std::uint64_t Step(std::uint64_t lane, std::uint64_t word) { return std::rotl((lane ^ word) * kOdd, 29); }

}  // namespace

std::uint64_t BlockSum(std::span<const std::byte> bytes, std::uint64_t seed) {
  std::uint64_t lanes[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = Step(seed, i + 1);
  std::size_t at = 0;
  for (; bytes.size() - at >= sizeof(lanes); at += sizeof(lanes)) {
    std::uint64_t words[kLanes];
    std::memcpy(words, bytes.data() + at, sizeof(words));
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = Step(lanes[i], words[i]);
  }
  for (; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    lanes[0] = Step(lanes[0], word);
  }
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t lane : lanes) sum = Step(sum, lane);
  // Every bit of the sum depends on every bit of the last words too.
  sum = (sum ^ (sum >> 32)) * kOdd;
  return sum ^ (sum >> 29);
}

}  // namespace ringway::engine
