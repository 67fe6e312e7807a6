// Twelve regions of three to eight workers for one machine, as a file that the programs read, and as a
// scenario.
//
// Places and sizes are bench_loop's generated ones (bench/loop/worlds.h), on a seed that no constant was
// chosen on. Service is shorter than there, so that a few minutes have enough jobs. Round trips are those of
// the map: routers hold what they forward back by them.
#ifndef RINGWAY_BENCH_LIVE_WORLD_H_
#define RINGWAY_BENCH_LIVE_WORLD_H_

#include <memory>
#include <string>

#include "core/fleet.h"
#include "sim/scenario.h"

namespace ringway::bench {

inline constexpr double kLiveServiceS = 2;
inline constexpr double kLiveServiceCv = 0.5;
inline constexpr double kLiveLoad = 0.8;

std::shared_ptr<const Fleet> LiveFleet();

// The fleet as a topology file. By probes: workers are found by asking them, and no region tells another of
// its idle ones.
std::string LiveTopology(const Fleet& fleet, bool by_probes);

// The same on the simulator. `fleet`: as read from the file.
std::shared_ptr<sim::Scenario> LiveScenario(std::shared_ptr<const Fleet> fleet, double warmup_s,
                                            double duration_s);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LIVE_WORLD_H_
