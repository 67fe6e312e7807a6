// The demo on the screen: load and traffic of each region, and the routing table with its reasons.
//
// On a terminal the panel is drawn over itself; elsewhere one line every few seconds tells the same. What is
// shown of jobs covers the last seconds (Tally::Recent), load and table are the controller's.
//
// Threads: pure functions from values to text.
#ifndef RINGWAY_CLI_DEMO_PANEL_H_
#define RINGWAY_CLI_DEMO_PANEL_H_

#include <string>

#include "cli/demo/observer.h"
#include "cli/demo/script.h"
#include "cli/demo/tally.h"
#include "core/fleet.h"

namespace ringway::demo {

struct PanelView {
  const Fleet& fleet;
  const Script& script;
  const Tally& tally;
  const Observation& seen;
  double now_s = 0;
  std::size_t in_flight = 0;
};

// Several lines, each ending in a line break.
std::string PanelText(const PanelView& view, bool colour);
// One line for logs.
std::string PlainLine(const PanelView& view);
// Every route that leaves home, as sentences; empty when all stay.
std::string RouteSentences(const Observation& seen);

// `|` marks the threshold: "#######|..  ".
std::string LoadBar(double load, double threshold);

// The region's local time of day at this moment of the compressed day, "19:40".
std::string LocalTime(const Region& region, double now_s);

}  // namespace ringway::demo

#endif  // RINGWAY_CLI_DEMO_PANEL_H_
