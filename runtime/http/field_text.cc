#include "runtime/http/field_text.h"

#include <array>
#include <cstddef>

namespace ringway::http {
namespace {

// Which bytes may stand there: looked up, because every field of every answer comes by.
using Bytes = std::array<bool, 256>;

constexpr bool IsTokenByte(int byte) {
  const bool plain =
      (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
  return plain || (byte < 0x80 && std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(byte)) !=
                                      std::string_view::npos);
}
constexpr bool IsValueByte(int byte) { return byte == '\t' || (byte >= 0x20 && byte != 0x7f); }
constexpr bool IsTargetByte(int byte) { return byte > 0x20 && byte != 0x7f; }

template <class F>
constexpr Bytes BytesThat(F fits) {
  Bytes bytes{};
  for (int byte = 0; byte < 256; ++byte) bytes[static_cast<std::size_t>(byte)] = fits(byte);
  return bytes;
}
constexpr Bytes kToken = BytesThat(IsTokenByte);
constexpr Bytes kValue = BytesThat(IsValueByte);
constexpr Bytes kTarget = BytesThat(IsTargetByte);

bool All(std::string_view text, const Bytes& bytes) {
  for (const char c : text) {
    if (!bytes[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

bool IsRequestLine(std::string_view line) {
  constexpr std::string_view kVersion = " HTTP/1.1";
  if (!line.ends_with(kVersion)) return false;
  line.remove_suffix(kVersion.size());
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || !IsFieldName(line.substr(0, blank))) return false;
  const std::string_view target = line.substr(blank + 1);
  return !target.empty() && All(target, kTarget);
}

}  // namespace

bool IsFieldName(std::string_view name) { return !name.empty() && All(name, kToken); }

bool IsFieldValue(std::string_view value) { return All(value, kValue); }

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
