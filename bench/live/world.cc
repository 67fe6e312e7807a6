#include "bench/live/world.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/loop/worlds.h"

namespace ringway::bench {
namespace {

constexpr GeneratedWorld kWorld{
    .name = "twelve", .regions = 12, .workers_min = 3, .workers_max = 8, .seed = 107};
constexpr std::uint64_t kTrafficSeed = 11;
constexpr double kSkew = 0.2;

std::string Matrix(const World& world) {
  std::string text;
  for (RegionId a(0); a != world.regions.end_id(); a = RegionId(a.index() + 1)) {
    absl::StrAppend(&text, "      - [");
    for (RegionId b(0); b != world.regions.end_id(); b = RegionId(b.index() + 1)) {
      absl::StrAppendFormat(&text, "%s%.1f", b.index() == 0 ? "" : ", ", world.rtt.ms(a, b));
    }
    absl::StrAppend(&text, "]\n");
  }
  return text;
}

}  // namespace

std::shared_ptr<const Fleet> LiveFleet() { return Generate(kWorld); }

std::string LiveTopology(const Fleet& fleet, bool by_probes) {
  std::string text = "apiVersion: ringway/v1\nkind: World\nmetadata:\n  name: twelve\nspec:\n  regions:\n";
  for (const Region& region : fleet.world.regions) {
    absl::StrAppendFormat(&text,
                          "    - {name: %s, coordinates: {latitudeDeg: %.2f, longitudeDeg: %.2f}, "
                          "populationShare: %.6f}\n",
                          region.name, region.latitude_deg, region.longitude_deg,
                          1.0 / static_cast<double>(fleet.world.regions.size()));
  }
  absl::StrAppend(&text, "  rtt:\n    withinRegionMs: 0.5\n    matrixMs:\n", Matrix(fleet.world));
  absl::StrAppend(&text, "---\napiVersion: ringway/v1\nkind: Tier\nmetadata:\n  name: animate\nspec:\n");
  absl::StrAppendFormat(&text, "  serviceMean: %gs\n  deadline: 60s\n", kLiveServiceS);
  absl::StrAppend(
      &text,
      "  metrics: [{name: busy, aggregation: sum, capacity: 1, capacityPer: worker, maxAge: 30s}]\n"
      "  rings:\n"
      "    - {name: near, rttMsMax: 40, unlockLoad: 0.8}\n"
      "    - {name: continent, rttMsMax: 120, unlockLoad: 0.85}\n"
      "    - {name: world, rttMsMax: 700, unlockLoad: 0.95}\n"
      "  dispatch:\n    mode: ",
      by_probes ? "probe" : "ledger", "\n  regions:\n");
  for (RegionId r(0); r != fleet.world.regions.end_id(); r = RegionId(r.index() + 1)) {
    absl::StrAppendFormat(&text, "    - {region: %s, workers: %d}\n", fleet.world.regions[r].name,
                          fleet.tiers[kLoopTier].regions[r].workers);
  }
  return text;
}

std::shared_ptr<sim::Scenario> LiveScenario(std::shared_ptr<const Fleet> fleet, double warmup_s,
                                            double duration_s) {
  const double faster = kServiceMeanS / kLiveServiceS;
  std::shared_ptr<sim::Scenario> scenario = Scene(std::move(fleet), {.load = kLiveLoad * faster,
                                                                     .skew = kSkew,
                                                                     .seed = kTrafficSeed,
                                                                     .duration_s = duration_s,
                                                                     .warmup_s = warmup_s});
  scenario->service[kLoopTier].law = sim::LogNormalService{kLiveServiceS, kLiveServiceCv};
  return scenario;
}

}  // namespace ringway::bench
