#include "cli/words/command_tree.h"

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ringway::words {
namespace {

// Options that take names of the fleet, or of fleets, have the same names everywhere.
std::string LiveName(const OptionWords& words, const CLI::Option& option) {
  const std::string name = words.positional() ? option.get_name(true) : words.names.back();
  if (name == "REGION" || name == "REGION_OR_REQUEST" || name == "--drain" || name == "--region")
    return "regions";
  if (name == "--worker") return "workers";
  if (name == "--host") return "hosts";
  if (name == "JOB") return "jobs";
  if (name == "CONTEXT" || name == "--context") return "contexts";
  if (name == "--priority") return "priorities";
  return name == "--tier" ? "tiers" : "";
}

OptionWords OptionOf(const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  words.takes_value = option.get_type_size() != 0;
  words.placeholder = words.positional() ? option.get_name(true) : option.get_type_name();
  // "poisson|gamma" (cli/choice.h).
  if (const std::string type = option.get_type_name(); type.find('|') != std::string::npos)
    words.choices = absl::StrSplit(type, '|');
  words.live = LiveName(words, option);
  words.about = option.get_description();
  words.standard = option.get_default_str();
  words.environment = option.get_envname();
  words.required = option.get_required();
  return words;
}

CommandWords CommandOf(const CLI::App& app, std::vector<std::string> path) {
  CommandWords command;
  command.path = std::move(path);
  command.about = app.get_description();
  for (const CLI::Option* option : app.get_options()) command.options.push_back(OptionOf(*option));
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<std::string> below = command.path;
    below.push_back(child->get_name());
    command.children.push_back(CommandOf(*child, std::move(below)));
  }
  return command;
}

void Append(const CommandWords& command, std::vector<const CommandWords*>& all) {
  all.push_back(&command);
  for (const CommandWords& child : command.children) Append(child, all);
}

}  // namespace

std::string CommandWords::Path(const std::string& glue) const { return absl::StrJoin(path, glue); }

CommandWords WordsOf(const CLI::App& app) { return CommandOf(app, {}); }

std::vector<const CommandWords*> Flattened(const CommandWords& root) {
  std::vector<const CommandWords*> all;
  Append(root, all);
  return all;
}

}  // namespace ringway::words
