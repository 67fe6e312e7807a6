#include "engine/plan/packed_file.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "engine/checkpoint/block_sum.h"
#include "engine/plan/packed_layout.h"

namespace ringway::engine {
namespace {

constexpr unsigned kCheckingThreadsMax = 8;

std::uint64_t SumAt(std::span<const std::byte> sums, std::size_t block) {
  std::uint64_t sum = 0;
  std::memcpy(&sum, sums.data() + block * sizeof(sum), sizeof(sum));
  return sum;
}

}  // namespace

absl::Status PackedFile::Wrong(std::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": ", AbslView(what)));
}

absl::StatusOr<std::shared_ptr<const PackedFile>> PackedFile::Open(const std::filesystem::path& path,
                                                                   const Hash128& key) {
  absl::StatusOr<MappedFile> mapped = MappedFile::Open(path);
  if (!mapped.ok()) return mapped.status();
  std::shared_ptr<PackedFile> file(new PackedFile(*std::move(mapped)));
  if (absl::Status status = file->ReadTables(key); !status.ok()) return status;
  if (absl::Status status = file->CheckBlocks(); !status.ok()) return status;
  return std::shared_ptr<const PackedFile>(std::move(file));
}

absl::Status PackedFile::ReadTables(const Hash128& key) {
  const std::span<const std::byte> bytes = file_.bytes();
  PackedHeader header;
  if (bytes.size() < sizeof(header)) return Wrong("is cut: it has no whole header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, kPackedMagic, sizeof(kPackedMagic)) != 0 ||
      header.version != kPackedVersion || header.block_bytes != kPackedBlockBytes)
    return Wrong("is no file of packed weights of this release");
  if (header.key != key) return Wrong("holds the packed weights of another model, or of other files of it");
  if (header.entries > kPackedEntriesMax || header.data_bytes > bytes.size())
    return Wrong("is cut, or its header is damaged");
  const PackedLayout layout = LayoutOf(header.entries, header.data_bytes);
  if (layout.file_bytes != bytes.size())
    return Wrong(absl::StrCat("has ", bytes.size(), " bytes; its header says ", layout.file_bytes));
  const std::span<const std::byte> tables = bytes.subspan(sizeof(header), layout.tables_bytes);
  if (header.tables_sum != TablesSum(header, tables)) return Wrong("has damaged tables");
  data_begin_ = layout.data_begin;
  seed_ = BlockSeed(header.key);
  sums_ = tables.subspan(header.entries * sizeof(PackedRow));
  for (std::size_t i = 0; i < header.entries; ++i) {
    PackedRow row;
    std::memcpy(&row, tables.data() + i * sizeof(row), sizeof(row));
    if (row.begin % kAlignment != 0 || row.begin > header.data_bytes ||
        row.bytes > header.data_bytes - row.begin)
      return Wrong("has an entry that lies outside");
    entries_[row.key] = bytes.subspan(data_begin_ + row.begin, row.bytes);
  }
  return absl::OkStatus();
}

absl::Status PackedFile::CheckBlocks() const {
  const std::span<const std::byte> data = file_.bytes().subspan(data_begin_);
  const std::size_t blocks = BlocksOf(data.size());
  std::atomic<std::size_t> next = 0, damaged = blocks;
  const auto check = [&] {
    for (std::size_t block = next++; block < blocks && damaged == blocks; block = next++) {
      const std::size_t begin = block * kPackedBlockBytes;
      const auto bytes = data.subspan(begin, std::min(kPackedBlockBytes, data.size() - begin));
      if (BlockSum(bytes, seed_ + block) != SumAt(sums_, block)) damaged = block;
    }
  };
  const std::size_t processors = std::clamp(std::thread::hardware_concurrency(), 1u, kCheckingThreadsMax);
  std::vector<std::thread> others;
  try {
    for (std::size_t i = 1; i < std::min(processors, blocks); ++i) others.emplace_back(check);
  } catch (const std::system_error&) {
    // Those that could be started, and this one, do it all.
  }
  check();
  for (std::thread& thread : others) thread.join();
  if (damaged == blocks) return absl::OkStatus();
  return Wrong(absl::StrCat("is damaged in block ", damaged.load(), " of ", blocks,
                            ": its checksum is not that of what is there"));
}

std::optional<std::span<const std::byte>> PackedFile::Find(const Hash128& key) const {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return std::nullopt;
  return at->second;
}

}  // namespace ringway::engine
