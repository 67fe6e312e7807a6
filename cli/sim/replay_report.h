// What every replay of a router's or worker's journal tells: whether all came out as it was, and what was
// lived.
//
// The exit code is kExitOk only where every action came out bit for bit. `counts` are what the program's own
// part adds to the JSON, `text` what it tells people below the verdict. Threads: the main one.
#ifndef RINGWAY_CLI_SIM_REPLAY_REPORT_H_
#define RINGWAY_CLI_SIM_REPLAY_REPORT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session.h"
#include "journal/replay.h"

namespace ringway::cli {

using ReplayCounts = std::vector<std::pair<const char*, std::uint64_t>>;

int TellReplay(Session& session, const char* who, const absl::StatusOr<journal::ReplayReport>& report,
               const ReplayCounts& counts, const std::string& text);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SIM_REPLAY_REPORT_H_
