// Records and results of video jobs on disk: one folder, two files for each job.
//
//   ID.job      the record, a state file: whole or not there, survives kill -9
//   ID.result   the bytes of the result, appended as they come; synced before the record says "completed"
//
// What others make of a result (gateway/previews.h) lies in previews/, goes with the result, and is made
// again after a restart.
//
// What is kept and for how long is the table's decision; this class does as it is told. An id comes from
// ParseVideoId, so it is safe as a file name. At the start, results without a record are removed.
//
// Bounds: one open file for each result that grows. Errors name the file. Threads: one owner; writes block
// for as long as the disk does, which is why the front has a thread of its own.
#ifndef RINGWAY_GATEWAY_RESULT_STORE_H_
#define RINGWAY_GATEWAY_RESULT_STORE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/jobs/video.h"

namespace ringway::gateway {

// An open result, to be read from; closes itself. Stays readable when its file is removed.
class ResultFile {
 public:
  explicit ResultFile(int fd) : fd_(fd) {}
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  // 0: it cannot be told.
  std::uint64_t size() const;
  // At most `count` bytes from `offset`; fewer only at the end or when the disk fails.
  std::string Read(std::uint64_t offset, std::size_t count) const;

 private:
  const int fd_;
};

class ResultStore {
 public:
  explicit ResultStore(std::string folder) : folder_(std::move(folder)) {}
  ~ResultStore();

  // Makes the folder and reads what is there. Damaged records are reported in `complaints` and left alone.
  absl::StatusOr<std::vector<Video>> Open(std::vector<std::string>& complaints);

  absl::Status Keep(const Video& video);
  void DropRecord(const std::string& id);
  absl::Status Append(const std::string& id, std::string_view bytes);
  // Everything appended is on the disk; makes the file if nothing was.
  absl::Status Seal(const std::string& id);
  void DropResult(const std::string& id);
  absl::StatusOr<int> OpenResult(const std::string& id) const;
  std::string ResultPath(const std::string& id) const { return folder_ + "/" + id + ".result"; }
  // `variant`: a name of kPreviewTypes.
  std::string PreviewPath(std::string_view id, std::string_view variant) const;

 private:
  std::string RecordPath(const std::string& id) const { return folder_ + "/" + id + ".job"; }
  absl::StatusOr<int> Growing(const std::string& id);

  const std::string folder_;
  std::map<std::string, int> growing_;  // open for appending
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_RESULT_STORE_H_
