// A folder for a journal, removed when it goes out of scope, and what lies in it.
#ifndef RINGWAY_TESTS_JOURNAL_FOLDER_H_
#define RINGWAY_TESTS_JOURNAL_FOLDER_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/log.h"
#include "runtime/segment.h"

namespace ringway::journal {

class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "ringway-journal-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  operator const std::string&() const { return path_; }

 private:
  std::string path_;
};

inline std::vector<runtime::SegmentFile> SegmentsOf(const Folder& folder) {
  return runtime::ListSegments(folder.path()).value();
}

inline std::uint64_t BytesIn(const Folder& folder) {
  std::uint64_t bytes = 0;
  for (const runtime::SegmentFile& segment : SegmentsOf(folder)) bytes += segment.bytes;
  return bytes;
}

inline const runtime::Logger& Quiet() {
  static const runtime::Logger log("test", runtime::LogLevel::kError);
  return log;
}

}  // namespace ringway::journal

#endif  // RINGWAY_TESTS_JOURNAL_FOLDER_H_
