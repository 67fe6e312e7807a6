// The repository as text, the way the tidy rules see it.
//
// A rule never opens a file: it gets a SourceTree, which is either the checkout (LoadTree) or a few doctored
// snippets in a self-test (MakeFile). Each file is kept in three shapes of the same length in lines: as
// written, and as code, where comments, literals and their quotes are blanks, so that a rule about code is
// not fooled by a sentence that mentions what it forbids.
//
// Build folders, .git and what is not text of ours (weights, pictures) are left out. Findings are for people:
// file, line, what was found, what to do instead. Cost: one pass over a few MB. Threads: values.
#ifndef RINGWAY_TESTS_TIDY_SOURCE_TREE_H_
#define RINGWAY_TESTS_TIDY_SOURCE_TREE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::tidy {

struct SourceFile {
  std::string path;                // relative to the root, with '/'
  std::vector<std::string> lines;  // as written, without line ends
  std::vector<std::string> code;   // C++ and proto only: comments and literals blanked
  bool ends_with_newline = true;

  bool Is(std::string_view extension) const { return path.ends_with(extension); }
  bool IsCpp() const { return Is(".h") || Is(".cc"); }
  bool Under(std::string_view folder) const;  // `folder` without a trailing '/'
  std::string_view name() const;              // the last part of the path
};

struct SourceTree {
  std::vector<SourceFile> files;    // sorted by path
  std::vector<std::string> others;  // paths of everything else in the checkout, folders included, sorted

  bool Exists(std::string_view path) const;  // file or folder
};

// A line number of 0 means the file as a whole.
struct Finding {
  std::string path;
  std::size_t line = 0;
  std::string message;
};
using Findings = std::vector<Finding>;

SourceFile MakeFile(std::string path, std::string_view text);
SourceTree LoadTree(std::string_view root);

// Whether `token` stands in `line` with no identifier character glued to either of its identifier ends.
bool HasToken(std::string_view line, std::string_view token);
// A file's #include targets with their lines; quoted and bracketed ones look the same, without the marks.
struct Include {
  std::size_t line;
  std::string target;
};
std::vector<Include> IncludesOf(const SourceFile& file);

}  // namespace ringway::tidy

#endif  // RINGWAY_TESTS_TIDY_SOURCE_TREE_H_
