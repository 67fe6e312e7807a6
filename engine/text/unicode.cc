#include "engine/text/unicode.h"

#include <algorithm>
#include <span>

namespace ringway::engine {
namespace {

// The range that holds c, or null.
template <typename Range>
const Range* Holding(std::span<const Range> ranges, char32_t c) {
  const auto at =
      std::partition_point(ranges.begin(), ranges.end(), [c](const Range& r) { return r.last < c; });
  return at != ranges.end() && at->first <= c ? &*at : nullptr;
}

// How many bytes follow the first one, and the least character that may be written so.
struct Lead {
  int more;
  char32_t least, bits;
};
Lead LeadOf(std::uint8_t byte) {
  if (byte < 0x80) return {0, 0, byte};
  if (byte >= 0xc0 && byte < 0xe0) return {1, 0x80, byte & 0x1fu};
  if (byte >= 0xe0 && byte < 0xf0) return {2, 0x800, byte & 0x0fu};
  if (byte >= 0xf0 && byte < 0xf8) return {3, 0x10000, byte & 0x07u};
  return {-1, 0, 0};
}

}  // namespace

char32_t TakeCharacter(std::string_view& text) {
  const Lead lead = LeadOf(static_cast<std::uint8_t>(text[0]));
  char32_t c = lead.bits;
  bool good = lead.more >= 0 && text.size() > static_cast<std::size_t>(std::max(lead.more, 0));
  for (int i = 1; good && i <= lead.more; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[static_cast<std::size_t>(i)]);
    good = (byte & 0xc0) == 0x80;
    c = c << 6 | (byte & 0x3fu);
  }
  good = good && c >= lead.least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
  text.remove_prefix(good ? static_cast<std::size_t>(lead.more) + 1 : 1);
  return good ? c : kReplacement;
}

void AppendUtf8(char32_t c, std::string& text) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | c >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xf0 | c >> 18);
    tail(12), tail(6), tail(0);
  }
}

bool IsLetter(char32_t c) { return Holding(std::span(kLetterRanges, kLetterRangeCount), c) != nullptr; }
bool IsNumber(char32_t c) { return Holding(std::span(kNumberRanges, kNumberRangeCount), c) != nullptr; }

// White_Space of the Unicode character database, which is what \s means to CLIP's tokenizer (the four
// separators from U+001C on are spaces to str.isspace() of Python, but not here).
bool IsSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

char32_t ToLower(char32_t c) {
  const LowerRange* range = Holding(std::span(kLowerRanges, kLowerRangeCount), c);
  if (range == nullptr || (c - range->first) % static_cast<char32_t>(range->step) != 0) return c;
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + range->delta);
}

}  // namespace ringway::engine
