#include "tests/deploy/package_references.h"

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <string_view>

#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kFoldersForOperators = {"deploy", "docs",  "topology",
                                                                  "sim",    "bench", "examples"};
constexpr std::array<std::string_view, 5> kEndingsForOperators = {".yaml", ".yml", ".md", ".service", ".env"};
// Of sim/ and bench/ the package has what is given to the programs, and of tests nothing.
bool ForOperators(const std::string& path) {
  const std::string first = path.substr(0, path.find('/'));
  const bool folder = std::find(kFoldersForOperators.begin(), kFoldersForOperators.end(), first) !=
                      kFoldersForOperators.end();
  if (!folder || path.find('/') == std::string::npos) return false;
  if (first == "deploy" || first == "docs" || first == "topology") return true;
  return std::any_of(kEndingsForOperators.begin(), kEndingsForOperators.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

class Looked {
 public:
  Looked(const fs::path& root, const fs::path& file) : root_(root), file_(file) {}

  void Page(const fs::path& doc) {
    static const std::regex link("\\]\\(([^)# ]+)[^)]*\\)"), ticked("`([A-Za-z0-9_./-]+)`");
    bool in_code = false;  // there brackets are a lambda's, not a link's
    ForEachLine([&](const std::string& line) {
      if (line.starts_with("```")) in_code = !in_code;
      if (in_code) return;
      ForEach(line, link, [&](const std::string& target) {
        if (target.find(':') == std::string::npos) Want(file_.parent_path() / target, target);
      });
      ForEach(line, ticked, [&](std::string path) {
        if (path.starts_with("./")) path.erase(0, 2);
        if (!ForOperators(path)) return;
        Want(doc / (path.starts_with("docs/") ? path.substr(5) : path), path);
      });
    });
  }

  void Manual() {
    static const std::regex absolute("(/[A-Za-z0-9_.@/-]+)");
    ForEachLine([&](std::string line) {
      line = std::regex_replace(line, std::regex("\\\\-"), "-");
      ForEach(line, absolute, [&](std::string path) {
        while (path.ends_with('.')) path.pop_back();
        if (path.starts_with("/usr/") || path.starts_with("/etc/ringway/"))
          Want(root_ / path.substr(1), path);
        if (path.find("/build/") != std::string::npos || path.find(RINGWAY_SOURCE_DIR) != std::string::npos) {
          Find(path + " is of the machine that built the package");
        }
      });
      ForEach(line, std::regex("(?:^|[^/a-z-])(docs/[a-z-]+\\.md)"),
              [&](const std::string& path) { Find(path + ", which is a path of the checkout"); });
    });
  }

  const std::vector<std::string>& findings() const { return findings_; }

 private:
  template <class Do>
  void ForEachLine(Do look) {
    std::istringstream text(file_.extension() == ".gz" ? OutputOf("gzip -dc '" + file_.string() + "'")
                                                       : ReadText(file_));
    line_ = 0;
    for (std::string line; std::getline(text, line);) {
      ++line_;
      look(line);
    }
  }
  template <class Do>
  static void ForEach(const std::string& line, const std::regex& wanted, Do look) {
    for (std::sregex_iterator it(line.begin(), line.end(), wanted), none; it != none; ++it) look((*it)[1]);
  }
  void Want(const fs::path& path, const std::string& named) {
    if (!fs::exists(path.lexically_normal())) Find(named + ", which the package does not hold");
  }
  void Find(const std::string& what) {
    findings_.push_back(fs::relative(file_, root_).string() + ":" + std::to_string(line_) + ": names " +
                        what);
  }

  const fs::path root_, file_;
  std::size_t line_ = 0;
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> MissingInPackage(const fs::path& root) {
  const fs::path doc = root / "usr/share/doc/ringway", manuals = root / "usr/share/man";
  std::vector<std::string> missing;
  for (const fs::path& folder : {doc, manuals}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      Looked looked(root, entry.path());
      if (entry.path().extension() == ".md") looked.Page(doc);
      if (folder == manuals && entry.is_regular_file()) looked.Manual();
      missing.insert(missing.end(), looked.findings().begin(), looked.findings().end());
    }
  }
  std::sort(missing.begin(), missing.end());
  return missing;
}

}  // namespace ringway
