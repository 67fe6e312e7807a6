// A router's machine that was restored from its checkpoint is the machine: every few virtual seconds all
// routers of a simulation go on with restored ones, under every fault of the seed suite, and nothing comes
// out otherwise.
#include <deque>
#include <string>

#include "gtest/gtest.h"
#include "router/journal/checkpoint.h"
#include "sim/simulation.h"
#include "tests/sim/random_world.h"
#include "tests/sim/run_fingerprint.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kSeeds = 12;
constexpr int kEverySeconds = 5;

TEST(CheckpointSeeds, RestoredRoutersGoOnAsTheyWere) {
  std::size_t restored = 0, bytes_max = 0, jobs = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation left_alone(RandomScenario(seed));
    left_alone.Run();

    std::deque<std::string> words;
    Simulation simulation(RandomScenario(seed));
    simulation.Run([&, second = 0](double) mutable {
      if (++second % kEverySeconds != 0) return true;
      simulation.Exchange([&](const router::RouterMachine& present, router::RouterMachine& next) {
        const std::string bytes = router::Save(present);
        ASSERT_TRUE(router::Load(bytes, words, next)) << "seed " << seed;
        // Whatever was left out of the state would be missing here, too; what the next seconds bring shows
        // it.
        ASSERT_EQ(router::Save(next), bytes) << "seed " << seed;
        // What the present one has kept of its wake-ups, the next finds by looking.
        ASSERT_EQ(next.NextWake(), present.NextWake()) << "seed " << seed;
        ++restored;
        jobs += present.jobs();
        bytes_max = std::max(bytes_max, bytes.size());
      });
      return !testing::Test::HasFatalFailure();
    });
    ASSERT_EQ(Fingerprint(simulation), Fingerprint(left_alone)) << "seed " << seed;
  }
  // They were worth restoring.
  EXPECT_GT(restored, 500u);
  EXPECT_GT(jobs, restored);
  RecordProperty("largest_checkpoint_bytes", static_cast<int>(bytes_max));
}

}  // namespace
}  // namespace ringway::sim
