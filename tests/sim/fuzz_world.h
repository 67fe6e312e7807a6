// The files that scenarios of the fuzzer's corpus name, so that reading one does not end at its topology.
//
// A scenario whose topology is refused is not read any further: demand, steps and prices would never see a
// byte. So the world here is a sound one, with the regions and tiers that the corpus speaks of; that every
// scenario of the corpus is read to its end is tested in scenario_file_test.cc.
//
// Pure: text by name.
#ifndef RINGWAY_TESTS_SIM_FUZZ_WORLD_H_
#define RINGWAY_TESTS_SIM_FUZZ_WORLD_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ringway::sim {

inline constexpr char kFuzzWorld[] = R"(apiVersion: ringway/v1
kind: World
metadata: {name: small}
spec:
  regions:
    - {name: east, coordinates: {latitudeDeg: 1, longitudeDeg: 2}, utcOffset: "+00:00", populationShare: 0.5}
    - {name: west, coordinates: {latitudeDeg: 3, longitudeDeg: 4}, utcOffset: "+01:00", populationShare: 0.25}
    - {name: us-east-1, coordinates: {latitudeDeg: 5, longitudeDeg: 6}, utcOffset: "-05:00", populationShare: 0.25}
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: video}
spec:
  serviceMean: 2s
  deadline: 6s
  priorities: [high, low]
  metrics: [{name: busy, aggregation: sum, capacity: 1, capacityPer: worker}]
  rings: [{name: all, rttMsMax: 500, unlockLoad: 0.8}]
  regions: [{region: east, workers: 4}, {region: west, workers: 4}]
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: animate}
spec:
  serviceMean: 5s
  deadline: 30s
  metrics: [{name: busy, aggregation: sum, capacity: 1, capacityPer: worker}]
  rings: [{name: all, rttMsMax: 500, unlockLoad: 0.8}]
  scaling: {minWorkers: 1}
  regions: [{region: east, workers: 4}, {region: us-east-1, workers: 4}]
)";

inline absl::StatusOr<std::string> ReadFuzzFile(const std::string& path) {
  if (path.ends_with(".csv")) return std::string("TIMESTAMP\n2023-11-16 18:01:00\n2023-11-16 18:01:02\n");
  if (path.ends_with(".yaml")) return std::string(kFuzzWorld);
  return absl::NotFoundError("no such file");
}

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_FUZZ_WORLD_H_
