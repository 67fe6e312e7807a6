// The seed suite: random fleets, random faults, independent checkers. A failure prints its seed; the seed
// alone repeats it. RINGWAY_SEEDS=first-last runs others, for example thousands at night.
#include <cstdlib>
#include <string>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "sim/simulation.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {
namespace {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 20;
};

Seeds WantedSeeds() {
  Seeds seeds;
  if (const char* text = std::getenv("RINGWAY_SEEDS")) {
    if (std::sscanf(text, "%lu-%lu", &seeds.first, &seeds.last) == 1) seeds.last = seeds.first;
  }
  return seeds;
}

// Everything that a run counted, as text: equal runs have equal texts.
std::string Fingerprint(const Simulation& simulation) {
  const Totals& t = simulation.tally().totals();
  std::string text =
      absl::StrFormat("%d events, %d submitted, %d offers, %d refused, %d forwards, %d tables",
                      simulation.events(), t.submitted, t.offers, t.refused, t.forwards, t.tables);
  for (const std::uint64_t n : t.ended) absl::StrAppendFormat(&text, " %d", n);
  absl::StrAppendFormat(&text, " %.17g %.17g %.17g", t.busy_s, t.wait.sum(), t.latency.sum());
  return text;
}

TEST(SeedSuite, NothingIsLostOrDoneTwiceWhateverHappens) {
  const Seeds seeds = WantedSeeds();
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    Simulation simulation(RandomScenario(seed));
    simulation.Run();
    Checkers checkers = simulation.checkers();
    checkers.CheckDrained(absl::UnixEpoch() + absl::Seconds(simulation.scenario().duration_s));
    EXPECT_GT(simulation.tally().totals().served(), 0u) << "seed " << seed;
    for (const std::string& violation : checkers.violations())
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    if (HasFailure()) return;
  }
}

TEST(SeedSuite, TheSameSeedIsTheSameRun) {
  for (const std::uint64_t seed : {3, 11}) {
    Simulation first(RandomScenario(seed));
    first.Run();
    Simulation second(RandomScenario(seed));
    second.Run();
    EXPECT_EQ(Fingerprint(first), Fingerprint(second)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ringway::sim
