#include "runtime/http/field_text.h"

#include <algorithm>

namespace ringway::http {
namespace {

bool IsTokenChar(char c) {
  const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return plain || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsValueChar(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

bool IsTargetChar(char c) { return IsValueChar(c) && c != ' ' && c != '\t'; }

bool IsRequestLine(std::string_view line) {
  constexpr std::string_view kVersion = " HTTP/1.1";
  if (!line.ends_with(kVersion)) return false;
  line.remove_suffix(kVersion.size());
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || !IsFieldName(line.substr(0, blank))) return false;
  const std::string_view target = line.substr(blank + 1);
  return !target.empty() && std::all_of(target.begin(), target.end(), IsTargetChar);
}

}  // namespace

bool IsFieldName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenChar);
}

bool IsFieldValue(std::string_view value) { return std::all_of(value.begin(), value.end(), IsValueChar); }

bool IsRequestHead(std::string_view head) {
  bool first = true;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    if (end == std::string_view::npos) return false;
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (first) {
      if (!IsRequestLine(line)) return false;
      first = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !IsFieldName(line.substr(0, colon))) return false;
    if (!IsFieldValue(line.substr(colon + 1))) return false;
  }
  return !first;
}

}  // namespace ringway::http
