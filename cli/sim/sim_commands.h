// The subcommands of `ringway sim`, one file each.
//
// All of them print a summary for people, JSON under --json, and write files only where they were told to.
// Ctrl-C stops them in order: what has been simulated is reported. The commands only sequence: scenarios are
// read by sim/files, what a study tries next is decided in sim/study, what a report says in sim/report.
//
// Threads: called on the main thread; studies spread their runs over a pool (run_pool.h).
#ifndef RINGWAY_CLI_SIM_SIM_COMMANDS_H_
#define RINGWAY_CLI_SIM_SIM_COMMANDS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session.h"
#include "runtime/flags.h"
#include "sim/report/run_report.h"

namespace ringway::cli {

void AddSimRun(flags::Command sim, Session& session);
void AddSimSweep(flags::Command sim, Session& session);  // sweep and merge
void AddSimCompare(flags::Command sim, Session& session);
void AddSimSize(flags::Command sim, Session& session);
void AddSimReplay(flags::Command sim, Session& session);

// A scenario file with NAME=VALUE settings applied; see sim/study/parameters.h.
absl::StatusOr<sim::Scenario> LoadWithSettings(const std::string& path,
                                               const std::vector<std::string>& settings);

// One run with its report. Ctrl-C ends it early; progress goes to session.err if that is a terminal.
sim::RunReport RunOnce(Session& session, std::shared_ptr<const sim::Scenario> scenario,
                       sim::Tap* tap = nullptr);

// The journal of a router or of a worker, lived again: the exit code.
int ReplayRouter(Session& session, const std::string& journal);
int ReplayWorker(Session& session, const std::string& journal);

// The report as text: regions, totals, how near to the references.
std::string ReportText(const sim::RunReport& report, bool colour);

// Writes a file, or says to session.err why not. "" does nothing.
bool WriteTo(Session& session, const std::string& path, const std::string& text);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_SIM_SIM_COMMANDS_H_
