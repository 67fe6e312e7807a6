#include "controller/daemon/audit_log.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {

absl::StatusOr<AuditLog> AuditLog::Open(const std::string& path) {
  AuditLog log(path);
  log.ReadBack();
  log.fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (log.fd_ < 0) return absl::ErrnoToStatus(errno, absl::StrCat("audit log: cannot open ", path));
  return log;
}

AuditLog::AuditLog(AuditLog&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), entries_(std::move(other.entries_)) {}

AuditLog::~AuditLog() {
  if (fd_ >= 0) ::close(fd_);
}

void AuditLog::ReadBack() {
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    v1::AuditEntry entry;
    if (!google::protobuf::util::JsonStringToMessage(line, &entry).ok()) continue;
    Keep({absl::FromUnixMicros(entry.at_unix_us()), entry.who(), entry.why(), entry.action()});
  }
}

void AuditLog::Keep(AuditEntry entry) {
  entries_.push_back(std::move(entry));
  if (entries_.size() > kKept) entries_.pop_front();
}

absl::Status AuditLog::Append(AuditEntry entry) {
  v1::AuditEntry message;
  message.set_at_unix_us(absl::ToUnixMicros(entry.at));
  message.set_who(entry.who);
  message.set_why(entry.why);
  message.set_action(entry.action);
  Keep(std::move(entry));
  std::string line;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!google::protobuf::util::MessageToJsonString(message, &line, options).ok()) {
    return absl::InvalidArgumentError("audit log: an entry that is not UTF-8");
  }
  line.push_back('\n');
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()) || ::fdatasync(fd_) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("audit log: cannot write ", path_));
  }
  return absl::OkStatus();
}

}  // namespace ringway::controller
