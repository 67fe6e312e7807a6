#include "runtime/segment.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/state_file.h"

namespace ringway::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSegmentMagic = "RWJRNL1\n";
static_assert(kSegmentMagic.size() == kSegmentHeadBytes);
constexpr std::string_view kPrefix = "journal-";
constexpr std::string_view kSuffix = ".rwj";

absl::Status SystemError(const std::string& what, const std::string& path, int error) {
  return absl::ErrnoToStatus(error, absl::StrCat("journal: cannot ", what, " ", path));
}

void PutLittleEndian(std::uint32_t value, std::string& out) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint32_t GetLittleEndian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string Framed(std::string_view payload) {
  std::string framed;
  framed.reserve(kRecordHeadBytes + payload.size());
  PutLittleEndian(static_cast<std::uint32_t>(payload.size()), framed);
  PutLittleEndian(Crc32c(payload), framed);
  framed.append(payload);
  return framed;
}

bool ParseNumber(std::string_view file_name, std::uint64_t& number) {
  if (file_name.size() <= kPrefix.size() + kSuffix.size() || !file_name.starts_with(kPrefix) ||
      !file_name.ends_with(kSuffix)) {
    return false;
  }
  file_name.remove_prefix(kPrefix.size());
  file_name.remove_suffix(kSuffix.size());
  const char* end = file_name.data() + file_name.size();
  const auto parsed = std::from_chars(file_name.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

absl::StatusOr<std::vector<SegmentFile>> ListSegments(const std::string& directory) {
  std::error_code error;
  std::vector<SegmentFile> segments;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    SegmentFile segment;
    if (!ParseNumber(entry->path().filename().string(), segment.number)) continue;
    segment.path = entry->path().string();
    std::error_code gone;
    segment.bytes = entry->file_size(gone);
    if (!gone) segments.push_back(std::move(segment));
  }
  if (error) return SystemError("list", directory, error.value());
  std::sort(segments.begin(), segments.end(),
            [](const SegmentFile& a, const SegmentFile& b) { return a.number < b.number; });
  return segments;
}

SegmentWriter::~SegmentWriter() { Close(); }

void SegmentWriter::Close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

absl::Status SegmentWriter::Prune(std::uint64_t room_for) {
  auto segments = ListSegments(directory_);
  if (!segments.ok()) return segments.status();
  std::uint64_t total = room_for;
  for (const SegmentFile& segment : *segments) total += segment.bytes;
  for (const SegmentFile& oldest : *segments) {
    if (total <= total_bytes_max_) break;
    std::error_code error;
    fs::remove(oldest.path, error);
    if (error) return SystemError("delete", oldest.path, error.value());
    total -= oldest.bytes;
  }
  return absl::OkStatus();
}

absl::Status SegmentWriter::Begin(std::string_view first, std::uint64_t room_for) {
  Close();
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) return SystemError("create", directory_, error.value());
  auto segments = ListSegments(directory_);
  if (!segments.ok()) return segments.status();
  const std::uint64_t number = segments->empty() ? 1 : segments->back().number + 1;
  if (absl::Status s = Prune(std::max<std::uint64_t>(first.size(), room_for)); !s.ok()) return s;
  path_ = absl::StrFormat("%s/journal-%016d.rwj", directory_, number);
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0640);
  if (fd_ < 0) return SystemError("create", path_, errno);
  return Write(std::string(kSegmentMagic) + Framed(first));
}

absl::Status SegmentWriter::Append(std::string_view payload) {
  if (fd_ < 0) return absl::FailedPreconditionError("journal: no segment is open");
  return Write(Framed(payload));
}

absl::Status SegmentWriter::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      Close();
      return SystemError("write", path_, error);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<SegmentEnd> ReadSegment(const std::string& path,
                                       const std::function<absl::Status(std::string_view)>& payload) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("journal: cannot read ", path, ": ", strerror(errno)));
  std::string magic(kSegmentMagic.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  const auto begun = static_cast<std::size_t>(file.gcount());
  if (std::string_view(magic).substr(0, begun) != kSegmentMagic.substr(0, begun)) {
    return absl::DataLossError(absl::StrCat(path, " is not a journal segment"));
  }
  if (begun < kSegmentMagic.size()) return SegmentEnd::kTorn;
  std::string record;
  for (;;) {
    char head[kRecordHeadBytes];
    file.read(head, kRecordHeadBytes);
    if (file.gcount() == 0) return SegmentEnd::kWhole;
    if (file.gcount() < static_cast<std::streamsize>(kRecordHeadBytes)) return SegmentEnd::kTorn;
    const std::size_t length = GetLittleEndian(head);
    if (length > kRecordBytesMax) return SegmentEnd::kCorrupt;
    // Grown while reading: a torn length must not cost memory that the file cannot back.
    record.clear();
    while (record.size() < length) {
      const std::size_t piece = std::min<std::size_t>(length - record.size(), 1 << 20);
      const std::size_t before = record.size();
      record.resize(before + piece);
      file.read(record.data() + before, static_cast<std::streamsize>(piece));
      if (static_cast<std::size_t>(file.gcount()) < piece) return SegmentEnd::kTorn;
    }
    if (Crc32c(record) != GetLittleEndian(head + 4)) return SegmentEnd::kCorrupt;
    if (absl::Status status = payload(record); !status.ok()) return status;
  }
}

}  // namespace ringway::runtime
