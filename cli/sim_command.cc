// ringway sim run | sweep | merge | compare | size | replay: what if, with the production decisions.
#include "cli/commands.h"
#include "cli/sim/sim_commands.h"

namespace ringway::cli {

void AddSimCommand(flags::Command app, Session& session) {
  flags::Command sim = app.Subcommand("sim", "what if: simulate a fleet with the production decisions");
  sim.RequireSubcommand();
  AddSimRun(sim, session);
  AddSimSweep(sim, session);
  AddSimCompare(sim, session);
  AddSimSize(sim, session);
  AddSimReplay(sim, session);
}

}  // namespace ringway::cli
