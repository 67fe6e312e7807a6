#include <cctype>
#include <string>

#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

constexpr std::size_t kNoteLinesMin = 5;
constexpr std::size_t kNoteLinesMax = 25;
constexpr std::size_t kLocalNoteLinesMin = 1;  // the header of a test or benchmark has readers of one folder

std::size_t NoteLines(const SourceFile& file) {
  std::size_t lines = 0;
  while (lines < file.lines.size() && file.lines[lines].starts_with("//")) ++lines;
  return lines;
}

std::string GuardOf(std::string_view path) {
  std::string guard = "RINGWAY_";
  for (const char c : path) {
    const auto letter = static_cast<unsigned char>(c);
    guard += std::isalnum(letter) != 0 ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return guard + "_";
}

}  // namespace

void CheckHeaderNotes(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!file.Is(".h") && !file.Is(".proto")) continue;
    const std::size_t lines = NoteLines(file);
    const bool local = file.Under("tests") || file.Under("bench");
    const std::size_t lines_min = local ? kLocalNoteLinesMin : kNoteLinesMin;
    if (lines >= lines_min && lines <= kNoteLinesMax) continue;
    findings.push_back({file.path, 1,
                        "opens with a note of " + std::to_string(lines) +
                            " lines, 5 to 25 are asked for: what it "
                            "decides, invariants, threads, complexity, the source of the algorithm"});
  }
}

void CheckIncludeGuards(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!file.Is(".h")) continue;
    const std::string guard = GuardOf(file.path);
    std::size_t named = 0;
    for (const std::string& line : file.code) {
      if (line == "#ifndef " + guard || line == "#define " + guard) ++named;
    }
    if (named != 2) findings.push_back({file.path, 0, "the include guard of this path is " + guard});
  }
}

}  // namespace ringway::tidy
