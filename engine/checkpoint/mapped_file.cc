#include "engine/checkpoint/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

// Closes a descriptor when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

absl::Status SystemError(const std::filesystem::path& path, const char* what) {
  const int error = errno;
  const std::string text = absl::StrCat(path.string(), ": ", what, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
}

struct FileFacts {
  std::size_t bytes = 0;
  std::int64_t modified_ns = 0;
};
absl::StatusOr<FileFacts> RegularFile(const Descriptor& file, const std::filesystem::path& path) {
  if (file.get() < 0) return SystemError(path, "cannot open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return SystemError(path, "cannot stat");
  if (!S_ISREG(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": is not a regular file"));
  return FileFacts{static_cast<std::size_t>(info.st_size),
                   std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

}  // namespace

absl::StatusOr<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  const Descriptor file(path);
  const absl::StatusOr<FileFacts> facts = RegularFile(file, path);
  if (!facts.ok()) return facts.status();
  MappedFile mapped;
  mapped.path_ = path.string();
  mapped.size_ = facts->bytes;
  mapped.modified_ns_ = facts->modified_ns;
  if (facts->bytes == 0) return mapped;
  void* begin = ::mmap(nullptr, facts->bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (begin == MAP_FAILED) return SystemError(path, "cannot map");
  mapped.begin_ = std::shared_ptr<const std::byte>(
      static_cast<const std::byte*>(begin),
      [size = facts->bytes](const std::byte* p) { ::munmap(const_cast<std::byte*>(p), size); });
  return mapped;
}

void MappedFile::Forget(std::size_t begin, std::size_t end) const {
  // Outward to whole pages: what a neighbour loses is in the page cache still.
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (begin_ == nullptr || begin >= end || end > size_) return;
  const std::size_t from = begin / page * page;
  ::madvise(const_cast<std::byte*>(begin_.get() + from), end - from, MADV_DONTNEED);
}

absl::StatusOr<std::string> ReadSmallFile(const std::filesystem::path& path, std::size_t bytes_max) {
  const Descriptor file(path);
  const absl::StatusOr<FileFacts> facts = RegularFile(file, path);
  if (!facts.ok()) return facts.status();
  if (facts->bytes > bytes_max)
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": has ", facts->bytes, " bytes; at most ",
                                                   bytes_max, " are allowed for a file of this kind"));
  std::string text(facts->bytes, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + got, text.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(path, "cannot read");
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

}  // namespace ringway::engine
