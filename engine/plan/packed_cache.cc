#include "engine/plan/packed_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::engine {
namespace {

constexpr char kPackedEnding[] = ".packed", kUnfinishedEnding[] = ".unfinished";
constexpr std::chrono::milliseconds kLockPoll{20};
constexpr int kLockPolls = 3000;  // a minute: the largest models are written in less

// The right to write into a directory; it ends with its process, however that ends.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory)
      : fd_(::open((directory / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644)) {}
  ~DirectoryLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  absl::Status Take() const {
    if (fd_ < 0) return absl::UnavailableError(absl::StrCat("cannot be locked: ", std::strerror(errno)));
    for (int poll = 0; poll < kLockPolls; ++poll) {
      if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
      std::this_thread::sleep_for(kLockPoll);
    }
    return absl::UnavailableError("another process has been writing there for a minute");
  }

 private:
  int fd_;
};

struct KeptFile {
  std::filesystem::path path;
  std::filesystem::file_time_type used;
  std::size_t bytes = 0;
};

}  // namespace

std::filesystem::path PackedCache::FileOf(const Hash128& key) const {
  return options_.directory / absl::StrFormat("%016x%016x%s", key.high, key.low, kPackedEnding);
}

std::shared_ptr<const PackedFile> PackedCache::Find(const Hash128& key) const {
  const std::filesystem::path path = FileOf(key);
  absl::StatusOr<std::shared_ptr<const PackedFile>> file = PackedFile::Open(path, key);
  if (!file.ok()) {
    if (!absl::IsNotFound(file.status()))
      Log(absl::StrCat("packed weights are not used, the model's own files are read again: ",
                       file.status().message()));
    return nullptr;
  }
  std::error_code error;  // when it was used last; a directory that may only be read is fine too
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), error);
  return *std::move(file);
}

void PackedCache::Store(const Hash128& key, std::vector<PackedEntry> entries) {
  const std::lock_guard lock(mutex_);
  if (writing_.size() >= kWritingMax) writing_.erase(writing_.begin());  // waits for the oldest
  try {
    writing_.push_back(std::async(std::launch::async, [this, key, entries = std::move(entries)] {
      const std::lock_guard one(writing_one_);
      const absl::Status status = Write(key, entries);
      if (!status.ok())
        Log(absl::StrCat("packed weights are not kept in ", options_.directory.string(), ": ",
                         status.message()));
    }));
  } catch (const std::system_error& error) {  // no thread to be had
    Log(absl::StrCat("packed weights are not kept in ", options_.directory.string(), ": ", error.what()));
  }
}

void PackedCache::Wait() {
  const std::lock_guard lock(mutex_);
  writing_.clear();
}

absl::Status PackedCache::Write(const Hash128& key, std::span<const PackedEntry> entries) const {
  std::error_code error;
  std::filesystem::create_directories(options_.directory, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot be made: ", error.message()));
  const DirectoryLock lock(options_.directory);
  if (absl::Status status = lock.Take(); !status.ok()) return status;
  if (absl::Status status = MakeRoom(PackedFileBytes(entries)); !status.ok()) return status;
  const std::filesystem::path path = FileOf(key);
  return WritePackedFile(path, path.string() + kUnfinishedEnding, key, entries);
}

// Under the lock: nobody else writes, so what is unfinished was left by a process that died.
absl::Status PackedCache::MakeRoom(std::size_t bytes) const {
  if (bytes > options_.bytes_max)
    return absl::ResourceExhaustedError(
        absl::StrCat("they take ", bytes, " bytes; at most ", options_.bytes_max, " may be kept there"));
  std::error_code error;
  std::vector<KeptFile> kept;
  std::size_t total = 0;
  std::filesystem::directory_iterator at(options_.directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::filesystem::directory_entry& entry = *at;
    const std::filesystem::path& path = entry.path();
    std::error_code gone;
    if (path.extension() == kUnfinishedEnding) std::filesystem::remove(path, gone);
    if (path.extension() != kPackedEnding || !entry.is_regular_file(gone)) continue;
    const std::size_t size = entry.file_size(gone);
    if (gone) continue;
    kept.push_back({path, entry.last_write_time(gone), size});
    total += size;
  }
  std::sort(kept.begin(), kept.end(), [](const KeptFile& a, const KeptFile& b) { return a.used < b.used; });
  for (const KeptFile& file : kept) {
    if (total + bytes <= options_.bytes_max) break;
    if (std::filesystem::remove(file.path, error)) total -= file.bytes;
  }
  if (total + bytes <= options_.bytes_max) return absl::OkStatus();
  return absl::ResourceExhaustedError("older files cannot be removed to make room");
}

}  // namespace ringway::engine
