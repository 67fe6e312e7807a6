// Which of two leaders, controllers or lives came later is decided by pure code alone, where every seed of
// the simulator decides it too.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "tests/tidy/code_view.h"
#include "tests/tidy/map.h"
#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

// What is compared may not be a decision: they judge the decisions of others.
constexpr std::string_view kJudges[] = {"sim/observers", "tests", "bench"};

constexpr std::string_view kOrders[] = {" < ", " > ", " <= ", " >= "};
constexpr std::string_view kChoices[] = {"std::max", "std::min", "std::clamp", "std::tie"};
constexpr std::string_view kFenceNames[] = {"epoch",          "fence",    "incarnation", "appointment",
                                            "epoch_seen_max", "epochmax", "epochstepmax"};

// The simulator is pure, but what it does around the nodes is what a shell does.
bool IsShell(const SourceFile& file) {
  const Layer* layer = LayerOf(file.path);
  if (!file.IsCpp() || layer == nullptr) return false;
  const bool judges = std::any_of(std::begin(kJudges), std::end(kJudges),
                                  [&](std::string_view judge) { return Covers(judge, file.path); });
  return !judges && (!layer->pure || Covers("sim", file.path));
}

bool NamesAFence(std::string_view word) {
  std::string name(word);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  while (name.ends_with('_')) name.pop_back();
  if (name.ends_with("unixepoch")) return false;
  return std::any_of(std::begin(kFenceNames), std::end(kFenceNames),
                     [&](std::string_view fence) { return name.ends_with(fence); });
}

bool InOperand(char c) { return IsWordChar(c) || std::string_view(".:()[]->").find(c) != std::string::npos; }

// The last name of the operand, which says what is compared.
std::string_view LastName(std::string_view operand) {
  while (!operand.empty() && !IsWordChar(operand.back())) operand.remove_suffix(1);
  std::size_t begin = operand.size();
  while (begin > 0 && IsWordChar(operand[begin - 1])) --begin;
  return operand.substr(begin);
}

std::string_view OperandBefore(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && InOperand(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

std::string_view OperandAfter(std::string_view text, std::size_t begin) {
  begin = std::min(text.find_first_not_of(' ', begin), text.size());
  std::size_t end = begin;
  while (end < text.size() && InOperand(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// Whether there is one is no order.
bool OrdersFences(std::string_view before, std::string_view after) {
  const std::string_view left = LastName(before), right = LastName(after);
  return left != "0" && right != "0" && (NamesAFence(left) || NamesAFence(right));
}

// The arguments of the call whose '(' follows at `at`, template arguments skipped.
std::string_view ArgumentsAt(std::string_view text, std::size_t at) {
  const std::size_t open = text.find_first_of("(;", at);
  if (open == std::string_view::npos || text[open] != '(') return {};
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return {};
}

bool ChoosesAFence(std::string_view arguments) {
  while (!arguments.empty()) {
    const std::size_t comma = std::min(arguments.find(','), arguments.size());
    if (NamesAFence(LastName(arguments.substr(0, comma)))) return true;
    arguments.remove_prefix(std::min(comma + 1, arguments.size()));
  }
  return false;
}

void CheckFile(const SourceFile& file, Findings& findings) {
  std::string text;  // an operand may stand on the next line
  for (const std::string& line : file.code) text += line + " ";
  const auto find = [&](std::size_t at) {
    std::size_t line = 0;
    for (std::size_t end = 0; line < file.code.size(); ++line) {
      end += file.code[line].size() + 1;
      if (at < end) break;
    }
    findings.push_back(
        {file.path, line + 1,
         "orders epochs, fences or incarnations outside pure code: let a node decide, and give "
         "the shell an action"});
  };
  for (const std::string_view order : kOrders) {
    for (std::size_t at = text.find(order); at != std::string::npos; at = text.find(order, at + 1)) {
      if (OrdersFences(OperandBefore(text, at), OperandAfter(text, at + order.size()))) find(at);
    }
  }
  for (const std::string_view choice : kChoices) {
    for (std::size_t at = text.find(choice); at != std::string::npos; at = text.find(choice, at + 1)) {
      if (ChoosesAFence(ArgumentsAt(text, at))) find(at);
    }
  }
}

}  // namespace

void CheckFences(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (IsShell(file)) CheckFile(file, findings);
  }
}

}  // namespace ringway::tidy
