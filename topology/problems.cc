#include "topology/problems.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace ringway {

void Problems::Add(Problem problem) {
  if (problems_.size() >= kProblemsMax) {
    ++left_out_;
    return;
  }
  problems_.push_back(std::move(problem));
}

std::string Problems::Describe(const Problem& problem) const {
  std::string line = absl::StrCat(file_name_, ":", problem.at.line, ":", problem.at.column, ": ");
  if (!problem.field.empty()) absl::StrAppend(&line, problem.field, ": ");
  absl::StrAppend(&line, "found ", problem.found, "; allowed: ", problem.allowed);
  if (!problem.hint.empty()) absl::StrAppend(&line, "; ", problem.hint);
  return line;
}

absl::Status Problems::ToStatus() const {
  if (problems_.empty()) return absl::OkStatus();
  std::vector<Problem> ordered = problems_;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Problem& a, const Problem& b) {
    return a.at.line != b.at.line ? a.at.line < b.at.line : a.at.column < b.at.column;
  });
  std::string text;
  for (const Problem& problem : ordered) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", Describe(problem));
  }
  if (left_out_ > 0) absl::StrAppend(&text, "\n", file_name_, ": and ", left_out_, " more");
  return absl::InvalidArgumentError(text);
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string shown = "\"";
  for (const char c : text.substr(0, kShown)) {
    const bool printable = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    shown.push_back(printable ? c : '?');
  }
  absl::StrAppend(&shown, text.size() > kShown ? "..." : "", "\"");
  return shown;
}

}  // namespace ringway
