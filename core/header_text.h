// Text that may stand where only printable ASCII may: gRPC metadata and trailers, HTTP fields, names.
//
// gRPC ends the process when metadata holds a byte outside 0x20..0x7e, and a line break in an HTTP field
// begins another field. So what becomes either is a value of this type, and there are two ways to get one.
// Parse takes text as it is or not at all: for names, at the border where they come in, so that whoever chose
// them is told. Escaped takes anything and writes what does not fit as %XX: for words of peers that only
// people read (reasons, names of an older release). Escaped text is not meant to be read back: a % stays as
// it is.
//
// Invariant: each byte is in 0x20..0x7e; at most kBytesMax of them unless the caller of Parse allows more. A
// header block holds several of these beside a status, and gRPC refuses blocks above 8 KiB. Pure. Threads:
// values. Linear in the text.
#ifndef RINGWAY_CORE_HEADER_TEXT_H_
#define RINGWAY_CORE_HEADER_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace ringway {

class HeaderText {
 public:
  static constexpr std::size_t kBytesMax = 256;
  // Names of processes (routers, workers) and of what they serve.
  static constexpr std::size_t kNameBytesMax = 128;

  // Nothing: a byte is not printable ASCII, or there are too many.
  static std::optional<HeaderText> Parse(std::string_view text, std::size_t bytes_max = kBytesMax);
  // What is too long is cut.
  static HeaderText Escaped(std::string_view text);
  // A name is 1 to kNameBytesMax bytes of it. `what` says where it comes from: a flag, a field.
  // Errors: InvalidArgument.
  static absl::Status CheckName(std::string_view what, std::string_view name);

  const std::string& text() const { return text_; }
  friend bool operator==(const HeaderText&, const HeaderText&) = default;

 private:
  explicit HeaderText(std::string text) : text_(std::move(text)) {}
  std::string text_;
};
inline bool IsPrintableAscii(char c) { return c >= 0x20 && c <= 0x7e; }

}  // namespace ringway

#endif  // RINGWAY_CORE_HEADER_TEXT_H_
