// As much of Unicode as prompts need: reading UTF-8, telling letters and numbers, lower case, white space.
//
// Letters and numbers are the general categories L and N, lower case is the simple mapping of one character
// to one, both from tables (unicode_tables.cc, made by tools/unicode/make_tables.py, Unicode 14). Bytes that
// are no UTF-8 (overlong forms and surrogates included) read as U+FFFD, one at a time, so any bytes are safe.
// No normalisation: a letter followed by a combining accent stays two characters. O(log ranges) a character;
// pure.
#ifndef RINGWAY_ENGINE_TEXT_UNICODE_H_
#define RINGWAY_ENGINE_TEXT_UNICODE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace ringway::engine {

inline constexpr char32_t kReplacement = 0xfffd;

// Takes the first character off `text`, which must not be empty.
char32_t TakeCharacter(std::string_view& text);
void AppendUtf8(char32_t character, std::string& text);

bool IsLetter(char32_t c);
bool IsNumber(char32_t c);
bool IsSpace(char32_t c);
char32_t ToLower(char32_t c);

// The tables, sorted.
struct CodeRange {
  char32_t first, last;
};
struct LowerRange {
  char32_t first, last;
  std::int32_t step, delta;  // every step-th character; its lower case is delta away
};
extern const CodeRange kLetterRanges[];
extern const std::size_t kLetterRangeCount;
extern const CodeRange kNumberRanges[];
extern const std::size_t kNumberRangeCount;
extern const LowerRange kLowerRanges[];
extern const std::size_t kLowerRangeCount;

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TEXT_UNICODE_H_
