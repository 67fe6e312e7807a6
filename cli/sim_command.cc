// ringway sim run | sweep | merge | compare | size | replay: what if, with the production decisions.
#include "cli/commands.h"
#include "cli/sim/sim_commands.h"

namespace ringway::cli {

void AddSimCommand(CLI::App& app, Session& session) {
  CLI::App* sim = app.add_subcommand("sim", "what if: simulate a fleet with the production decisions");
  sim->require_subcommand(1);
  AddSimRun(*sim, session);
  AddSimSweep(*sim, session);
  AddSimCompare(*sim, session);
  AddSimSize(*sim, session);
  AddSimReplay(*sim, session);
}

}  // namespace ringway::cli
