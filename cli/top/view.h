// One picture of the fleet for `ringway top`, made for a screen of a given size.
//
// From what the controller says (Status, table) and what the routers have counted since the last picture: for
// each tier a line of sums, for each region a load bar with the threshold in it, demand, what is served away,
// waits and offers, then the flows between regions with share, ring and reason. When the screen is too small
// the hottest regions and the largest flows stay, and a line says how many are not shown. Never more than
// `height` lines, none wider than `width` columns (31 at least).
//
// Threads: pure functions over messages. Cost: sorting the regions and flows.
#ifndef RINGWAY_CLI_TOP_VIEW_H_
#define RINGWAY_CLI_TOP_VIEW_H_

#include <map>
#include <string>
#include <vector>

#include "ringway/v1/admin.pb.h"
#include "ringway/v1/trace.pb.h"

namespace ringway::top {

// What the routers counted between two pictures, by region. Sums over its routers.
struct RegionCounts {
  double started = 0;
  double wait_s_sum = 0;
  double offers = 0;
  double placed = 0;
};
using CountsByRegion = std::map<std::string, RegionCounts>;

// Keeps the last totals of each router; a router that restarted counts from zero again.
class CountsSince {
 public:
  CountsByRegion Take(const std::vector<v1::TotalsReply>& totals);

 private:
  std::map<std::string, v1::TotalsReply> last_;
};

struct Frame {
  v1::StatusReply status;
  v1::RoutingTable table;
  CountsByRegion counts;
};

struct Screen {
  int width = 80;
  int height = 24;
  bool colour = false;
};

std::vector<std::string> Lines(const Frame& frame, const Screen& screen);
// One line a tier, for logs and pipes.
std::string PlainLine(const Frame& frame);
// `#` up to the load, `|` where the threshold is; `width` columns stand for load 0 to 1.25.
std::string LoadBar(double load, double threshold, int width);

}  // namespace ringway::top

#endif  // RINGWAY_CLI_TOP_VIEW_H_
