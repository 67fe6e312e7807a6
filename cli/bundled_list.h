// What `ringway generate --list` tells: the models, LoRAs and control networks that come with Ringway.
//
// As a table for people, or under --json as arrays of objects with name, path and what it is. Nothing is
// opened but the file that says what each is.
//
// Threads: one owner. Complexity: a row a name.
#ifndef RINGWAY_CLI_BUNDLED_LIST_H_
#define RINGWAY_CLI_BUNDLED_LIST_H_

#include "cli/session.h"

namespace ringway::cli {

// An exit code; where the weights are absent, the folders that were looked into are said.
int ListBundled(Session& session);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_BUNDLED_LIST_H_
