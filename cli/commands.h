// The subcommands of `ringway`, one file each: NAME_command.cc.
//
// Each function adds its subcommand and its options to `app`, and sets session.run when it was chosen; the
// options live in what session.run captures. `app` and `session` must outlive the parsing and the run.
//
// Threads: called once, before anything starts.
#ifndef RINGWAY_CLI_COMMANDS_H_
#define RINGWAY_CLI_COMMANDS_H_

#include "cli/session.h"
#include "runtime/flags.h"

namespace ringway::cli {

void AddTopologyCommand(flags::Command app, Session& session);
void AddPlanCommand(flags::Command app, Session& session);
void AddTopCommand(flags::Command app, Session& session);
void AddWordsCommands(flags::Command app, Session& session);  // completion and man
void AddStatusCommand(flags::Command app, Session& session);
void AddTableCommand(flags::Command app, Session& session);
void AddExplainCommand(flags::Command app, Session& session);
void AddDrainCommands(flags::Command app, Session& session);  // drain and undrain
void AddWorkersCommand(flags::Command app, Session& session);
void AddJobsCommands(flags::Command app, Session& session);     // jobs and cancel
void AddPinCommands(flags::Command app, Session& session);      // pin and unpin
void AddTierCommands(flags::Command app, Session& session);     // threshold, mode, rollback, canary
void AddHistoryCommands(flags::Command app, Session& session);  // history and diff
void AddNamesCommand(flags::Command app, Session& session);
void AddAuditCommand(flags::Command app, Session& session);
void AddWhatIfCommand(flags::Command app, Session& session);
void AddSimCommand(flags::Command app, Session& session);
void AddSubmitCommand(flags::Command app, Session& session);
void AddWorldCommands(flags::Command app, Session& session);  // up and down
void AddLoadCommand(flags::Command app, Session& session);
void AddDemoCommand(flags::Command app, Session& session);
void AddAnimateCommand(flags::Command app, Session& session);
void AddGenerateCommand(flags::Command app, Session& session);
void AddEngineCommand(flags::Command app, Session& session);  // inspect and bench
void AddContextCommand(flags::Command app, Session& session);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_COMMANDS_H_
