// Rows of cells as an aligned table for a screen.
//
// Columns are as wide as their widest cell, two spaces apart; numbers stand right, words left. Width is
// counted in code points, which is right for the Latin names and box characters that occur here. A cell may
// carry a style; colour codes do not count as width and are left out when the screen has no colour. Lines
// have no trailing spaces, so that output can be compared and mailed.
//
// Threads: one owner. Cost: linear in the cells.
#ifndef RINGWAY_CLI_TEXT_TABLE_H_
#define RINGWAY_CLI_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::cli {

enum class Style { kPlain, kBold, kDim, kGood, kWarning, kBad };

// The text in the style's colour, or as it is.
std::string Paint(std::string_view text, Style style, bool colour);

struct Cell {
  Cell(std::string text, Style style = Style::kPlain) : text(std::move(text)), style(style) {}
  Cell(const char* text) : text(text) {}
  std::string text;
  Style style = Style::kPlain;
};

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Missing cells are empty; further ones than there are columns are dropped.
  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  // One line for the titles, one a row, each ending in a line break.
  std::string Render(bool colour) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Code points of UTF-8 text.
std::size_t DisplayWidth(std::string_view text);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_TEXT_TABLE_H_
