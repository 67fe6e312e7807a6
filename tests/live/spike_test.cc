// The article's failure and its cure, with real processes: retries that probe without delay and backoff, in a
// spike, and the same with both.
//
// "How Meta animates AI-generated images at scale" (2024): once routing was regional, spikes let the retries
// explode, because a job that found no free GPU asked the next one at once, again and again; a small random
// delay for a share of the jobs and exponential backoff cured it.
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/live/open_loop.h"
#include "tests/live/small_world.h"

namespace ringway::live {
namespace {

// Neither attempts nor budget bound the retries, so that delay and backoff have to do it alone.
constexpr char kNeither[] =
    "{mode: probe, probesPerRound: 1, offersMax: 10000, retryBudget: {share: 1000, floorPerSecond: "
    "1000000}, "
    "delay: {shareMax: 0, span: 0s}, "
    "backoff: {base: 0s, multiplier: 1, capOfService: 0, fullJitter: false}}";
constexpr char kBoth[] =
    "{mode: probe, probesPerRound: 1, offersMax: 10000, retryBudget: {share: 1000, floorPerSecond: "
    "1000000}, "
    "delay: {busyMin: 0.8, shareMax: 1, span: 250ms}, "
    "backoff: {base: 20ms, multiplier: 2, capOfService: 4, fullJitter: true}}";

constexpr double kServiceS = 0.25;

struct SpikeReport {
  Tally jobs;
  double offers_refused = 0;  // as the workers counted them
  double offers_per_job() const {
    return (offers_refused + static_cast<double>(jobs.done)) / static_cast<double>(jobs.jobs);
  }
};

// Calm for two seconds at half of capacity, then two seconds at three times capacity.
SpikeReport Spike(const char* dispatch) {
  // Four routers that know one worker each; of the other three they only know the addresses, as the article's
  // routers did of all. How fast workers refuse depends on the machine, so the jobs are few and wait long:
  // even one busy core then makes a storm.
  SmallWorld world({.regions = {{"oslo", 4, 1}},
                    .service_mean_s = kServiceS,
                    .deadline = "4s",
                    .dispatch = dispatch,
                    .router_flags = {"--watch-max", "0"}});
  if (!world.AwaitReady()) {
    ADD_FAILURE() << "the world did not become ready";
    return {};
  }
  constexpr double kCapacityRps = 4 / kServiceS;
  OpenLoop calm({.routers = world.Doors("oslo"),
                 .tier = kTier,
                 .rps = kCapacityRps / 2,
                 .span = Seconds(2),
                 .name = "calm"});
  calm.Start();
  calm.Finish();
  const std::string busy = "ringway_worker_rejected_total{reason=\"busy\"}";
  const double refused_before = world.SumOverWorkers(busy);
  OpenLoop spike({.routers = world.Doors("oslo"),
                  .tier = kTier,
                  .rps = 3 * kCapacityRps,
                  .span = Seconds(2),
                  .name = "spike"});
  spike.Start();
  const auto records = spike.Finish();
  return {Count(records), world.SumOverWorkers(busy) - refused_before};
}

TEST(SpikeTest, WithoutDelayAndBackoffTheAttemptsExplodeAndWithBothTheyDoNot) {
  const SpikeReport neither = Spike(kNeither);
  const SpikeReport both = Spike(kBoth);
  std::printf("spike at 3x capacity        jobs   done   offers per job\n");
  std::printf("no delay, no backoff     %7zu  %4.0f %%   %10.1f\n", neither.jobs.jobs,
              100 * neither.jobs.success(), neither.offers_per_job());
  std::printf("delay and backoff        %7zu  %4.0f %%   %10.1f\n", both.jobs.jobs, 100 * both.jobs.success(),
              both.offers_per_job());
  EXPECT_GE(neither.offers_per_job(), 5 * both.offers_per_job());
  EXPECT_LE(both.offers_per_job(), 20);
}

}  // namespace
}  // namespace ringway::live
