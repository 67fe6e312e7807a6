// How a file of packed weights lies on the disk: what its reader and its writer have in common.
//
// All numbers are little-endian. The sum in the header covers the header up to it and both tables; the sum of
// each block of entries is seeded with the file's key and the block's number, so a block of another file, or
// from another place of this one, does not pass. Raise kPackedVersion with any change here; how weights are
// packed is in the key (PackedKey). O(1) but for the tables' sum.
#ifndef RINGWAY_ENGINE_PLAN_PACKED_LAYOUT_H_
#define RINGWAY_ENGINE_PLAN_PACKED_LAYOUT_H_

#include <cstdint>
#include <span>

#include "engine/checkpoint/block_sum.h"
#include "engine/graph/canonical.h"
#include "engine/tensor/tensor.h"

namespace ringway::engine {

inline constexpr char kPackedMagic[8] = {'r', 'w', 'p', 'a', 'c', 'k', 'e', 'd'};
inline constexpr std::uint32_t kPackedVersion = 1;
inline constexpr std::size_t kPackedBlockBytes = std::size_t{1} << 20;
inline constexpr std::size_t kPackedPage = 4096;
inline constexpr std::uint64_t kPackedEntriesMax = 1 << 20;

struct PackedHeader {
  char magic[8] = {};
  std::uint32_t version = kPackedVersion;
  std::uint32_t block_bytes = kPackedBlockBytes;
  Hash128 key;
  std::uint64_t entries = 0, data_bytes = 0;  // with the page of zeros
  std::uint64_t reserved = 0;
  std::uint64_t tables_sum = 0;
};
static_assert(sizeof(PackedHeader) == 64);

struct PackedRow {
  Hash128 key;
  std::uint64_t begin = 0, bytes = 0;  // from the first entry on
};
static_assert(sizeof(PackedRow) == 32);

constexpr std::size_t RoundedTo(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }
constexpr std::size_t BlocksOf(std::size_t data_bytes) {
  return (data_bytes + kPackedBlockBytes - 1) / kPackedBlockBytes;
}

struct PackedLayout {
  std::size_t tables_bytes = 0, data_begin = 0, file_bytes = 0;
};
constexpr PackedLayout LayoutOf(std::size_t entries, std::size_t data_bytes) {
  PackedLayout layout;
  layout.tables_bytes = entries * sizeof(PackedRow) + BlocksOf(data_bytes) * sizeof(std::uint64_t);
  layout.data_begin = RoundedTo(sizeof(PackedHeader) + layout.tables_bytes, kPackedPage);
  layout.file_bytes = layout.data_begin + data_bytes;
  return layout;
}

inline std::uint64_t BlockSeed(const Hash128& key) { return key.high ^ key.low * 3; }
inline std::uint64_t TablesSum(const PackedHeader& header, std::span<const std::byte> tables) {
  const auto before = std::as_bytes(std::span(&header, 1)).first(sizeof(header) - sizeof(header.tables_sum));
  return BlockSum(tables, BlockSum(before, BlockSeed(header.key)));
}

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_PACKED_LAYOUT_H_
