// Packed weights in a file, so that opening a model again maps them instead of packing them.
//
//   header   64 bytes: magic, version, block size, key of the file, counts, a checksum of header and tables
//   tables   of every entry: key, place, bytes; of every block: its checksum (checkpoint/block_sum.h)
//   entries  each at a multiple of kAlignment from the start of a page; a page of zeros at the end
//
// Open trusts nothing: a file that is cut, of another key or version, or damaged in any byte is refused with
// the reason. Every block is summed before an entry is handed out, by several threads: one pass over the
// mapped bytes at the speed of memory, of pages that the first run of the network reads anyway. Writing is to
// a name of its own, which is synchronised to the disk and then renamed: whenever a writer dies, the file is
// the old one, absent, or whole. Little-endian machines only. A PackedFile is immutable; any thread.
#ifndef RINGWAY_ENGINE_PLAN_PACKED_FILE_H_
#define RINGWAY_ENGINE_PLAN_PACKED_FILE_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/graph/canonical.h"

namespace ringway::engine {

// A packed weight, with what keeps its bytes in memory.
struct PackedEntry {
  Hash128 key;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

class PackedFile {
 public:
  // NotFound where there is none; InvalidArgument says what is wrong with it.
  static absl::StatusOr<std::shared_ptr<const PackedFile>> Open(const std::filesystem::path& path,
                                                                const Hash128& key);
  std::optional<std::span<const std::byte>> Find(const Hash128& key) const;
  std::size_t size_bytes() const { return file_.bytes().size(); }

 private:
  explicit PackedFile(MappedFile file) : file_(std::move(file)) {}
  absl::Status ReadTables(const Hash128& key);
  absl::Status CheckBlocks() const;
  absl::Status Wrong(std::string_view what) const;

  MappedFile file_;
  std::size_t data_begin_ = 0;
  std::uint64_t seed_ = 0;  // of the blocks' sums
  std::span<const std::byte> sums_;
  std::map<Hash128, std::span<const std::byte>> entries_;  // as many as the file says, at most kEntriesMax
};

// What PackedFileBytes says for these entries is what WritePackedFile takes of the disk.
std::size_t PackedFileBytes(std::span<const PackedEntry> entries);
// Into `unfinished`, which is then renamed to `path`. Unavailable where the disk is full or refuses.
absl::Status WritePackedFile(const std::filesystem::path& path, const std::filesystem::path& unfinished,
                             const Hash128& key, std::span<const PackedEntry> entries);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_PACKED_FILE_H_
