#include "sim/demand/theory.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "sim/demand/service_law.h"

namespace ringway::sim {
namespace {

TEST(TheoryTest, ErlangBMatchesPublishedTables) {
  // Offered load at which c lines block 1 %, from the standard traffic tables.
  struct Case {
    std::size_t lines;
    double erlangs;
  };
  for (const Case& c : {Case{1, 0.0101}, Case{10, 4.46}, Case{50, 37.9}, Case{100, 84.1}}) {
    EXPECT_NEAR(ErlangB(c.lines, c.erlangs), 0.01, 0.0002) << c.lines;
  }
  EXPECT_NEAR(ErlangB(1000, 950), 0.0036, 0.0001);
}

TEST(TheoryTest, OneServerIsTheTextbookCase) {
  for (const double load : {0.1, 0.5, 0.9}) {
    EXPECT_NEAR(ErlangC(1, load), load, 1e-12);
    EXPECT_NEAR(MeanWaitS(1, load, 2), 2 * load / (1 - load), 1e-9);
    EXPECT_NEAR(WaitQuantileS(1, load, 1, 0.99), load <= 0.01 ? 0 : std::log(load / 0.01) / (1 - load), 1e-9);
  }
  EXPECT_EQ(ErlangC(4, 4), 1);
  EXPECT_EQ(WaitQuantileS(100, 10, 1, 0.99), 0);
}

struct Estimate {
  double mean;
  double half_width;  // 99 % interval over seeds
};

Estimate Over(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double error = std::sqrt(squares / static_cast<double>(values.size() * (values.size() - 1)));
  return {mean, 2.86 * error};  // Student's t for 19 degrees of freedom
}

// The central queue is itself a reference for the simulator, so it must agree with the closed form where
// there is one.
TEST(TheoryTest, CentralQueueReproducesErlangC) {
  for (const std::size_t servers : {10, 100}) {
    for (const double load : {0.7, 0.9}) {
      const double offered = load * static_cast<double>(servers);
      std::vector<double> means;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Rng arrivals(seed, 1);
        Rng services(seed, 2);
        CentralQueue queue(servers);
        double at_s = 0, wait_s = 0;
        constexpr int kWarmup = 20000, kJobs = 200000;
        for (int job = 0; job < kWarmup + kJobs; ++job) {
          at_s += arrivals.Exponential() / offered;
          const double wait = queue.Arrive(at_s, services.Exponential());
          if (job >= kWarmup) wait_s += wait;
        }
        means.push_back(wait_s / kJobs);
      }
      const Estimate measured = Over(means);
      EXPECT_NEAR(measured.mean, MeanWaitS(servers, offered, 1), measured.half_width)
          << servers << " servers at " << load;
    }
  }
}

TEST(ServiceLawTest, LawsHaveTheirMeans) {
  const std::vector<ServiceLaw> laws = {FixedService{2}, ExponentialService{2}, LogNormalService{2, 0.5},
                                        EmpiricalService{{1, 2, 3}}};
  for (const ServiceLaw& law : laws) {
    Rng rng(5);
    double sum = 0;
    for (int i = 0; i < 100000; ++i) sum += DrawServiceS(law, rng);
    EXPECT_NEAR(MeanServiceS(law), 2, 1e-12);
    EXPECT_NEAR(sum / 100000, 2, 0.03) << law.index();
  }
}

}  // namespace
}  // namespace ringway::sim
