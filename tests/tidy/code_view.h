// C++ (or proto) text with everything that is not code blanked out.
//
// Comments, string literals (raw ones too), character literals and their quotes become spaces; line ends
// stay, so that line and column numbers still point into the original. Digit separators (1'000) are not
// character literals. It is a lexer of a few states, not a compiler: trigraphs and literals continued by a
// backslash over lines inside a macro are beyond it, and nobody here writes them.
// Complexity: linear. Threads: pure function.
#ifndef RINGWAY_TESTS_TIDY_CODE_VIEW_H_
#define RINGWAY_TESTS_TIDY_CODE_VIEW_H_

#include <cctype>
#include <string>
#include <string_view>

namespace ringway::tidy {

// Of a name, or of a number.
inline bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string BlankCommentsAndLiterals(std::string_view text);

}  // namespace ringway::tidy

#endif  // RINGWAY_TESTS_TIDY_CODE_VIEW_H_
