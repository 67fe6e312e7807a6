// Examples of every subcommand, for its --help.
//
// One table, in the order of the help, so that who adds a subcommand adds its line here; a test holds the
// table to the tree. What stands in it has to parse, but nothing runs it: the commands of the documentation
// are typed by a test of their own. Help alone has none, because `ringway help --help` is the help of all.
//
// Threads: called once, after all subcommands were added.
#ifndef RINGWAY_CLI_WORDS_EXAMPLES_H_
#define RINGWAY_CLI_WORDS_EXAMPLES_H_

#include "runtime/flags.h"

namespace ringway::words {

// Puts the examples below the help of each subcommand that has some, after what stands there already.
void AddExamples(flags::Command root);

}  // namespace ringway::words

#endif  // RINGWAY_CLI_WORDS_EXAMPLES_H_
