#include "gateway/result_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "gateway/jobs/film_type.h"
#include "gateway/jobs/video_id.h"
#include "gateway/record_codec.h"
#include "runtime/state_file.h"

namespace ringway::gateway {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKind = "video";
constexpr std::uint32_t kVersion = 1;
constexpr char kPreviews[] = "/previews";

absl::Status Failed(const std::string& path, std::string_view what) {
  return absl::InternalError(
      absl::StrCat(path, ": cannot be ", std::string(what), ": ", std::strerror(errno)));
}

absl::StatusOr<Video> ReadRecord(const fs::path& path) {
  const auto file = runtime::ReadStateFile(path.string(), kKind, kVersion, kVersion);
  if (!file.ok()) return file.status();
  auto video = DecodeVideo(file->payload);
  if (!video.ok() || video->id != path.stem().string()) {
    return absl::DataLossError(absl::StrCat(path.string(), ": is not the record of its video; remove it"));
  }
  return video;
}

}  // namespace

ResultFile::~ResultFile() { close(fd_); }

std::uint64_t ResultFile::size() const {
  struct stat facts {};
  return fstat(fd_, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

std::string ResultFile::Read(std::uint64_t offset, std::size_t count) const {
  std::string bytes(count, '\0');
  std::size_t got = 0;
  while (got < count) {
    const ssize_t more = pread(fd_, bytes.data() + got, count - got, static_cast<off_t>(offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  bytes.resize(got);
  return bytes;
}

ResultStore::~ResultStore() {
  for (const auto& [id, fd] : growing_) close(fd);
}

absl::StatusOr<std::vector<Video>> ResultStore::Open(std::vector<std::string>& complaints) {
  std::error_code failed;
  fs::remove_all(folder_ + kPreviews, failed);
  fs::create_directories(folder_ + kPreviews, failed);
  if (failed) {
    return absl::InvalidArgumentError(
        absl::StrCat("--videos-store is '", folder_, "', which cannot be made: ", failed.message()));
  }
  std::vector<Video> videos;
  std::set<std::string> kept;
  std::vector<fs::path> results;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, failed)) {
    const fs::path path = entry.path();
    if (!ParseVideoId(path.stem().string())) continue;
    if (path.extension() == ".result") results.push_back(path);
    if (path.extension() != ".job") continue;
    auto video = ReadRecord(path);
    kept.insert(path.stem().string());
    if (video.ok()) {
      videos.push_back(*std::move(video));
    } else {
      complaints.push_back(std::string(video.status().message()));
    }
  }
  for (const fs::path& path : results) {
    if (!kept.contains(path.stem().string())) fs::remove(path, failed);
  }
  return videos;
}

absl::Status ResultStore::Keep(const Video& video) {
  return runtime::WriteStateFile(RecordPath(video.id), kKind, kVersion, EncodeVideo(video));
}

void ResultStore::DropRecord(const std::string& id) { unlink(RecordPath(id).c_str()); }

absl::StatusOr<int> ResultStore::Growing(const std::string& id) {
  if (const auto found = growing_.find(id); found != growing_.end()) return found->second;
  const std::string path = ResultPath(id);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (fd < 0) return Failed(path, "written");
  growing_[id] = fd;
  return fd;
}

absl::Status ResultStore::Append(const std::string& id, std::string_view bytes) {
  const auto fd = Growing(id);
  if (!fd.ok()) return fd.status();
  while (!bytes.empty()) {
    const ssize_t written = write(*fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Failed(ResultPath(id), "written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status ResultStore::Seal(const std::string& id) {
  const auto fd = Growing(id);
  if (!fd.ok()) return fd.status();
  const bool synced = fdatasync(*fd) == 0;
  const absl::Status sealed = synced ? absl::OkStatus() : Failed(ResultPath(id), "written");
  close(*fd);
  growing_.erase(id);
  return sealed;
}

void ResultStore::DropResult(const std::string& id) {
  if (const auto found = growing_.find(id); found != growing_.end()) {
    close(found->second);
    growing_.erase(found);
  }
  unlink(ResultPath(id).c_str());
  for (const PreviewType& preview : kPreviewTypes) unlink(PreviewPath(id, preview.variant).c_str());
}

std::string ResultStore::PreviewPath(std::string_view id, std::string_view variant) const {
  return absl::StrCat(folder_, kPreviews, "/", AbslView(id), ".", AbslView(variant));
}

absl::StatusOr<int> ResultStore::OpenResult(const std::string& id) const {
  const std::string path = ResultPath(id);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed(path, "read");
  return fd;
}

}  // namespace ringway::gateway
