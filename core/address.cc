#include "core/address.h"

#include <cstddef>

namespace ringway {
namespace {

constexpr std::size_t kNameBytesMax = 253;
constexpr std::size_t kLabelBytesMax = 63;
constexpr std::size_t kIpv6BytesMax = 45;
constexpr std::size_t kPortDigitsMax = 5;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsOfName(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

bool IsPort(std::string_view text) {
  if (text.empty() || text.size() > kPortDigitsMax || text.front() == '0') return false;
  unsigned value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value <= 65535;
}

// The form is enough: one that is not an address of any machine cannot be reached.
bool IsIpv6(std::string_view text) {
  int colons = 0;
  for (const char c : text) {
    if (!IsHex(c) && c != ':' && c != '.') return false;
    colons += c == ':';
  }
  return colons >= 2 && colons <= 8 && text.size() <= kIpv6BytesMax;
}

// A name, or four numbers, which are one.
bool IsName(std::string_view text) {
  if (text.size() > kNameBytesMax) return false;
  if (!text.empty() && text.back() == '.') text.remove_suffix(1);
  std::size_t label = 0;
  for (const char c : text) {
    if (c == '.') {
      if (label == 0) return false;
      label = 0;
    } else if (!IsOfName(c) || ++label > kLabelBytesMax) {
      return false;
    }
  }
  return label > 0;
}

}  // namespace

bool IsCallable(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || !IsPort(address.substr(colon + 1))) return false;
  const std::string_view host = address.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  return bracketed ? IsIpv6(host.substr(1, host.size() - 2)) : IsName(host);
}

}  // namespace ringway
