#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/plan/packed_file.h"
#include "engine/plan/packed_layout.h"

namespace ringway::engine {
namespace {

// A new file, closed and, unless it was renamed, removed at the end.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path)
      : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)) {}
  ~NewFile() {
    if (fd_ >= 0) ::close(fd_);
    if (fd_ >= 0 && !renamed_) ::unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  absl::Status WriteAt(std::size_t at, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return Failed("cannot be written");
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      at += static_cast<std::size_t>(n);
    }
    return absl::OkStatus();
  }
  absl::Status RenameTo(const std::filesystem::path& to) {
    if (::fsync(fd_) != 0) return Failed("cannot be synchronised to the disk");
    if (::rename(path_.c_str(), to.c_str()) != 0) return Failed("cannot be renamed");
    renamed_ = true;
    // The name too shall survive a loss of power; without it the file is only written once more.
    const int folder = ::open(to.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
      ::fsync(folder);
      ::close(folder);
    }
    return absl::OkStatus();
  }
  bool open() const { return fd_ >= 0; }
  absl::Status Failed(const char* what) const {
    return absl::UnavailableError(absl::StrCat(path_.string(), ": ", what, ": ", std::strerror(errno)));
  }

 private:
  std::filesystem::path path_;
  int fd_;
  bool renamed_ = false;
};

struct PlacedRows {
  std::vector<PackedRow> rows;
  std::size_t data_bytes = 0;
};
PlacedRows Place(std::span<const PackedEntry> entries) {
  PlacedRows placed;
  for (const PackedEntry& entry : entries) {
    placed.rows.push_back({entry.key, placed.data_bytes, entry.bytes.size()});
    placed.data_bytes += RoundedTo(entry.bytes.size(), kAlignment);
  }
  // A page more: a kernel that loads a whole vector at the end of the last entry stays inside.
  placed.data_bytes = RoundedTo(placed.data_bytes, kPackedPage) + kPackedPage;
  return placed;
}

// Entries with the zeros between them, a block at a time.
class BlockWriter {
 public:
  BlockWriter(const NewFile& file, std::size_t begin, std::uint64_t seed)
      : file_(file), at_(begin), seed_(seed), block_(kPackedBlockBytes) {}

  absl::Status Append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), block_.size() - filled_);
      std::copy_n(bytes.begin(), count, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
      filled_ += count;
      bytes = bytes.subspan(count);
      if (filled_ == block_.size())
        if (absl::Status status = Flush(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status AppendZeros(std::size_t bytes) {
    const std::vector<std::byte> zeros(bytes);
    return Append(zeros);
  }
  absl::Status Flush() {
    if (filled_ == 0) return absl::OkStatus();
    const std::span<const std::byte> bytes = std::span(block_).first(filled_);
    sums_.push_back(BlockSum(bytes, seed_ + sums_.size()));
    if (absl::Status status = file_.WriteAt(at_, bytes); !status.ok()) return status;
    at_ += filled_;
    filled_ = 0;
    return absl::OkStatus();
  }
  const std::vector<std::uint64_t>& sums() const { return sums_; }

 private:
  const NewFile& file_;
  std::size_t at_;
  std::uint64_t seed_;
  std::vector<std::byte> block_;
  std::size_t filled_ = 0;
  std::vector<std::uint64_t> sums_;
};

absl::Status WriteAll(const NewFile& file, PackedHeader header, const PlacedRows& placed,
                      std::span<const PackedEntry> entries) {
  const PackedLayout layout = LayoutOf(entries.size(), placed.data_bytes);
  BlockWriter blocks(file, layout.data_begin, BlockSeed(header.key));
  std::size_t at = 0;
  for (const PackedEntry& entry : entries) {
    if (absl::Status status = blocks.Append(entry.bytes); !status.ok()) return status;
    const std::size_t end = RoundedTo(entry.bytes.size(), kAlignment);
    if (absl::Status s = blocks.AppendZeros(end - entry.bytes.size()); !s.ok()) return s;
    at += end;
  }
  if (absl::Status s = blocks.AppendZeros(placed.data_bytes - at); !s.ok()) return s;
  if (absl::Status status = blocks.Flush(); !status.ok()) return status;
  std::vector<std::byte> front(layout.data_begin);
  const auto tables = std::span(front).subspan(sizeof(header), layout.tables_bytes);
  const auto rows = std::as_bytes(std::span(placed.rows)), sums = std::as_bytes(std::span(blocks.sums()));
  std::copy(sums.begin(), sums.end(), std::copy(rows.begin(), rows.end(), tables.begin()));
  header.tables_sum = TablesSum(header, tables);
  std::memcpy(front.data(), &header, sizeof(header));
  return file.WriteAt(0, front);
}

}  // namespace

std::size_t PackedFileBytes(std::span<const PackedEntry> entries) {
  return LayoutOf(entries.size(), Place(entries).data_bytes).file_bytes;
}

absl::Status WritePackedFile(const std::filesystem::path& path, const std::filesystem::path& unfinished,
                             const Hash128& key, std::span<const PackedEntry> entries) {
  NewFile file(unfinished);
  if (!file.open()) return file.Failed("cannot be created");
  const PlacedRows placed = Place(entries);
  PackedHeader header;
  std::copy(std::begin(kPackedMagic), std::end(kPackedMagic), header.magic);
  header.key = key;
  header.entries = entries.size();
  header.data_bytes = placed.data_bytes;
  if (absl::Status status = WriteAll(file, header, placed, entries); !status.ok()) return status;
  return file.RenameTo(path);
}

}  // namespace ringway::engine
