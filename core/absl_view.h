// A standard string_view as absl's functions take it.
//
// Debian builds absl as C++14, where absl::string_view is a class of its own; programs in C++20 have both and
// the two do not convert. Where absl is built as C++17 or later this is the identity.
//
// Pure, O(1); the view lives as long as its text.
#ifndef RINGWAY_CORE_ABSL_VIEW_H_
#define RINGWAY_CORE_ABSL_VIEW_H_

#include <string_view>

#include "absl/strings/string_view.h"

namespace ringway {

inline absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace ringway

#endif  // RINGWAY_CORE_ABSL_VIEW_H_
