// Whom a command asks, and with which tokens: what a flag says, else the environment, else the context, else
// the built-in default.
//
// The context is the one of --context or RINGWAY_CONTEXT, else the current one of the file. A token goes to
// the fleet that it belongs to: where the address comes from a flag or from the environment and no context is
// named, the current context gives no token. The file is read only by commands that ask somebody.
//
// Threads: one owner.
#ifndef RINGWAY_CLI_CONTEXT_ENDPOINTS_H_
#define RINGWAY_CLI_CONTEXT_ENDPOINTS_H_

#include "absl/status/status.h"
#include "cli/session.h"

namespace ringway::cli {

// Fills what neither a flag nor the environment gave; doing it twice is doing it once. Errors: those of
// context::ReadContexts, NotFound for a context that there is not.
absl::Status UseContext(Session& session);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_CONTEXT_ENDPOINTS_H_
