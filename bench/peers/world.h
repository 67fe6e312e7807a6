// What the proxies stand before, from the scenario file that the simulator reads too.
//
// The benchmark takes from it the number of workers, the law of their service, the deadline; loads, numbers
// of instances and other means are given by row. The same file, with the same changes, is what SimulateRow
// runs through the simulator: a row of our own router, foretold.
//
// The simulated row follows the measured one: arrivals stop after the measured span, latency counts from the
// arrival, a job counts if it arrived after the warm-up. Its seeds are its own; only the laws are shared.
#ifndef RINGWAY_BENCH_PEERS_WORLD_H_
#define RINGWAY_BENCH_PEERS_WORLD_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "bench/peers/row.h"
#include "bench/peers/workload.h"
#include "sim/scenario.h"

namespace ringway::bench {

struct PeersWorld {
  std::shared_ptr<const sim::Scenario> scenario;
  WorkloadSpec workload;  // rho and seed are the row's
};

// Errors: what is wrong with the file, or with it for this purpose (one region, one tier, log-normal service,
// one Poisson stream).
absl::StatusOr<PeersWorld> LoadPeersWorld(const std::string& path);

// Errors: a value that the simulator does not take.
absl::StatusOr<SimulatedRow> SimulateRow(const PeersWorld& world, const RowSpec& spec, const Effort& effort);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_PEERS_WORLD_H_
