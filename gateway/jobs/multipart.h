// A body of type multipart/form-data, taken apart into its parts (RFC 7578).
//
// Parts are views into the body: nothing is copied but names. Strict where two readers could differ: lines
// end with CRLF, each part has one Content-Disposition of form-data with a name, the body ends with the
// closing delimiter. A file name is read and never used as a path.
//
// Bounds: kPartsMax parts, kPartHeadBytesMax of header for each. Pure. Threads: values. Linear in the body.
#ifndef RINGWAY_GATEWAY_JOBS_MULTIPART_H_
#define RINGWAY_GATEWAY_JOBS_MULTIPART_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ringway::gateway {

inline constexpr std::size_t kPartsMax = 96;
inline constexpr std::size_t kPartHeadBytesMax = 4 << 10;

struct FormPart {
  std::string name;
  std::string file_name;  // empty: no file
  std::string_view content_type;
  std::string_view bytes;
};

// The boundary that a Content-Type names; empty: it is not multipart/form-data, or names none.
std::string BoundaryOf(std::string_view content_type);

// Errors: InvalidArgument, in words.
absl::StatusOr<std::vector<FormPart>> ReadForm(std::string_view body, std::string_view boundary);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_MULTIPART_H_
