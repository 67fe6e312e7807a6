#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

constexpr std::array<std::string_view, 10> kEmptyNames = {"manager", "handler", "helper", "util", "common",
                                                          "misc",    "impl",    "base",   "data", "info"};
// Words of our own for what the field has a term for.
constexpr std::array<std::array<std::string_view, 2>, 15> kDialect = {{{"desk", "listener or state"},
                                                                       {"book", "table, log or registry"},
                                                                       {"hall", "sessions"},
                                                                       {"seat", "leader"},
                                                                       {"holder", "leader"},
                                                                       {"keeper", "replica or store"},
                                                                       {"story", "trace"},
                                                                       {"stories", "traces"},
                                                                       {"crowd", "clients"},
                                                                       {"trouble", "fault"},
                                                                       {"witness", "observer"},
                                                                       {"luggage", "payload"},
                                                                       {"beside", "local"},
                                                                       {"beat", "heartbeat"},
                                                                       {"glance", "summary"}}};
constexpr std::array<std::string_view, 6> kOpenEndKinds = {"perf", "security", "cleanup",
                                                           "test", "feature",  "someday"};
constexpr std::array<std::string_view, 6> kTypeKeywords = {"class", "struct",  "union",
                                                           "enum",  "message", "service"};

// Written in two pieces, or this file would be the first finding.
const std::array<std::string, 2> kOpenEnds = {
    "TO"
    "DO",
    "FIX"
    "ME"};
const std::array<std::string, 14> kHosts = {
    "deb.debian"
    ".org",
    "snapshot.debian"
    ".org",
    "registry.npmjs"
    ".org",
    "pypi"
    ".org",
    "pypi.python"
    ".org",
    "files.pythonhosted"
    ".org",
    "crates"
    ".io",
    "proxy.golang"
    ".org",
    "docker"
    ".io",
    "ghcr"
    ".io",
    "quay"
    ".io",
    "gcr"
    ".io",
    "huggingface"
    ".co",
    "rubygems"
    ".org"};
const std::array<std::string, 3> kMachinePaths = {
    "/ho"
    "me/",
    "/ro"
    "ot/",
    "/wo"
    "rk/"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return lower;
}

// "PeerInfo", "peer_info" and "peer-info" -> {"peer", "info"}; "HTTPBase" -> {"http", "base"}.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto upper = [&](std::size_t at) {
      return at < name.size() && std::isupper(static_cast<unsigned char>(name[at])) != 0;
    };
    if (std::isalnum(static_cast<unsigned char>(name[i])) == 0) {
      words.emplace_back();
      continue;
    }
    const bool after_lower = i > 0 && upper(i) && !upper(i - 1);
    const bool last_of_acronym = i > 0 && upper(i) && i + 1 < name.size() && !upper(i + 1);
    if (after_lower || last_of_acronym) words.emplace_back();
    words.back() += name[i];
  }
  for (std::string& word : words) word = Lower(word);
  return words;
}

// What is wrong with the first word of the name that should not be in it; empty: nothing.
std::string WrongWordIn(std::string_view name) {
  const auto quoted = [&](std::string_view word) {
    return "'" + std::string(name) + "' has '" + std::string(word) + "' in its name, ";
  };
  for (const std::string& word : WordsOf(name)) {
    const std::string singular =
        word.size() > 1 && word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
    for (const std::string_view empty : kEmptyNames) {
      if (word == empty || singular == empty) {
        return quoted(empty) + "which says nothing: name the thing or the decision";
      }
    }
    for (const auto& [own, term] : kDialect) {
      if (word == own || singular == own) return quoted(own) + "the field's term is " + std::string(term);
    }
  }
  return {};
}

// The type that a line of code declares, or nothing.
std::string_view TypeDeclaredIn(std::string_view line) {
  std::string_view previous;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = line.find_first_not_of(" ", at);
    if (start == std::string_view::npos) return {};
    std::size_t end = start;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_'))
      ++end;
    if (end == start) return {};
    const std::string_view word = line.substr(start, end - start);
    const bool keyword = std::find(kTypeKeywords.begin(), kTypeKeywords.end(), word) != kTypeKeywords.end();
    if (!keyword && !previous.empty()) return word;
    if (!keyword && word != "using") return {};
    previous = word;
    at = end;
  }
  return {};
}

}  // namespace

void CheckNames(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!file.IsCpp() && !file.Is(".proto")) continue;
    const std::string_view stem = file.name().substr(0, file.name().rfind('.'));
    if (std::string wrong = WrongWordIn(stem); !wrong.empty()) findings.push_back({file.path, 0, wrong});
    for (std::size_t i = 0; i < file.code.size(); ++i) {
      const std::string_view type = TypeDeclaredIn(file.code[i]);
      if (std::string wrong = WrongWordIn(type); !wrong.empty())
        findings.push_back({file.path, i + 1, wrong});
    }
  }
}

void CheckOpenEnds(const SourceTree& tree, Findings& findings) {
  const auto typed = [](std::string_view rest) {
    return std::any_of(kOpenEndKinds.begin(), kOpenEndKinds.end(), [&](std::string_view kind) {
      return rest.starts_with("(" + std::string(kind) + "): ");
    });
  };
  for (const SourceFile& file : tree.files) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      for (const std::string& mark : kOpenEnds) {
        if (!HasToken(file.lines[i], mark)) continue;
        if (typed(std::string_view(file.lines[i]).substr(file.lines[i].find(mark) + mark.size()))) continue;
        findings.push_back({file.path, i + 1,
                            mark + " without a type: finish it, or write " + mark +
                                "(perf|security|cleanup|test|feature|someday): what and why"});
      }
    }
  }
}

void CheckHostsAndPaths(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      for (const std::string& host : kHosts) {
        if (HasToken(line, host)) {
          findings.push_back({file.path, i + 1,
                              "names the host " + host +
                                  ": leave the choice to the machine's own "
                                  "package configuration"});
        }
      }
      for (const std::string& path : kMachinePaths) {
        const std::size_t at = line.find(path);
        if (at == std::string::npos ||
            (at > 0 && std::string_view(" \t\"'`=(").find(line[at - 1]) == std::string::npos)) {
          continue;
        }
        findings.push_back({file.path, i + 1, "names " + path + ", a path of one machine"});
      }
    }
  }
}

void CheckWhitespace(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!file.ends_with_newline)
      findings.push_back({file.path, file.lines.size(), "the last line has no line end"});
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (line.ends_with(' ') || line.ends_with('\t'))
        findings.push_back({file.path, i + 1, "blanks at the end"});
      if (line.ends_with('\r')) findings.push_back({file.path, i + 1, "a carriage return at the end"});
      if (line.find('\t') != std::string::npos) findings.push_back({file.path, i + 1, "a tab"});
    }
  }
}

}  // namespace ringway::tidy
