// The words of the project: the table in docs/concepts.md, and what programs and pages really show.
//
// Titles are read from the sources, where every one stands, and not from what a program prints in one
// state of a fleet. A column's title is a literal in the statement that makes a TextTable, or adds to its
// columns; a label of the page is the first text of a figure, a head cell, or a legend.
//
// Pure but for reading files. Cost: linear in the sources.
#ifndef RINGWAY_TESTS_DOCS_VOCABULARY_H_
#define RINGWAY_TESTS_DOCS_VOCABULARY_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringway {

std::vector<std::string> Lines(std::string_view text);

// A row of the table: what stands in backquotes, cell by cell.
struct Term {
  std::string name;
  std::vector<std::string> titles;   // columns on the command line
  std::vector<std::string> labels;   // of the page
  std::vector<std::string> keys;     // of JSON
  std::vector<std::string> metrics;  // names
};
std::vector<Term> TermsOf(std::string_view markdown);

// A text and the file where it stands.
struct Shown {
  std::string text;
  std::string file;
};
std::vector<std::string> ColumnTitles(std::string_view source);
std::vector<std::string> PageLabels(std::string_view source);
// Literals of C++ or JavaScript, without comments; of a picture the text that it shows.
std::vector<std::string> Literals(std::string_view source);
std::vector<std::string> SvgTexts(std::string_view svg);

// Of all files below `folders` of the source tree with one of the endings: what `find` sees in them.
std::vector<Shown> ShownIn(const std::vector<std::string>& folders, const std::vector<std::string>& endings,
                           const std::function<std::vector<std::string>(std::string_view)>& find);

}  // namespace ringway

#endif  // RINGWAY_TESTS_DOCS_VOCABULARY_H_
