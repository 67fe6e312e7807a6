// Who asked for what, when and why: a file that only grows, and the last entries in memory for screens.
//
// One JSON object a line in `<state-dir>/audit.log`, written and fsynced before the operator gets the answer.
// On a start the last entries are read back. A line that does not parse (the writer died) is skipped.
// Threads: one owner.
#ifndef RINGWAY_CONTROLLER_DAEMON_AUDIT_LOG_H_
#define RINGWAY_CONTROLLER_DAEMON_AUDIT_LOG_H_

#include <cstddef>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/events.h"

namespace ringway::controller {

class AuditLog {
 public:
  static constexpr std::size_t kKept = 1000;

  // Errors: Internal, with the path and the reason.
  static absl::StatusOr<AuditLog> Open(const std::string& path);
  AuditLog(AuditLog&& other) noexcept;
  ~AuditLog();

  // The entry is kept in memory even if the file cannot be written.
  absl::Status Append(AuditEntry entry);
  const std::deque<AuditEntry>& entries() const { return entries_; }

 private:
  explicit AuditLog(std::string path) : path_(std::move(path)) {}
  void ReadBack();
  void Keep(AuditEntry entry);

  std::string path_;
  int fd_ = -1;
  std::deque<AuditEntry> entries_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_AUDIT_LOG_H_
