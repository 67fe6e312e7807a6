// A moment as people type it.
//
// A date with a time (`2026-11-23 12:00`, seconds if wanted), with an offset (`2026-11-23 12:00 +0100`) or as
// RFC 3339 writes it; without one it is UTC, as all that this program prints. A length of time (`90m`, `26h`)
// is that long ago. Errors: InvalidArgument, with what is allowed. Pure; `now` is an argument.
#ifndef RINGWAY_CLI_WHEN_H_
#define RINGWAY_CLI_WHEN_H_

#include <string>

#include "absl/status/statusor.h"

#include "core/time.h"

namespace ringway::cli {

absl::StatusOr<Time> ReadWhen(const std::string& text, Time now);

// As this program prints moments: "2026-11-23 12:00:00Z".
std::string WhenText(Time at);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_WHEN_H_
