#include "cli/result_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ringway::cli {
namespace {

namespace fs = std::filesystem;

// What has this name is not for us to replace.
bool IsDevice(const std::string& path) {
  const std::string whole = fs::absolute(path).lexically_normal().string();
  if (absl::StartsWith(whole, "/dev/") || absl::StartsWith(whole, "/proc/")) return true;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !error && fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

ResultFile::ResultFile(std::string path, std::ostream& standard_output)
    : path_(std::move(path)), target_(path_), standard_output_(standard_output) {
  if (path_.empty()) {
    kind_ = Kind::kNowhere;
  } else if (IsStandardOutput(path_)) {
    kind_ = Kind::kStandardOutput;
  } else if (IsDevice(path_)) {
    kind_ = Kind::kThrough;
  } else {
    kind_ = Kind::kWhole;
    std::error_code error;
    const fs::path resolved = fs::weakly_canonical(path_, error);
    if (!error) target_ = resolved.string();
  }
}

ResultFile::~ResultFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!aside_.empty()) std::remove(aside_.c_str());
}

absl::Status ResultFile::Failed(int error) const {
  return absl::InternalError(absl::StrCat(path_, ": cannot be written: ", std::strerror(error)));
}

absl::Status ResultFile::OpenAside() {
  // A name of this process's own, that nobody has made before: what lies there already is never followed.
  std::string aside = absl::StrCat(target_, ".", getpid(), ".part");
  descriptor_ = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) return Failed(errno);
  aside_ = std::move(aside);
  return absl::OkStatus();
}

absl::Status ResultFile::WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

bool ResultFile::Append(std::string_view bytes) {
  bytes_ += bytes.size();
  if (kind_ == Kind::kNowhere || !status_.ok()) return status_.ok();
  if (kind_ != Kind::kWhole) {
    held_.append(bytes);
    return true;
  }
  if (descriptor_ < 0) status_ = OpenAside();
  if (status_.ok()) status_ = WriteAll(bytes);
  return status_.ok();
}

absl::Status ResultFile::WriteThrough() {
  if (kind_ == Kind::kStandardOutput) {
    standard_output_ << held_ << std::flush;
    return standard_output_ ? absl::OkStatus() : absl::InternalError("standard output cannot be written");
  }
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) return Failed(errno);
  return WriteAll(held_);
}

absl::Status ResultFile::Keep() {
  if (kind_ == Kind::kNowhere) return absl::OkStatus();
  if (kind_ != Kind::kWhole) return WriteThrough();
  if (!Append("")) return status_;
  const bool closed = close(descriptor_) == 0;
  descriptor_ = -1;
  if (!closed || std::rename(aside_.c_str(), target_.c_str()) != 0) return Failed(errno);
  aside_.clear();
  return absl::OkStatus();
}

absl::Status BothOnStandardOutput(std::string_view flag) {
  return absl::InvalidArgumentError(
      absl::StrCat("--json and ", std::string(flag), " - both want standard output; give the result a file"));
}

absl::Status WriteResult(const std::string& path, std::string_view bytes, std::ostream& standard_output) {
  ResultFile file(path, standard_output);
  file.Append(bytes);
  return file.Keep();
}

}  // namespace ringway::cli
