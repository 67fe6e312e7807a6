#include "tests/tidy/source_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/tidy/code_view.h"

namespace ringway::tidy {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTextEndings = {".h",    ".cc",   ".proto", ".cmake",  ".txt", ".md",
                                     ".sh",   ".json", ".yml",   ".yaml",   ".js",  ".css",
                                     ".html", ".supp", ".py",    ".service"};
constexpr std::array kTextNames = {"dev",         "run",           ".clang-format",
                                   ".clang-tidy", ".editorconfig", ".gitignore"};
constexpr std::size_t kTextBytesMax = 2'000'000;  // more is not something that a person wrote

// Inputs of tests are as odd as they have to be.
bool IsTestInput(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) {
    return part == "corpus" || part == "broken" || part == "former_release";
  });
}

bool IsText(const fs::path& path) {
  if (IsTestInput(path)) return false;
  const std::string name = path.filename().string();
  return std::any_of(kTextEndings.begin(), kTextEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); }) ||
         std::find(kTextNames.begin(), kTextNames.end(), name) != kTextNames.end();
}

bool IsLeftOut(const fs::path& relative) {
  const std::string top = relative.begin()->string();
  return top == ".git" || top == "build" || top.starts_with("build-") || top == "out" || top == ".cache" ||
         relative.filename() == "node_modules";
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

bool SourceFile::Under(std::string_view folder) const {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::string_view SourceFile::name() const {
  return std::string_view(path).substr(path.rfind('/') + 1);  // npos + 1 == 0
}

bool SourceTree::Exists(std::string_view path) const {
  while (path.ends_with('/')) path.remove_suffix(1);
  const bool is_file =
      std::any_of(files.begin(), files.end(), [&](const SourceFile& f) { return f.path == path; });
  return is_file || std::binary_search(others.begin(), others.end(), path);
}

SourceFile MakeFile(std::string path, std::string_view text) {
  SourceFile file;
  file.path = std::move(path);
  file.lines = SplitLines(text);
  file.ends_with_newline = text.empty() || text.back() == '\n';
  if (file.IsCpp() || file.Is(".proto")) file.code = SplitLines(BlankCommentsAndLiterals(text));
  return file;
}

SourceTree LoadTree(std::string_view root) {
  SourceTree tree;
  const fs::path base(root);
  for (auto it = fs::recursive_directory_iterator(base); it != fs::recursive_directory_iterator(); ++it) {
    const fs::path relative = it->path().lexically_relative(base);
    if (IsLeftOut(relative)) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && IsText(relative) && it->file_size() <= kTextBytesMax) {
      tree.files.push_back(MakeFile(relative.generic_string(), ReadAll(it->path())));
    } else {
      tree.others.push_back(relative.generic_string());
    }
  }
  std::sort(tree.files.begin(), tree.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  std::sort(tree.others.begin(), tree.others.end());
  return tree;
}

bool HasToken(std::string_view line, std::string_view token) {
  for (std::size_t at = line.find(token); at != std::string_view::npos; at = line.find(token, at + 1)) {
    const std::size_t end = at + token.size();
    const bool glued_before = at > 0 && IsWordChar(token.front()) && IsWordChar(line[at - 1]);
    const bool glued_after = end < line.size() && IsWordChar(token.back()) && IsWordChar(line[end]);
    if (!glued_before && !glued_after) return true;
  }
  return false;
}

std::vector<Include> IncludesOf(const SourceFile& file) {
  std::vector<Include> includes;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::size_t hash = file.code[i].find_first_not_of(' ');
    if (hash == std::string::npos || !std::string_view(file.code[i]).substr(hash).starts_with("#include"))
      continue;
    const std::string& line = file.lines[i];
    const std::size_t open = line.find_first_of("<\"", hash);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find_first_of(">\"", open + 1);
    includes.push_back({i + 1, line.substr(open + 1, close - open - 1)});
  }
  return includes;
}

}  // namespace ringway::tidy
