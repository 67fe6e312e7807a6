#include "tests/tidy/function_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "tests/tidy/code_view.h"

namespace ringway::tidy {
namespace {

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::string_view LastWord(std::string_view text) {
  std::size_t start = text.size();
  while (start > 0 && IsWordChar(text[start - 1])) --start;
  return text.substr(start);
}

enum class Opens { kScope, kFunction, kOther };  // kScope: a namespace or a type, whose members are looked at

// Whether the head of a '{' that follows a word still ends a signature: `) const {`, `) -> Type {`.
bool WordEndsSignature(std::string_view head) {
  static constexpr std::array<std::string_view, 6> kQualifiers = {"const", "noexcept", "override",
                                                                  "final", "mutable",  "try"};
  const std::string_view word = LastWord(head);
  if (std::find(kQualifiers.begin(), kQualifiers.end(), word) != kQualifiers.end()) return true;
  const std::size_t arrow = head.rfind("->");
  return arrow != std::string_view::npos && head.find('(', arrow) == std::string_view::npos;
}

// `head` is the text between the last ';', '{' or '}' and this '{', at parenthesis depth 0.
Opens Classify(std::string_view head) {
  head = Trimmed(head);
  if (head.empty()) return Opens::kOther;
  const bool has_parameters = head.find(')') != std::string_view::npos;
  if (HasToken(head, "namespace") || (head.starts_with("extern") && !has_parameters)) return Opens::kScope;
  const std::string_view before_parameters = head.substr(0, head.find('('));
  for (const std::string_view keyword : {"class", "struct", "union", "enum"}) {
    // `template <class T> void F() {` names a class only inside the angle brackets.
    const std::size_t at = before_parameters.rfind('>') == std::string_view::npos || !has_parameters
                               ? 0
                               : before_parameters.rfind('>');
    if (HasToken(before_parameters.substr(at), keyword)) return Opens::kScope;
  }
  if (!has_parameters) return Opens::kOther;
  const char last = head.back();
  if (last == '=' || last == ',' || last == '(') return Opens::kOther;
  if (last == ')' || last == '&' || last == '}') return Opens::kFunction;
  return WordEndsSignature(head) ? Opens::kFunction : Opens::kOther;
}

std::string NameOf(std::string_view head) {
  const std::string_view before = Trimmed(head.substr(0, head.find('(')));
  std::size_t start = before.size();
  while (start > 0 && (IsWordChar(before[start - 1]) || before[start - 1] == ':' || before[start - 1] == '~'))
    --start;
  return std::string(before.substr(start));
}

// The class, struct or union that a scope's head opens; empty for a namespace or an enum.
std::string TypeOf(std::string_view head) {
  head = Trimmed(head);
  if (HasToken(head, "namespace") || HasToken(head, "enum")) return {};
  if (head.starts_with("template")) {  // up to where its angle brackets balance
    int depth = 0;
    std::size_t at = head.find('<');
    for (; at < head.size(); ++at) {
      depth += head[at] == '<' ? 1 : head[at] == '>' ? -1 : 0;
      if (depth == 0) break;
    }
    head = Trimmed(head.substr(std::min(at + 1, head.size())));
  }
  for (const std::string_view keyword : {"class", "struct", "union"}) {
    const std::size_t at = head.find(std::string(keyword) + " ");
    if (at == std::string_view::npos) continue;
    std::string_view rest = head.substr(at + keyword.size() + 1);
    if (rest.starts_with("alignas("))
      rest = Trimmed(rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1));
    std::size_t end = 0;
    while (end < rest.size() && (IsWordChar(rest[end]) || rest[end] == ':')) ++end;
    while (end > 0 && rest[end - 1] == ':') --end;  // `A: B`
    const std::string_view name = rest.substr(0, end);
    const std::size_t colon = name.rfind(':');
    return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
  }
  return {};
}

// `Planner` of "Planner::Solve"; empty for a name without a qualifier.
std::string QualifierOf(const std::string& name) {
  const std::size_t end = name.rfind("::");
  if (end == std::string::npos || end == 0) return {};
  const std::size_t start = name.rfind(':', end - 1);
  return name.substr(start == std::string::npos ? 0 : start + 1,
                     end - (start == std::string::npos ? 0 : start + 1));
}

std::string WithoutPreprocessor(const SourceFile& file) {
  std::string text;
  bool continued = false;
  for (const std::string& line : file.code) {
    const std::size_t first = line.find_first_not_of(' ');
    const bool skip = continued || (first != std::string::npos && line[first] == '#');
    continued = skip && line.ends_with('\\');
    if (!skip) text += line;
    text += '\n';
  }
  return text;
}

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::vector<Function> Run() {
    for (at_ = 0; at_ < text_.size(); ++at_) Look(text_[at_]);
    return std::move(functions_);
  }

 private:
  void Look(char c) {
    if (c == '\n') ++line_;
    if (function_depth_ > 0) return LookInside(c);
    switch (c) {
      case '(':
        ++parentheses_;
        break;
      case ')':
        --parentheses_;
        break;
      case '{':
        Open();
        break;
      case '}':
        Close();
        return;
      case ';':
        if (parentheses_ == 0) StartHead();
        break;
      case ':':
        if (EndsAccessLabel()) StartHead();
        break;
      default:
        if (head_.empty() && (c == ' ' || c == '\n')) return;
    }
    Append(c);
  }

  void Append(char c) {
    if (c == '{' || (c == ';' && parentheses_ == 0)) return;
    if (head_.empty() && (c == ' ' || c == '\n' || c == ':')) return;
    if (head_.empty()) head_line_ = line_;
    head_ += c;
  }

  void LookInside(char c) {
    if (c == '{') ++function_depth_;
    if (c != '}' || --function_depth_ > 0) return;
    const std::string name = NameOf(head_);
    std::string owner = QualifierOf(name);
    if (owner.empty() && !types_.empty()) owner = types_.back();
    functions_.push_back({name, head_line_, line_ - head_line_ + 1, std::move(owner)});
    StartHead();
  }

  void Open() {
    const Opens opens = parentheses_ > 0 || inside_initializer() ? Opens::kOther : Classify(head_);
    if (opens == Opens::kFunction) {
      function_depth_ = 1;
      return;
    }
    open_.push_back(opens);
    if (opens != Opens::kScope) return;
    types_.push_back(TypeOf(head_));
    StartHead();
  }

  void Close() {
    const bool initializer = inside_initializer();
    if (!open_.empty() && open_.back() == Opens::kScope) types_.pop_back();
    if (!open_.empty()) open_.pop_back();
    if (initializer) {
      head_ += '}';  // the same head goes on: `Foo() : a_{1}, b_{2} {`
    } else {
      StartHead();
    }
  }

  bool inside_initializer() const { return !open_.empty() && open_.back() == Opens::kOther; }

  // `public:` and its kin are not part of the member that follows.
  bool EndsAccessLabel() const {
    const std::string_view head = Trimmed(head_);
    return head == "public" || head == "private" || head == "protected";
  }

  void StartHead() { head_.clear(); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  int parentheses_ = 0;
  int function_depth_ = 0;  // open braces of the body that we are in; 0 = outside of functions
  std::vector<Opens> open_;
  std::vector<std::string> types_;  // of the open scopes; empty for a namespace
  std::string head_;
  std::size_t head_line_ = 1;
  std::vector<Function> functions_;
};

}  // namespace

std::vector<Function> FindFunctions(const SourceFile& file) {
  const std::string text = WithoutPreprocessor(file);
  return Scan(text).Run();
}

}  // namespace ringway::tidy
