#include "runtime/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace ringway::runtime {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

absl::Status IoError(const std::string& path, const char* what) {
  return absl::InternalError(absl::StrCat(path, ": cannot ", what, ": ", std::strerror(errno)));
}

absl::Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return IoError(path, "write");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status WriteAndSync(const std::string& path, std::initializer_list<std::string_view> parts) {
  // Left behind by a process that died, or planted as a link to somewhere else: gone, and never followed.
  unlink(path.c_str());
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return IoError(path, "create");
  for (const std::string_view part : parts) {
    if (absl::Status s = WriteAll(file.get(), part, path); !s.ok()) return s;
  }
  if (fsync(file.get()) != 0) return IoError(path, "sync");
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteWholeFile(const std::string& path, std::initializer_list<std::string_view> parts) {
  const std::string temporary = absl::StrCat(path, ".tmp");
  absl::Status written = WriteAndSync(temporary, parts);
  if (written.ok() && std::rename(temporary.c_str(), path.c_str()) != 0)
    written = IoError(path, "rename over");
  if (!written.ok()) {
    unlink(temporary.c_str());  // half a file would take what a full disk has left
    return written;
  }
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const Descriptor folder(
      open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) fsync(folder.get());
  return absl::OkStatus();
}

}  // namespace ringway::runtime
