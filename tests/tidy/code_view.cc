#include "tests/tidy/code_view.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace ringway::tidy {
namespace {

// Each of the following returns the position just after the thing that starts at `at`.

std::size_t EndOfLineComment(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::size_t EndOfBlockComment(std::string_view text, std::size_t at) {
  const std::size_t close = text.find("*/", at + 2);
  return close == std::string_view::npos ? text.size() : close + 2;
}

std::size_t EndOfQuoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

// `at` points to the quote of R"tag(...)tag".
std::size_t EndOfRaw(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos) return text.size();
  const std::string closing = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t close = text.find(closing, open);
  return close == std::string_view::npos ? text.size() : close + closing.size();
}

std::size_t EndOfNonCode(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  const char before = at > 0 ? text[at - 1] : '\0';
  if (c == '/' && next == '/') return EndOfLineComment(text, at);
  if (c == '/' && next == '*') return EndOfBlockComment(text, at);
  if (c == '"' && before == 'R') return EndOfRaw(text, at);
  if (c == '"') return EndOfQuoted(text, at);
  if (c == '\'' && !IsWordChar(before)) return EndOfQuoted(text, at);
  return at;
}

}  // namespace

std::string BlankCommentsAndLiterals(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = EndOfNonCode(text, at);
    for (std::size_t i = at; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return code;
}

}  // namespace ringway::tidy
