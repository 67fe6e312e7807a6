#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/function_scan.h"
#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

constexpr std::size_t kFileLinesMax = 500;
constexpr std::size_t kFileLinesMedianMax = 150;
constexpr std::size_t kMainLinesMax = 100;
constexpr std::size_t kFunctionLinesMax = 70;
constexpr std::size_t kClassFunctionsMax = 50;

// Classes that may be larger, and why.
struct LargeClass {
  std::string_view folder;
  std::string_view name;
};
constexpr LargeClass kLargeClasses[] = {
    {"sim", "Leaders"},  // every fifth function is a hint to the memory for large fleets, not a concern
};

bool MayBeLarge(std::string_view folder, std::string_view name) {
  return std::any_of(std::begin(kLargeClasses), std::end(kLargeClasses),
                     [&](const LargeClass& large) { return large.folder == folder && large.name == name; });
}

bool IsWritten(const SourceFile& file) {
  return file.IsCpp() || file.Is(".proto") || file.Is(".cmake") || file.name() == "CMakeLists.txt" ||
         file.Is(".js") || file.Is(".css") || file.Is(".html") || file.Is(".sh") || file.path == "dev";
}

std::string Found(std::size_t found, const char* what, std::size_t allowed, const char* remedy) {
  return std::to_string(found) + " " + what + ", at most " + std::to_string(allowed) +
         " are allowed: " + remedy;
}

}  // namespace

void CheckFileSizes(const SourceTree& tree, Findings& findings) {
  std::vector<std::size_t> cpp_lines;
  for (const SourceFile& file : tree.files) {
    if (!IsWritten(file)) continue;
    const std::size_t lines = file.lines.size();
    if (file.IsCpp()) cpp_lines.push_back(lines);
    if (lines > kFileLinesMax) {
      findings.push_back({file.path, 0, Found(lines, "lines", kFileLinesMax, "split it by what it decides")});
    }
    if (file.name() == "main.cc" && lines >= kMainLinesMax) {
      findings.push_back({file.path, 0, Found(lines, "lines", kMainLinesMax - 1, "main only wires")});
    }
  }
  if (cpp_lines.empty()) return;
  const auto middle = cpp_lines.begin() + static_cast<std::ptrdiff_t>(cpp_lines.size() / 2);
  std::nth_element(cpp_lines.begin(), middle, cpp_lines.end());
  if (*middle >= kFileLinesMedianMax) {
    findings.push_back({"(all C++ files)", 0,
                        Found(*middle, "lines in the median file", kFileLinesMedianMax - 1, "split some")});
  }
}

void CheckFunctionSizes(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!file.IsCpp()) continue;
    for (const Function& function : FindFunctions(file)) {
      if (function.lines <= kFunctionLinesMax) continue;
      findings.push_back(
          {file.path, function.first_line,
           function.name + ": " +
               Found(function.lines, "lines", kFunctionLinesMax, "give its steps names of their own")});
    }
  }
}

// Over all files of a folder, because a class that is spread over several is no smaller for it.
void CheckClassSizes(const SourceTree& tree, Findings& findings) {
  std::map<std::pair<std::string, std::string>, std::size_t> functions;  // of (folder, class)
  for (const SourceFile& file : tree.files) {
    if (!file.IsCpp()) continue;
    const std::string folder = file.path.substr(0, file.path.rfind('/'));
    for (const Function& function : FindFunctions(file)) {
      if (!function.owner.empty()) ++functions[{folder, function.owner}];
    }
  }
  for (const auto& [where, count] : functions) {
    if (count <= kClassFunctionsMax || MayBeLarge(where.first, where.second)) continue;
    findings.push_back({where.first, 0,
                        where.second + ": " +
                            Found(count, "functions", kClassFunctionsMax, "give its concerns to objects")});
  }
}

}  // namespace ringway::tidy
