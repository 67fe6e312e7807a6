// The tree of subcommands as plain values, for what is generated from it: completions and manual pages.
//
// Taken from the CLI11 tree that parses the command line, so it cannot say anything else than the program
// does. Options of the root may stand after every subcommand; each command lists its own only. Nothing is
// sorted: the order is that of the help.
//
// Threads: pure, the tree is only read.
#ifndef RINGWAY_CLI_WORDS_COMMAND_TREE_H_
#define RINGWAY_CLI_WORDS_COMMAND_TREE_H_

#include <string>
#include <vector>

#include "runtime/flags.h"

namespace ringway::words {

struct OptionWords {
  std::vector<std::string> names;  // "--json", "-h"; empty: positional
  std::string placeholder;         // "FILE", for positionals their name
  std::string about;
  std::vector<std::string> choices;  // the words that it may be; empty: anything
  std::string live;                  // what of the fleet it names: "regions", "workers"; empty: nothing
  std::string standard;              // default, as text
  std::string environment;
  bool takes_value = false;
  bool required = false;
  bool positional() const { return names.empty(); }
};

struct CommandWords {
  std::vector<std::string> path;  // {}, {"topology"}, {"topology", "check"}
  std::string about;
  std::vector<OptionWords> options;
  std::vector<CommandWords> children;
  // "topology check", joined by `glue`.
  std::string Path(const std::string& glue) const;
};

CommandWords WordsOf(const flags::Command& app);
// `root` and all below it, parents first.
std::vector<const CommandWords*> Flattened(const CommandWords& root);

}  // namespace ringway::words

#endif  // RINGWAY_CLI_WORDS_COMMAND_TREE_H_
