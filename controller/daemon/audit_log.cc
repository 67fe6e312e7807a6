#include "controller/daemon/audit_log.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/json_message.h"
#include "ringway/v1/admin.pb.h"

namespace ringway::controller {
namespace {

// No space, no quota, or beyond the largest size that a file may have.
bool DiskIsFull(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsOutOfRange(status);
}

std::string Earlier(const std::string& path, int age) {
  return age == 0 ? path : absl::StrCat(path, ".", age);
}

}  // namespace

absl::StatusOr<AuditLog> AuditLog::Open(const std::string& path, const AuditLimits& limits) {
  AuditLog log(path, limits);
  log.ReadBack(Earlier(path, 1));
  log.ReadBack(path);
  const absl::Status opened = log.OpenFile();
  if (!opened.ok() && !DiskIsFull(opened)) return opened;
  return log;
}

AuditLog::AuditLog(AuditLog&& other) noexcept
    : path_(std::move(other.path_)),
      limits_(other.limits_),
      fd_(std::exchange(other.fd_, -1)),
      bytes_(other.bytes_),
      entries_(std::move(other.entries_)) {}

AuditLog::~AuditLog() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status AuditLog::OpenFile() {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd_ < 0) {
    const char* remedy =
        errno == ELOOP ? ": it is a symbolic link, and those are not followed; remove it" : "";
    return absl::ErrnoToStatus(errno, absl::StrCat("audit log: cannot open ", path_, remedy));
  }
  struct stat file {};
  bytes_ = ::fstat(fd_, &file) == 0 ? static_cast<std::uint64_t>(file.st_size) : 0;
  return absl::OkStatus();
}

// The oldest file is replaced; a crash in between leaves every entry in some file.
absl::Status AuditLog::Rotate() {
  for (int age = limits_.files_max - 2; age >= 0; --age) {
    const std::string from = Earlier(path_, age);
    if (std::rename(from.c_str(), Earlier(path_, age + 1).c_str()) != 0 && errno != ENOENT) {
      return absl::ErrnoToStatus(errno, absl::StrCat("audit log: cannot rename ", from));
    }
  }
  ::close(std::exchange(fd_, -1));
  return OpenFile();
}

void AuditLog::ReadBack(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    v1::AuditEntry entry;
    if (!wire::ReadJsonMessage(line, path_, wire::kSmallMessage, entry).ok()) continue;
    Keep({FromUnixMicros(entry.at_unix_us()), entry.who(), entry.why(), entry.action(), entry.order()});
  }
}

std::deque<std::string> AuditLog::Orders() const {
  std::deque<std::string> orders;
  for (const AuditEntry& entry : entries_) {
    if (!entry.order.empty()) orders.push_back(entry.order);
  }
  return orders;
}

void AuditLog::Keep(AuditEntry entry) {
  entries_.push_back(std::move(entry));
  if (entries_.size() > kKept) entries_.pop_front();
}

absl::Status AuditLog::Write(const std::string& line) {
  if (fd_ < 0) {
    if (absl::Status opened = OpenFile(); !opened.ok()) return opened;
  }
  if (bytes_ > 0 && bytes_ + line.size() > limits_.file_bytes_max) {
    if (absl::Status rotated = Rotate(); !rotated.ok()) return rotated;
  }
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()) && ::fdatasync(fd_) == 0) {
    bytes_ += line.size();
    return absl::OkStatus();
  }
  // A short write sets no errno: there was no room for the rest.
  const int error = written < 0 || written == static_cast<ssize_t>(line.size()) ? errno : ENOSPC;
  // Half a line would spoil the next one too.
  if (::ftruncate(fd_, static_cast<off_t>(bytes_)) != 0 && written > 0) {
    bytes_ += static_cast<std::uint64_t>(written);
  }
  return absl::ErrnoToStatus(error, absl::StrCat("audit log: cannot write ", path_));
}

absl::Status AuditLog::Append(AuditEntry entry) {
  v1::AuditEntry message;
  message.set_at_unix_us(ToUnixMicros(entry.at));
  message.set_who(entry.who);
  message.set_why(entry.why);
  message.set_action(entry.action);
  message.set_order(entry.order);
  Keep(std::move(entry));
  std::string line;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!google::protobuf::util::MessageToJsonString(message, &line, options).ok()) {
    return absl::InvalidArgumentError("audit log: an entry that is not UTF-8");
  }
  line.push_back('\n');
  return Write(line);
}

}  // namespace ringway::controller
