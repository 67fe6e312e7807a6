#include "cli/words/man_page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace ringway::words {
namespace {

// The same table as in docs/cli.md and session.h.
constexpr char kExitStatus[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\ndone\n"
    ".TP\n.B 1\nit ran, and the answer is no\n"
    ".TP\n.B 2\nthe command line is wrong\n"
    ".TP\n.B 3\nnobody answers at the address\n"
    ".TP\n.B 4\nrefused by the other side\n";

// A dot or a quote at the start of a line is a command to roff, a hyphen is typeset as a dash.
std::string Roff(const std::string& text) {
  std::string safe =
      absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
  if (!safe.empty() && (safe[0] == '.' || safe[0] == '\'')) safe.insert(0, "\\&");
  return safe;
}

std::string OptionHead(const OptionWords& option) {
  if (option.positional()) return ".I " + Roff(option.placeholder);
  std::string head = ".B " + Roff(absl::StrJoin(option.names, ", "));
  if (option.takes_value) absl::StrAppend(&head, " \\fI", Roff(option.placeholder), "\\fR");
  return head;
}

std::string OptionText(const OptionWords& option) {
  std::string text = absl::StrCat(".TP\n", OptionHead(option), "\n", Roff(option.about));
  if (!option.standard.empty() && option.takes_value)
    absl::StrAppend(&text, " [default: ", Roff(option.standard), "]");
  if (!option.environment.empty()) absl::StrAppend(&text, " [environment: ", Roff(option.environment), "]");
  return text + "\n";
}

std::string Name(const CommandWords& command) {
  return command.path.empty() ? "ringway" : "ringway-" + command.Path("-");
}

std::string Synopsis(const CommandWords& command) {
  std::string text = ".SH SYNOPSIS\n.B ringway" + (command.path.empty() ? "" : " " + Roff(command.Path(" ")));
  text += "\n[\\fIOPTION\\fR...]";
  for (const OptionWords& option : command.options) {
    if (!option.positional()) continue;
    absl::StrAppend(&text, option.required ? " \\fI" : " [\\fI", Roff(option.placeholder),
                    option.required ? "\\fR" : "\\fR]");
  }
  if (!command.children.empty()) text += " \\fISUBCOMMAND\\fR";
  return text + "\n";
}

std::string Page(const CommandWords& root, const CommandWords& command, const std::string& version) {
  std::string text =
      absl::StrCat(".TH \"", Name(command), "\" 1 \"\" \"ringway ", version, "\" \"Ringway\"\n.SH NAME\n",
                   Roff(Name(command)), " \\- ", Roff(command.about), "\n", Synopsis(command));
  absl::StrAppend(&text, ".SH OPTIONS\n");
  for (const OptionWords& option : command.options) text += OptionText(option);
  if (!command.children.empty()) text += ".SH SUBCOMMANDS\n";
  for (const CommandWords& child : command.children) {
    absl::StrAppend(&text, ".TP\n.BR ", Roff(Name(child)), " (1)\n", Roff(child.about), "\n");
  }
  text += kExitStatus;
  text += ".SH SEE ALSO\n";
  if (command.path.empty()) {
    text += "/usr/share/doc/ringway/operating.md\n";
  } else {
    absl::StrAppend(&text, ".BR ringway (1)\nhas the options that every subcommand takes: ");
    std::vector<std::string> names;
    for (const OptionWords& option : root.options) {
      if (!option.positional()) names.push_back(option.names.back());
    }
    absl::StrAppend(&text, Roff(absl::StrJoin(names, ", ")), "\n");
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> ManPages(const CommandWords& root, const std::string& version) {
  std::map<std::string, std::string> pages;
  for (const CommandWords* command : Flattened(root))
    pages[Name(*command) + ".1"] = Page(root, *command, version);
  return pages;
}

}  // namespace ringway::words
