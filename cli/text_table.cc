#include "cli/text_table.h"

#include <algorithm>

namespace ringway::cli {
namespace {

std::string_view Code(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "1";
    case Style::kDim:
      return "2";
    case Style::kGood:
      return "32";
    case Style::kWarning:
      return "33";
    case Style::kBad:
      return "31;1";
  }
  return "";
}

void AppendCell(const Cell& cell, Align align, std::size_t width, bool last, bool colour, std::string& line) {
  const std::size_t padding = width - DisplayWidth(cell.text);
  if (align == Align::kRight) line.append(padding, ' ');
  line.append(Paint(cell.text, cell.style, colour));
  if (align == Align::kLeft && !last) line.append(padding, ' ');
}

}  // namespace

std::string Paint(std::string_view text, Style style, bool colour) {
  const std::string_view code = Code(style);
  if (!colour || code.empty() || text.empty()) return std::string(text);
  return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
}

std::size_t DisplayWidth(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void TextTable::Add(std::vector<Cell> row) {
  row.resize(columns_.size(), Cell(""));
  rows_.push_back(std::move(row));
}

std::string TextTable::Render(bool colour) const {
  std::vector<std::size_t> widths;
  std::vector<Cell> titles;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(DisplayWidth(columns_[c].title));
    for (const std::vector<Cell>& row : rows_) widths[c] = std::max(widths[c], DisplayWidth(row[c].text));
    titles.emplace_back(columns_[c].title, Style::kBold);
  }
  std::string text;
  const auto append_row = [&](const std::vector<Cell>& row) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line.append("  ");
      AppendCell(row[c], columns_[c].align, widths[c], c + 1 == row.size(), colour, line);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text.append(line).append("\n");
  };
  append_row(titles);
  for (const std::vector<Cell>& row : rows_) append_row(row);
  return text;
}

}  // namespace ringway::cli
