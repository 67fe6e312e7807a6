// Where a result goes: a file, a device or a pipe, standard output, or nowhere.
//
// A plain file appears whole or not at all: the bytes go to a new file beside it, which takes its place once
// the job is done, and a failed job leaves nothing behind. Where the name leads over a symbolic link, it is
// the link's target that is replaced. Anything else that has the name already (a device, a pipe, a socket,
// and what /dev and /proc give names to) is not a thing to be replaced: it is written through, once the job
// is done.
// "-" is standard output.
//
// Memory: what is written through is held until the end. Threads: one owner.
#ifndef RINGWAY_CLI_RESULT_FILE_H_
#define RINGWAY_CLI_RESULT_FILE_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace ringway::cli {

class ResultFile {
 public:
  // `path` empty: the bytes are counted and dropped. `standard_output`: for "-".
  ResultFile(std::string path, std::ostream& standard_output);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  // False: it could not be written; Keep says why.
  bool Append(std::string_view bytes);
  // The job is done: the result takes its place.
  absl::Status Keep();
  std::uint64_t bytes() const { return bytes_; }

  static bool IsStandardOutput(std::string_view path) { return path == "-"; }

 private:
  enum class Kind { kNowhere, kStandardOutput, kThrough, kWhole };
  absl::Status OpenAside();
  absl::Status WriteAll(std::string_view bytes);
  absl::Status WriteThrough();
  absl::Status Failed(int error) const;

  std::string path_;    // as it was given, for messages
  std::string target_;  // that is replaced
  std::string aside_;
  Kind kind_;
  std::ostream& standard_output_;
  int descriptor_ = -1;
  std::string held_;
  std::uint64_t bytes_ = 0;
  absl::Status status_;
};

// What a command says that was asked for --json and for the result in one place.
absl::Status BothOnStandardOutput(std::string_view flag);

// The whole of a result at once.
absl::Status WriteResult(const std::string& path, std::string_view bytes, std::ostream& standard_output);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_RESULT_FILE_H_
