#!/usr/bin/env python3
"""Writes engine/text/unicode_tables.cc from the Unicode data that this Python has: which characters are letters and numbers,
and what is their lower case. Usage: make_tables.py engine/text/unicode_tables.cc"""
import sys
import unicodedata

WIDTH = 108


def ranges(holds):
    found = []
    for code in range(0x110000):
        if not holds(code):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def category(code):
    return unicodedata.category(chr(code))[0]


def lower_ranges():
    """[first, last, step, delta]: runs of every character, or of every second one, with one distance to its lower case."""
    runs = []
    for code in range(0x110000):
        lower = chr(code).lower()
        if len(lower) != 1 or lower == chr(code):
            continue
        delta, last = ord(lower) - code, runs[-1] if runs else None
        gap = code - last[1] if last else 0
        if last and last[3] == delta and gap in (1, 2) and (last[0] == last[1] or gap == last[2]):
            runs[-1] = [last[0], code, gap, delta]
        else:
            runs.append([code, code, 1, delta])
    return runs


def table(kind, name, form, rows):
    lines, line = [], "   "
    for row in rows:
        item = " " + form % tuple(row)
        if len(line) + len(item) > WIDTH:
            lines.append(line)
            line = "   "
        line += item
    return [f"const {kind} {name}s[] = {{", *lines, line, "};", f"const std::size_t {name}Count = std::size({name}s);", ""]


def main():
    pair, quad = "{0x%x, 0x%x},", "{0x%x, 0x%x, %d, %d},"
    text = [f"// Made by tools/unicode/make_tables.py (Unicode {unicodedata.unidata_version}); not to be edited.",
            '#include "engine/text/unicode.h"', "", "// clang-format off", "namespace ringway::engine {", "",
            *table("CodeRange", "kLetterRange", pair, ranges(lambda c: category(c) == "L")),
            *table("CodeRange", "kNumberRange", pair, ranges(lambda c: category(c) == "N")),
            *table("LowerRange", "kLowerRange", quad, lower_ranges()), "}  // namespace ringway::engine", ""]
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(text))


if __name__ == "__main__":
    main()
