// What is wrong with a file, said so that the person who wrote it can mend it without reading code.
//
// A reader adds a problem and goes on, so one run lists every mistake of a file; nothing is applied while
// there is one. Each problem names the line and column (from 1), the path of the field, what was found, what
// is allowed, and, where a name is only misspelt, the likely one.
//
// Bound: kProblemsMax are kept; the rest is counted. Threads: one owner.
#ifndef RINGWAY_TOPOLOGY_PROBLEMS_H_
#define RINGWAY_TOPOLOGY_PROBLEMS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace ringway {

struct Mark {
  int line = 1;
  int column = 1;
};

struct Problem {
  Mark at;
  std::string field;    // path from the document's root, for example spec.rings[1].rttMsMax
  std::string found;    // in words, for example `"12x"` or `nothing`
  std::string allowed;  // what would be right
  std::string hint;     // empty, or a suggestion
};

class Problems {
 public:
  static constexpr std::size_t kProblemsMax = 100;

  explicit Problems(std::string_view file_name) : file_name_(file_name) {}
  void Add(Problem problem);
  bool full() const { return problems_.size() >= kProblemsMax; }  // what is added now is only counted
  bool empty() const { return problems_.empty(); }
  const std::vector<Problem>& all() const { return problems_; }
  const std::string& file_name() const { return file_name_; }

  // One line a problem: `FILE:LINE:COLUMN: FIELD: found X; allowed: Y; did you mean "Z"?`
  std::string Describe(const Problem& problem) const;
  // Ok when there is none; else kInvalidArgument with every line, in the order of the file.
  absl::Status ToStatus() const;

 private:
  std::string file_name_;
  std::vector<Problem> problems_;
  std::size_t left_out_ = 0;
};

// Text as it is shown in a message: quoted, cut after 60 bytes, control bytes replaced.
std::string Quoted(std::string_view text);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_PROBLEMS_H_
