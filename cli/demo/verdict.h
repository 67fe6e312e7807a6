// Whether the demo showed what it claims, as checks with figures; the summary of it all for a person.
//
// Each check is one line, "ok" or "short", with what was measured and the bound. The bounds are loose enough
// for a busy machine of two cores and tight enough that a controller that does nothing, or tables that are
// not followed, fail. Which checks apply follows from the phases that were played.
//
// Threads: pure.
#ifndef RINGWAY_CLI_DEMO_VERDICT_H_
#define RINGWAY_CLI_DEMO_VERDICT_H_

#include <string>
#include <vector>

#include "cli/demo/script.h"
#include "cli/demo/tally.h"
#include "core/fleet.h"
#include "core/json.h"

namespace ringway::demo {

struct Check {
  bool ok = false;
  std::string name;
  std::string measured;
  std::string bound;
};

// What was planned for the hot region while the plan had settled.
struct SettledPlan {
  double from_s = 0;
  double to_s = 0;
  double away_share_sum = 0;  // of the tables seen in that time
  int tables = 0;
  double away_share() const { return tables > 0 ? away_share_sum / tables : 0; }
};

std::vector<Check> Judge(const Fleet& fleet, const Script& script, const Tally& tally,
                         const SettledPlan& plan);
bool AllOk(const std::vector<Check>& checks);

// One row a phase, the comparison with routing everywhere, the checks.
std::string SummaryText(const Fleet& fleet, const Script& script, const Tally& tally,
                        const std::vector<Check>& checks, bool colour);
void WriteSummaryJson(const Script& script, const Tally& tally, const std::vector<Check>& checks,
                      JsonWriter& json);

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_VERDICT_H_
