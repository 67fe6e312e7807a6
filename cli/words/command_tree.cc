#include "cli/words/command_tree.h"

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ringway::words {
namespace {

// Options that take names of the fleet, or of fleets, have the same names everywhere.
std::string LiveName(const OptionWords& words, const flags::Option& option) {
  const std::string name = words.positional() ? option.name() : words.names.back();
  if (name == "REGION" || name == "REGION_OR_REQUEST" || name == "--drain" || name == "--region")
    return "regions";
  if (name == "--worker") return "workers";
  if (name == "--host") return "hosts";
  if (name == "JOB") return "jobs";
  if (name == "CONTEXT" || name == "--context") return "contexts";
  if (name == "--priority") return "priorities";
  return name == "--tier" ? "tiers" : "";
}

OptionWords OptionOf(const flags::Option& option) {
  OptionWords words;
  words.names = option.names();
  words.takes_value = option.takes_value();
  words.placeholder = words.positional() ? option.name() : option.type_name();
  // "poisson|gamma" (cli/choice.h).
  if (const std::string type = option.type_name(); type.find('|') != std::string::npos)
    words.choices = absl::StrSplit(type, '|');
  words.live = LiveName(words, option);
  words.about = option.about();
  words.standard = option.default_text();
  words.environment = option.environment();
  words.required = option.required();
  return words;
}

CommandWords CommandOf(const flags::Command& app, std::vector<std::string> path) {
  CommandWords command;
  command.path = std::move(path);
  command.about = app.about();
  for (const flags::Option& option : app.options()) command.options.push_back(OptionOf(option));
  for (const flags::Command& child : app.subcommands()) {
    std::vector<std::string> below = command.path;
    below.push_back(child.name());
    command.children.push_back(CommandOf(child, std::move(below)));
  }
  return command;
}

void Append(const CommandWords& command, std::vector<const CommandWords*>& all) {
  all.push_back(&command);
  for (const CommandWords& child : command.children) Append(child, all);
}

}  // namespace

std::string CommandWords::Path(const std::string& glue) const { return absl::StrJoin(path, glue); }

CommandWords WordsOf(const flags::Command& app) { return CommandOf(app, {}); }

std::vector<const CommandWords*> Flattened(const CommandWords& root) {
  std::vector<const CommandWords*> all;
  Append(root, all);
  return all;
}

}  // namespace ringway::words
