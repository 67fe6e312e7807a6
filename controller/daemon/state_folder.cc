#include "controller/daemon/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace ringway::controller {

absl::StatusOr<StateFolder> StateFolder::Hold(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot create the state folder ", path));
  const std::string lock = path + "/lock";
  const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", lock));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return absl::FailedPreconditionError(
        absl::StrCat("the state folder ", path,
                     " is in use by another controller; give this one its own with "
                     "--state-dir, or stop the other"));
  }
  return StateFolder(path, fd);
}

StateFolder::~StateFolder() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace ringway::controller
