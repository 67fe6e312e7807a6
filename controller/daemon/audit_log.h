// Who asked for what, when and why: files of bounded size, and the last entries in memory for screens.
//
// One JSON object a line in `<state-dir>/audit.log`, written and fsynced before the operator gets the answer.
// A file that would grow above file_bytes_max becomes audit.log.1, that one audit.log.2 and so on; the one
// after files_max is removed, so an operator's broken script cannot fill the disk, and some 360,000 orders of
// usual size are kept. On a start the last entries are read back. A line that does not parse (the writer
// died) is skipped; one that could not be written whole is taken back.
//
// A full disk stops nobody: the entry stays in memory, the error goes to the caller, the next entry tries
// again. A symbolic link in place of a file is refused. Threads: one owner.
#ifndef RINGWAY_CONTROLLER_DAEMON_AUDIT_LOG_H_
#define RINGWAY_CONTROLLER_DAEMON_AUDIT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/events.h"

namespace ringway::controller {

struct AuditLimits {
  std::uint64_t file_bytes_max = std::uint64_t{8} << 20;
  int files_max = 10;  // audit.log and audit.log.1 to audit.log.9
};

class AuditLog {
 public:
  static constexpr std::size_t kKept = 1000;

  // Errors: with the path, the reason and the remedy. A full disk is none.
  static absl::StatusOr<AuditLog> Open(const std::string& path, const AuditLimits& limits = {});
  AuditLog(AuditLog&& other) noexcept;
  ~AuditLog();

  // The entry is kept in memory even if the file cannot be written.
  absl::Status Append(AuditEntry entry);
  const std::deque<AuditEntry>& entries() const { return entries_; }
  // The orders of routers among them, the newest last.
  std::deque<std::string> Orders() const;

 private:
  AuditLog(std::string path, const AuditLimits& limits) : path_(std::move(path)), limits_(limits) {}
  void ReadBack(const std::string& path);
  void Keep(AuditEntry entry);
  absl::Status OpenFile();
  absl::Status Rotate();
  absl::Status Write(const std::string& line);

  std::string path_;
  AuditLimits limits_;
  int fd_ = -1;              // -1: it could not be opened yet
  std::uint64_t bytes_ = 0;  // of the file
  std::deque<AuditEntry> entries_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_AUDIT_LOG_H_
