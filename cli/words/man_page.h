// Manual pages in roff, one for `ringway` and one for each subcommand.
//
// Sections: NAME, SYNOPSIS, OPTIONS, SUBCOMMANDS, ENVIRONMENT, EXIT STATUS, SEE ALSO. No date stands in them,
// so that the same program makes the same bytes. Text is escaped: a description cannot become a command.
//
// Threads: pure.
#ifndef RINGWAY_CLI_WORDS_MAN_PAGE_H_
#define RINGWAY_CLI_WORDS_MAN_PAGE_H_

#include <map>
#include <string>

#include "cli/words/command_tree.h"

namespace ringway::words {

// File name, such as "ringway-topology-check.1", to text.
std::map<std::string, std::string> ManPages(const CommandWords& root, const std::string& version);

}  // namespace ringway::words

#endif  // RINGWAY_CLI_WORDS_MAN_PAGE_H_
