#include "cli/words/completion.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace ringway::words {
namespace {

std::vector<std::string> OptionNames(const CommandWords& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> ChildNames(const CommandWords& command) {
  std::vector<std::string> names;
  for (const CommandWords& child : command.children) names.push_back(child.path.back());
  return names;
}

// Inside single quotes of a POSIX shell.
std::string ShellQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// A case of bash and zsh for each step down: `"topology check") path="topology check" ;;`.
std::string Descent(const std::vector<const CommandWords*>& all) {
  std::string cases;
  for (const CommandWords* command : all) {
    if (command->path.empty()) continue;
    absl::StrAppend(&cases, "      ", ShellQuoted(command->Path(" ")), ") path=\"$path $word\" ;;\n");
  }
  // `$path` begins with a space after the first step.
  return absl::StrCat("    case \"${path# }${path:+ }$word\" in\n", cases, "    esac\n    path=${path# }\n");
}

// What a fleet calls its regions and tiers, asked when it is wanted. A second is far more than a controller
// needs, and where there is none the shell is not kept waiting.
std::string LiveText(const std::string& what) {
  return absl::StrCat("$(timeout 1 ringway names ", what, " 2>/dev/null)");
}

// `--arrivals) offers='poisson gamma' ;;` for each option with known values, behind which nothing else is
// offered.
std::string ValueCases(const CommandWords& root) {
  std::map<std::string, std::string> values;  // an option has the same values wherever it stands
  for (const CommandWords* command : Flattened(root)) {
    for (const OptionWords& option : command->options) {
      if (option.positional() || !option.takes_value || (option.choices.empty() && option.live.empty()))
        continue;
      for (const std::string& name : option.names) {
        values[name] = option.live.empty() ? ShellQuoted(absl::StrJoin(option.choices, " "))
                                           : absl::StrCat("\"", LiveText(option.live), "\"");
      }
    }
  }
  std::string cases = "  case \"$before\" in\n";
  for (const auto& [name, text] : values) absl::StrAppend(&cases, "    ", name, ") offers=", text, " ;;\n");
  return cases + "  esac\n";
}

// The values of the first positional, to stand before the options: `$(ringway names regions) `.
std::string PositionalText(const CommandWords& command) {
  for (const OptionWords& option : command.options) {
    if (!option.positional()) continue;
    if (!option.live.empty()) return absl::StrCat("\"", LiveText(option.live), " \"");
    if (!option.choices.empty()) return ShellQuoted(absl::StrJoin(option.choices, " ") + " ");
  }
  return "";
}

std::string Offers(const CommandWords& root, const CommandWords& command) {
  std::vector<std::string> words = ChildNames(command);
  for (const std::string& name : OptionNames(command)) words.push_back(name);
  // Those of the root may follow everywhere; help is the command's own.
  for (const std::string& name : OptionNames(root)) {
    if (std::find(words.begin(), words.end(), name) == words.end()) words.push_back(name);
  }
  return absl::StrJoin(words, " ");
}

std::string OfferCases(const CommandWords& root, const std::string& variable) {
  std::string cases = "  case \"$path\" in\n";
  for (const CommandWords* command : Flattened(root)) {
    absl::StrAppend(&cases, "    ", ShellQuoted(command->Path(" ")), ") ", variable, "=",
                    PositionalText(*command), ShellQuoted(Offers(root, *command)), " ;;\n");
  }
  return cases + "  esac\n";
}

}  // namespace

std::string BashCompletion(const CommandWords& root) {
  return absl::StrCat(
      "# bash completion for ringway; made by `ringway completion bash`\n_ringway() {\n"
      "  local path= word offers= before=${COMP_WORDS[COMP_CWORD-1]}\n  COMPREPLY=()\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n",
      Descent(Flattened(root)), "  done\n", OfferCases(root, "offers"), ValueCases(root),
      "  mapfile -t COMPREPLY < <(compgen -W \"$offers\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
      "complete -o default -F _ringway ringway\n");
}

std::string ZshCompletion(const CommandWords& root) {
  // `path` is tied to PATH in zsh.
  std::string body =
      absl::StrCat("  for word in \"${(@)words[2,CURRENT-1]}\"; do\n", Descent(Flattened(root)), "  done\n",
                   OfferCases(root, "offers"), ValueCases(root));
  body = absl::StrReplaceAll(body, {{"path=", "trail="}, {"$path", "$trail"}, {"${path", "${trail"}});
  return absl::StrCat(
      "#compdef ringway\n# zsh completion for ringway; made by `ringway completion zsh`\n_ringway() {\n"
      "  local trail= word offers= before=${words[CURRENT-1]}\n",
      body,
      "  compadd -- ${=offers}\n  [[ ${words[CURRENT]} == -* ]] || _files\n}\n"
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _ringway \"$@\"; else compdef _ringway ringway; "
      "fi\n");
}

std::string FishCompletion(const CommandWords& root) {
  std::string script = "# fish completion for ringway; made by `ringway completion fish`\n";
  for (const CommandWords* command : Flattened(root)) {
    std::vector<std::string> seen;
    for (const std::string& word : command->path) seen.push_back("__fish_seen_subcommand_from " + word);
    const std::string children = absl::StrJoin(ChildNames(*command), " ");
    std::vector<std::string> here = seen;
    if (!children.empty()) here.push_back("not __fish_seen_subcommand_from " + children);
    for (const CommandWords& child : command->children) {
      absl::StrAppend(&script, "complete -c ringway -n ", ShellQuoted(absl::StrJoin(here, "; and ")), " -a ",
                      child.path.back(), " -d ", ShellQuoted(child.about), "\n");
    }
    for (const OptionWords& option : command->options) {
      if (option.positional()) {
        if (option.live.empty() && option.choices.empty()) continue;
        absl::StrAppend(
            &script, "complete -c ringway -n ", ShellQuoted(absl::StrJoin(seen, "; and ")), " -fa '",
            option.live.empty() ? absl::StrJoin(option.choices, " ")
                                : absl::StrCat("(timeout 1 ringway names ", option.live, " 2>/dev/null)"),
            "'\n");
        continue;
      }
      absl::StrAppend(&script, "complete -c ringway");
      if (!seen.empty()) absl::StrAppend(&script, " -n ", ShellQuoted(absl::StrJoin(seen, "; and ")));
      for (const std::string& name : option.names) {
        const bool is_long = name.rfind("--", 0) == 0;
        absl::StrAppend(&script, is_long ? " -l " : " -s ", name.substr(is_long ? 2 : 1));
      }
      if (!option.choices.empty())
        absl::StrAppend(&script, " -xa ", ShellQuoted(absl::StrJoin(option.choices, " ")));
      if (!option.live.empty())
        absl::StrAppend(&script, " -xa '(timeout 1 ringway names ", option.live, " 2>/dev/null)'");
      absl::StrAppend(&script, option.takes_value ? " -r" : "", " -d ", ShellQuoted(option.about), "\n");
    }
  }
  return script;
}

}  // namespace ringway::words
