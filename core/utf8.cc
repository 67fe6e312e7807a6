#include "core/utf8.h"

#include <cstddef>
#include <optional>

namespace ringway {
namespace {

unsigned ByteAt(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

// How many bytes follow this one in a character; nothing if none begins with it.
std::optional<std::size_t> Following(unsigned lead) {
  if (lead < 0x80) return 0;
  if (lead < 0xc2) return std::nullopt;
  if (lead < 0xe0) return 1;
  if (lead < 0xf0) return 2;
  if (lead < 0xf5) return 3;
  return std::nullopt;
}

// Some first bytes leave the second one less room than any continuation has.
bool SecondFits(unsigned lead, unsigned second) {
  if (lead == 0xe0) return second >= 0xa0;
  if (lead == 0xed) return second <= 0x9f;
  if (lead == 0xf0) return second >= 0x90;
  if (lead == 0xf4) return second <= 0x8f;
  return true;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = ByteAt(text, i);
    const std::optional<std::size_t> more = Following(lead);
    if (!more || *more > text.size() - i - 1) return false;
    for (std::size_t k = 1; k <= *more; ++k) {
      if ((ByteAt(text, i + k) & 0xc0) != 0x80) return false;
    }
    if (*more > 0 && !SecondFits(lead, ByteAt(text, i + 1))) return false;
    i += *more + 1;
  }
  return true;
}

}  // namespace ringway
