// Shell completion for bash, zsh and fish, as scripts to be sourced or installed.
//
// A script knows every subcommand and option of the tree; where nothing of ours can follow it offers files.
// It knows the words of an option that takes one of a few. Names of regions and tiers are asked of the
// controller when they are wanted (`ringway names`), for at most a second; without one, completion offers the
// rest. Options of the root are offered behind every subcommand.
//
// Threads: pure.
#ifndef RINGWAY_CLI_WORDS_COMPLETION_H_
#define RINGWAY_CLI_WORDS_COMPLETION_H_

#include <string>

#include "cli/words/command_tree.h"

namespace ringway::words {

std::string BashCompletion(const CommandWords& root);
std::string ZshCompletion(const CommandWords& root);
std::string FishCompletion(const CommandWords& root);

}  // namespace ringway::words

#endif  // RINGWAY_CLI_WORDS_COMPLETION_H_
