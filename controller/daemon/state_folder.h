// The state folder of a controller, held by one process at a time.
//
// Two controllers on one folder would overwrite each other's epoch; the lock ends with the process, however
// it ends, so a kill -9 leaves nothing to clean up. Threads: any; hold it as long as anything in the folder
// is used. Cost: one flock.
#ifndef RINGWAY_CONTROLLER_DAEMON_STATE_FOLDER_H_
#define RINGWAY_CONTROLLER_DAEMON_STATE_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace ringway::controller {

class StateFolder {
 public:
  // Creates the folder if need be. Errors: FailedPrecondition (another process holds it), or what the
  // operating system says.
  static absl::StatusOr<StateFolder> Hold(const std::string& path);
  StateFolder(StateFolder&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  ~StateFolder();

  std::string File(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  StateFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_STATE_FOLDER_H_
