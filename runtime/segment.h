// Journal segments: append-only files of checksummed records, bounded in number and size.
//
// A file `journal-<number>.rwj` is the 8 bytes "RWJRNL1\n", then records of
//   length (4 bytes, little endian), CRC-32C of the payload (4 bytes, little endian), payload.
// The first record of a segment stands alone (a checkpoint); numbers rise. When the segments together exceed
// the bound the oldest are deleted, never the one being written. A writer never goes on in an old file: after
// a crash its tail may be torn.
//
// A reader gives the payloads up to the first record that is torn or whose checksum is wrong, and says how it
// ended; whatever the bytes are, it neither crashes nor reads beyond kRecordBytesMax. Threads: one owner.
#ifndef RINGWAY_RUNTIME_SEGMENT_H_
#define RINGWAY_RUNTIME_SEGMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ringway::runtime {

inline constexpr std::size_t kRecordBytesMax = std::size_t{256} << 20;
// What a segment takes before its first record, and each record beside its payload.
inline constexpr std::size_t kSegmentHeadBytes = 8;
inline constexpr std::size_t kRecordHeadBytes = 8;

struct SegmentFile {
  std::uint64_t number = 0;
  std::string path;
  std::uint64_t bytes = 0;
};

// By rising number. Errors: NotFound or what the operating system says.
absl::StatusOr<std::vector<SegmentFile>> ListSegments(const std::string& directory);

class SegmentWriter {
 public:
  // `total_bytes_max`: of all segments in the directory together. Creates the directory if need be.
  SegmentWriter(std::string directory, std::uint64_t total_bytes_max)
      : directory_(std::move(directory)), total_bytes_max_(total_bytes_max) {}
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  // Closes the current file, deletes what is too much once the new one has grown to `room_for` bytes, and
  // begins that with `first`.
  absl::Status Begin(std::string_view first, std::uint64_t room_for = 0);
  // One write(2); survives the death of the process, not of the machine. Errors: FailedPrecondition before
  // Begin, else what the operating system says; the segment is then unfit and the next Append fails too.
  absl::Status Append(std::string_view payload);

 private:
  absl::Status Prune(std::uint64_t room_for);
  absl::Status Write(std::string_view bytes);
  void Close();

  std::string directory_;
  std::uint64_t total_bytes_max_;
  std::string path_;
  int fd_ = -1;
};

enum class SegmentEnd {
  kWhole,    // ends after a record
  kTorn,     // ends inside a record: the writer died, or is still writing
  kCorrupt,  // a checksum is wrong, or a length beyond any sense
};

// `payload` is called for each good record in order. Errors: NotFound, DataLoss (not a journal segment), or
// the first error that `payload` returns.
absl::StatusOr<SegmentEnd> ReadSegment(const std::string& path,
                                       const std::function<absl::Status(std::string_view payload)>& payload);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_SEGMENT_H_
