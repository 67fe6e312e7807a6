#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

constexpr std::array<std::string_view, 14> kEndings = {".cc",   ".h",    ".md",  ".proto", ".cmake",
                                                       ".txt",  ".yaml", ".svg", ".json",  ".js",
                                                       ".html", ".css",  ".csv", ".png"};
// What commands make, and therefore is not in a checkout.
constexpr std::array<std::string_view, 4> kMade = {"build", "out", ".cache", "ringway-world"};

bool IsDocument(const SourceFile& file) { return file.Is(".md"); }

std::string_view FirstPart(std::string_view path) { return path.substr(0, path.find('/')); }

std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

// "docs" + "../core/ids.h" -> "core/ids.h"
std::string Joined(std::string_view folder, std::string_view target) {
  std::string path(folder);
  while (target.starts_with("../")) {
    target.remove_prefix(3);
    path = std::string(FolderOf(path));
  }
  if (target.starts_with("./")) target.remove_prefix(2);
  return path.empty() ? std::string(target) : path + "/" + std::string(target);
}

bool LooksLikePath(const SourceTree& tree, std::string_view word) {
  const std::size_t odd =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./");
  if (odd != std::string_view::npos || word.empty() || word.front() == '/' || word.front() == '-')
    return false;
  const std::string_view first = FirstPart(word);
  if (std::find(kMade.begin(), kMade.end(), first) != kMade.end() || first.starts_with("build-"))
    return false;
  if (word.find('/') == std::string_view::npos) return word.ends_with(".md");
  return tree.Exists(first) || std::any_of(kEndings.begin(), kEndings.end(),
                                           [&](std::string_view ending) { return word.ends_with(ending); });
}

bool IsVerb(const SourceTree& tree, std::string_view verb) {
  for (const SourceFile& file : tree.files) {
    if (file.path != "dev") continue;
    const std::string start = "verb_" + std::string(verb) + "()";
    return std::any_of(file.lines.begin(), file.lines.end(),
                       [&](const std::string& line) { return line.starts_with(start); });
  }
  return true;  // no script, no verbs to compare with
}

std::string_view WordFrom(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_'))
    ++end;
  return line.substr(at, end - at);
}

struct Place {
  const SourceFile& file;
  std::size_t line;
};

void CheckPath(const SourceTree& tree, const Place& place, std::string_view path, Findings& findings) {
  if (tree.Exists(path)) return;
  findings.push_back({place.file.path, place.line, "names " + std::string(path) + ", which does not exist"});
}

// `words` between backticks that look like paths from the root; what follows a blank is arguments.
void CheckBackticks(const SourceTree& tree, const Place& place, std::string_view line, Findings& findings) {
  for (std::size_t open = line.find('`'); open != std::string_view::npos;) {
    const std::size_t close = line.find('`', open + 1);
    if (close == std::string_view::npos) return;
    std::string_view word = line.substr(open + 1, close - open - 1);
    word = word.substr(0, word.find(' '));
    if (word.starts_with("./")) word.remove_prefix(2);
    if (LooksLikePath(tree, word)) CheckPath(tree, place, word, findings);
    open = line.find('`', close + 1);
  }
}

void CheckLinks(const SourceTree& tree, const Place& place, std::string_view line, Findings& findings) {
  for (std::size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 2)) {
    std::string_view target = line.substr(at + 2, line.find(')', at) - at - 2);
    target = target.substr(0, target.find_first_of("# "));
    if (target.empty() || target.find(':') != std::string_view::npos) continue;
    CheckPath(tree, place, Joined(FolderOf(place.file.path), target), findings);
  }
}

void CheckVerbs(const SourceTree& tree, const Place& place, std::string_view line, Findings& findings) {
  constexpr std::string_view kCall = "./dev ";
  for (std::size_t at = line.find(kCall); at != std::string_view::npos; at = line.find(kCall, at + 1)) {
    const std::string_view verb = WordFrom(line, at + kCall.size());
    if (verb.empty() || std::isupper(static_cast<unsigned char>(verb.front())) != 0) continue;
    if (!IsVerb(tree, verb)) {
      findings.push_back({place.file.path, place.line, "./dev has no verb '" + std::string(verb) + "'"});
    }
    if (verb != "bench") continue;
    const std::string_view rest = line.substr(at + kCall.size() + verb.size());
    const std::string_view name = rest.starts_with(' ') ? WordFrom(rest, 1) : std::string_view();
    if (name.empty() || std::isupper(static_cast<unsigned char>(name.front())) != 0) continue;
    if (!tree.Exists("bench/" + std::string(name))) {
      findings.push_back({place.file.path, place.line, "there is no benchmark '" + std::string(name) + "'"});
    }
  }
}

// Every CMakeLists.txt in the folder of `path` and above it, as one text.
bool IsNamedInLists(const SourceTree& tree, std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const SourceFile& lists : tree.files) {
    if (lists.name() != "CMakeLists.txt") continue;
    const std::string_view folder = FolderOf(lists.path);
    if (!folder.empty() && !(path.starts_with(folder) && path[folder.size()] == '/')) continue;
    const std::string_view relative = folder.empty() ? path : path.substr(folder.size() + 1);
    for (const std::string& line : lists.lines) {
      if (HasToken(line, relative) || (folder == FolderOf(path) && HasToken(line, name))) return true;
    }
  }
  return false;
}

}  // namespace

void CheckDocumentedPaths(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!IsDocument(file)) continue;
    bool in_fence = false;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (line.starts_with("```")) in_fence = !in_fence;
      const Place place{file, i + 1};
      CheckVerbs(tree, place, line, findings);
      if (in_fence) continue;
      CheckBackticks(tree, place, line, findings);
      CheckLinks(tree, place, line, findings);
    }
  }
}

void CheckSourcesAreBuilt(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    // Linked into every fuzz target by cmake/Ringway.cmake.
    if (!file.Is(".cc") || file.path == "tests/replay_main.cc") continue;
    if (!IsNamedInLists(tree, file.path)) {
      findings.push_back({file.path, 0, "no CMakeLists.txt names it, so nobody builds or tests it"});
    }
  }
}

}  // namespace ringway::tidy
