#include "controller/daemon/history_level.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/wire/past_table.h"
#include "controller/wire/table_difference.h"

namespace ringway::controller {
namespace {

namespace fs = std::filesystem;

constexpr int kFilesPerAge = 7;              // of a level that is quiet: one a day of a week
constexpr Duration kClockStep = Minutes(1);  // a clock that goes back further has been set

Time TimeOf(const v1::PastTable& entry) { return FromUnixMicros(entry.at_unix_us()); }

v1::PastTable WithTable(const v1::PastTable& record, const v1::RoutingTable& table) {
  v1::PastTable entry = record;
  entry.clear_changed();
  *entry.mutable_whole() = table;
  return entry;
}

}  // namespace

HistoryLevel::HistoryLevel(std::string directory, const Limits& limits)
    : directory_(std::move(directory)),
      limits_(limits),
      // The file being written comes on top of what is left by a prune.
      writer_(std::make_unique<runtime::SegmentWriter>(directory_,
                                                       limits.bytes_max - limits.bytes_max / kFilesMin)),
      last_at_(InfinitePast()) {}

absl::StatusOr<runtime::SegmentEnd> HistoryLevel::Read(const std::string& path, const Take& take) {
  v1::RoutingTable table;
  bool first = true, enough = false;
  const auto end = runtime::ReadSegment(path, [&](std::string_view payload) {
    v1::PastTable record;
    if (!record.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
      return absl::DataLossError("a record with a good checksum is not a past table");
    }
    if (std::exchange(first, false)) {
      if (absl::Status readable = CheckFirst(record); !readable.ok()) return readable;
    }
    if (absl::Status next = Advance(record, table); !next.ok()) return next;
    enough = !take(record, table);
    return enough ? absl::CancelledError() : absl::OkStatus();
  });
  if (enough) return runtime::SegmentEnd::kWhole;
  return end;
}

std::vector<std::string> HistoryLevel::Check() {
  std::vector<std::string> said;
  files_.clear();
  const auto segments = runtime::ListSegments(directory_);
  if (!segments.ok()) return said;  // nothing was ever written
  for (const runtime::SegmentFile& segment : *segments) {
    File file{.path = segment.path, .bytes = segment.bytes, .first = {}, .first_at = InfinitePast()};
    bool any = false;
    const auto read = Read(segment.path, [&](const v1::PastTable& record, const v1::RoutingTable&) {
      any = true;
      file.first = VersionOf(record);
      file.first_at = TimeOf(record);
      return false;
    });
    std::error_code error;
    if (any) {
      files_.push_back(std::move(file));
    } else if (read.ok() && *read != runtime::SegmentEnd::kCorrupt) {
      fs::remove(segment.path, error);  // its writer died before the first table was in it
    } else {
      fs::rename(segment.path, segment.path + ".unreadable", error);
      said.push_back(
          absl::StrCat("a file of the table history cannot be read and is kept as ", segment.path,
                       ".unreadable: ", read.ok() ? "its first record is damaged" : read.status().message(),
                       "; the tables in it cannot be returned to"));
    }
  }
  return said;
}

bool HistoryLevel::Fits(const v1::PastTable& entry) const {
  if (!base_ || files_.empty()) return false;
  const Time at = TimeOf(entry);
  return files_.back().bytes < limits_.bytes_max / kFilesMin &&
         at - files_.back().first_at < limits_.age_max / kFilesPerAge && at > last_at_ - kClockStep &&
         SameNames(*base_, entry.whole());
}

// Of the two files that were begun last the earlier date counts: the other may be of a clock that is wrong. A
// file spans a part of the age at most, so one that began that much earlier holds nothing younger; and what
// was written before it is older still, whatever its date says.
void HistoryLevel::DropAged() {
  if (files_.size() < 3) return;
  const Time now = std::min(files_[files_.size() - 1].first_at, files_[files_.size() - 2].first_at);
  const Time aged = now - limits_.age_max - limits_.age_max / kFilesPerAge;
  std::size_t drop = 0;
  for (std::size_t i = 0; i + 2 < files_.size(); ++i) {
    if (files_[i].first_at < aged) drop = i + 1;
  }
  for (std::size_t i = 0; i < drop; ++i) {
    std::error_code error;  // what cannot be removed is found again at the next start
    fs::remove(files_[i].path, error);
  }
  files_.erase(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(drop));
}

absl::Status HistoryLevel::Begin(const v1::PastTable& entry) {
  v1::PastTable first = entry;
  first.set_history_version(kHistoryVersion);
  if (absl::Status begun = writer_->Begin(first.SerializeAsString()); !begun.ok()) return begun;
  // The writer may have removed the oldest ones.
  const auto segments = runtime::ListSegments(directory_);
  if (!segments.ok()) return segments.status();
  std::erase_if(files_, [&](const File& file) {
    return std::none_of(segments->begin(), segments->end(),
                        [&](const runtime::SegmentFile& there) { return there.path == file.path; });
  });
  files_.push_back({.path = segments->back().path,
                    .bytes = segments->back().bytes,
                    .first = VersionOf(entry),
                    .first_at = TimeOf(entry)});
  DropAged();
  return absl::OkStatus();
}

absl::Status HistoryLevel::Write(const v1::PastTable& entry) {
  absl::Status written;
  if (Fits(entry)) {
    const std::string bytes = AsDelta(entry, *base_).SerializeAsString();
    written = writer_->Append(bytes);
    files_.back().bytes += bytes.size() + runtime::kRecordHeadBytes;
  } else {
    written = Begin(entry);
  }
  if (!written.ok()) {
    base_.reset();
    return written;
  }
  base_ = entry.whole();
  last_at_ = TimeOf(entry);
  return absl::OkStatus();
}

absl::Status HistoryLevel::Add(const v1::PastTable& entry) {
  if (limits_.span == ZeroDuration()) return Write(entry);
  const auto span_of = [this](const v1::PastTable& one) {
    return Floor(TimeOf(one) - UnixEpoch(), limits_.span);
  };
  absl::Status written;
  if (waiting_ && span_of(*waiting_) != span_of(entry)) written = Write(*waiting_);
  waiting_ = entry;
  return written;
}

void HistoryLevel::Hold(v1::PastTable entry) {
  if (limits_.span == ZeroDuration()) return;
  const auto newest = Newest();
  if (!newest || VersionOf(*newest) != VersionOf(entry)) waiting_ = std::move(entry);
}

template <class Wanted>
std::optional<v1::PastTable> HistoryLevel::Last(std::size_t end, Wanted wanted) const {
  for (std::size_t i = end; i > 0; --i) {
    // Twice through the file: copying a table for each record that might be the last costs more. An error
    // ends the file; what was read before it stands.
    std::optional<TableVersion> last;
    (void)Read(files_[i - 1].path, [&](const v1::PastTable& record, const v1::RoutingTable&) {
      if (wanted(record)) last = VersionOf(record);
      return true;
    });
    if (!last) continue;
    std::optional<v1::PastTable> found;
    (void)Read(files_[i - 1].path, [&](const v1::PastTable& record, const v1::RoutingTable& table) {
      if (VersionOf(record) == *last) found = WithTable(record, table);
      return !found;
    });
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<v1::PastTable> HistoryLevel::Find(TableVersion version) const {
  const auto is = [version](const v1::PastTable& record) { return VersionOf(record) == version; };
  // Versions rise, but for a controller that had lost its state: then all files are searched.
  const auto beyond =
      std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.first > version; });
  if (auto found = Last(static_cast<std::size_t>(beyond - files_.begin()), is)) return found;
  return beyond == files_.end() ? std::nullopt : Last(files_.size(), is);
}

std::optional<v1::PastTable> HistoryLevel::FindAt(Time at) const {
  const auto before = [at](const v1::PastTable& record) { return TimeOf(record) <= at; };
  std::size_t end = files_.size();
  while (end > 0 && files_[end - 1].first_at > at + kClockStep) --end;
  return Last(end, before);
}

std::optional<v1::PastTable> HistoryLevel::Newest() const {
  return Last(files_.size(), [](const v1::PastTable&) { return true; });
}

void HistoryLevel::List(Time since, Time until, const std::function<void(v1::PastTable)>& take,
                        std::vector<std::string>& notes) const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    // A clock that was set back within a file is within kClockStep.
    if (i + 1 < files_.size() && files_[i + 1].first_at < since - kClockStep && files_[i].first_at < since)
      continue;
    if (files_[i].first_at > until + kClockStep) continue;
    const auto end = Read(files_[i].path, [&](const v1::PastTable& record, const v1::RoutingTable&) {
      const Time at = TimeOf(record);
      if (at < since || at > until) return true;
      v1::PastTable head = record;
      head.clear_whole();
      head.clear_changed();
      take(std::move(head));
      return true;
    });
    const bool open = base_ && i + 1 == files_.size();
    if (end.ok() && (*end == runtime::SegmentEnd::kWhole || (open && *end == runtime::SegmentEnd::kTorn)))
      continue;
    notes.push_back(
        absl::StrCat(files_[i].path, end.ok() ? " ends in a record that is damaged or torn" : ": ",
                     end.ok() ? "" : end.status().message(), "; the tables before it are listed"));
  }
}

}  // namespace ringway::controller
