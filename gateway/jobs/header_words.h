// Words of HTTP header fields, read as RFC 9110 says.
//
// A field's value may stand between spaces and tabs (5.6.3), which are no part of it; names of fields, types
// and parameters are compared without regard to case (5.1, 8.3.1). Only ASCII letters have case here,
// whatever the locale.
//
// Pure. Complexity: linear in the text.
#ifndef RINGWAY_GATEWAY_JOBS_HEADER_WORDS_H_
#define RINGWAY_GATEWAY_JOBS_HEADER_WORDS_H_

#include <string_view>

#include "absl/strings/match.h"
#include "core/absl_view.h"

namespace ringway::gateway {

inline bool SameWord(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(AbslView(a), AbslView(b));
}

inline std::string_view Trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_HEADER_WORDS_H_
