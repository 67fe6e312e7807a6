// The subcommands of `ringway`, one file each: NAME_command.cc.
//
// Each function adds its subcommand and its options to `app`, and sets session.run when it was chosen; the
// options live in what session.run captures. `app` and `session` must outlive the parsing and the run.
//
// Threads: called once, before anything starts.
#ifndef RINGWAY_CLI_COMMANDS_H_
#define RINGWAY_CLI_COMMANDS_H_

#include "CLI/CLI.hpp"
#include "cli/session.h"

namespace ringway::cli {

void AddTopologyCommand(CLI::App& app, Session& session);
void AddPlanCommand(CLI::App& app, Session& session);
void AddTopCommand(CLI::App& app, Session& session);
void AddWordsCommands(CLI::App& app, Session& session);  // completion and man
void AddStatusCommand(CLI::App& app, Session& session);
void AddTableCommand(CLI::App& app, Session& session);
void AddExplainCommand(CLI::App& app, Session& session);
void AddDrainCommands(CLI::App& app, Session& session);  // drain and undrain
void AddWorkersCommand(CLI::App& app, Session& session);
void AddJobsCommands(CLI::App& app, Session& session);     // jobs and cancel
void AddPinCommands(CLI::App& app, Session& session);      // pin and unpin
void AddTierCommands(CLI::App& app, Session& session);     // threshold, mode, rollback, canary
void AddHistoryCommands(CLI::App& app, Session& session);  // history and diff
void AddNamesCommand(CLI::App& app, Session& session);
void AddAuditCommand(CLI::App& app, Session& session);
void AddWhatIfCommand(CLI::App& app, Session& session);
void AddSimCommand(CLI::App& app, Session& session);
void AddSubmitCommand(CLI::App& app, Session& session);
void AddWorldCommands(CLI::App& app, Session& session);  // up and down
void AddLoadCommand(CLI::App& app, Session& session);
void AddDemoCommand(CLI::App& app, Session& session);
void AddAnimateCommand(CLI::App& app, Session& session);
void AddGenerateCommand(CLI::App& app, Session& session);
void AddEngineCommand(CLI::App& app, Session& session);  // inspect and bench
void AddContextCommand(CLI::App& app, Session& session);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_COMMANDS_H_
