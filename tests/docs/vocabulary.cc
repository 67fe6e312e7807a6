#include "tests/docs/vocabulary.h"

#include <algorithm>
#include <regex>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCells = 6;  // of a row of the table
constexpr char kHead[] = "| term | meaning, unit |";

// What `pattern` finds, its first group.
void Find(const std::string& source, const char* pattern, std::vector<std::string>& found) {
  const std::regex regex(pattern);
  for (std::sregex_iterator it(source.begin(), source.end(), regex), none; it != none; ++it) {
    found.push_back((*it)[1].str());
  }
}

std::vector<std::string> Quoted(const std::string& cell) {
  std::vector<std::string> found;
  Find(cell, "`([^`]+)`", found);
  return found;
}

std::string WithoutComments(std::string_view source) {
  std::string text;
  for (const std::string& line : Lines(source)) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (line.compare(begin, 2, "//") != 0 && line.compare(begin, 8, "#include") != 0)
      absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<Term> TermsOf(std::string_view markdown) {
  std::vector<Term> terms;
  bool inside = false;
  for (const std::string& line : Lines(markdown)) {
    if (line.starts_with(kHead)) inside = true;
    if (!line.starts_with("|")) inside = false;
    if (!inside || line.starts_with(kHead) || line.starts_with("|---")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() != kCells + 2) continue;
    terms.push_back({std::string(absl::StripAsciiWhitespace(cells[1])), Quoted(cells[3]), Quoted(cells[4]),
                     Quoted(cells[5]), Quoted(cells[6])});
  }
  return terms;
}

std::vector<std::string> ColumnTitles(std::string_view source) {
  static const std::regex kMakes(
      "TextTable \\w+\\(|TextTable\\(\\s*\\{|\\bcolumns(\\.\\w+\\(| = "
      ")|Column\\{|\"REGION\",\\s+kBarColumns");
  const std::string text = WithoutComments(source);
  std::vector<std::string> titles;
  for (std::sregex_iterator it(text.begin(), text.end(), kMakes), none; it != none; ++it) {
    const std::size_t from = static_cast<std::size_t>(it->position());
    std::vector<std::string> found;
    Find(text.substr(from, text.find(';', from) - from), "\"([^\"]*)\"", found);
    for (const std::string& title : found) {
      // A format takes a name or a number: what is printed there is no title of ours.
      static const std::regex kFormat("%[-*.0-9]*[a-z]");
      if (!title.empty() && !std::regex_search(title, kFormat)) titles.push_back(title);
    }
  }
  return titles;
}

std::vector<std::string> PageLabels(std::string_view source) {
  const std::string text = WithoutComments(source);
  std::vector<std::string> labels;
  Find(text, "\\n\\s*\\['([A-Z][^']*)', [^'\\]]", labels);                    // figures and facts
  Find(text, "\\btitle: '([^']+)', (?:number|value)", labels);                // columns that sort
  Find(text, "\\bhead\\('([^']+)'", labels);                                  // columns of other tables
  Find(text, "h\\('th', \\{[^}]*\\}, '([^']+)'\\)", labels);                  // and of the difference
  Find(text, "h\\('caption', \\{\\}, '([^']+)'\\)", labels);                  // its title
  Find(text, "<th [^>]*>(?:<span[^>]*>)?([^<]+)<", labels);                   // columns of the page itself
  Find(text, "class=\"swatch (?:home|away|shed)\"></span>([^<]+)<", labels);  // its legend of the hour
  return labels;
}

std::vector<std::string> Literals(std::string_view source) {
  std::vector<std::string> found;
  Find(WithoutComments(source), "[\"'`]([^\"'`\\n]+)[\"'`]", found);
  return found;
}

std::vector<std::string> SvgTexts(std::string_view svg) {
  std::vector<std::string> found;
  Find(std::string(svg), ">([^<>\\n]+)<", found);
  return found;
}

std::vector<Shown> ShownIn(const std::vector<std::string>& folders, const std::vector<std::string>& endings,
                           const std::function<std::vector<std::string>(std::string_view)>& find) {
  const fs::path root = RINGWAY_SOURCE_DIR;
  std::vector<Shown> shown;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string ending = entry.path().extension().string();
      if (std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
      const std::string text = ReadText(entry.path());
      for (std::string& found : find(text)) {
        shown.push_back({std::move(found), fs::relative(entry.path(), root).string()});
      }
    }
  }
  return shown;
}

}  // namespace ringway
