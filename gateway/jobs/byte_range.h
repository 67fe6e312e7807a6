// Which bytes of a result a Range field asks for (RFC 9110, 14.2).
//
// One range of bytes is served. A field that is no range of bytes, is malformed, or asks for several ranges
// is ignored, as the RFC allows, and the whole is sent. A range that begins behind the end cannot be
// satisfied.
//
// Pure. Threads: values. Complexity: linear in the field.
#ifndef RINGWAY_GATEWAY_JOBS_BYTE_RANGE_H_
#define RINGWAY_GATEWAY_JOBS_BYTE_RANGE_H_

#include <cstdint>
#include <string_view>

namespace ringway::gateway {

struct ByteRange {
  enum class Kind { kWhole, kPart, kUnsatisfiable };
  Kind kind = Kind::kWhole;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// Of a result of `size` bytes. A part has first + count <= size and count > 0; the whole has count == size.
ByteRange ReadRange(std::string_view field, std::uint64_t size);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_BYTE_RANGE_H_
