#include "tests/sim/textbook.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rng.h"
#include "tests/sim/random_world.h"

namespace ringway::sim {
namespace {

constexpr double kWarmShare = 0.02;

}  // namespace

std::shared_ptr<const Scenario> TextbookScenario(const Cell& cell, const ServiceLaw& law, bool may_wait,
                                                 double jobs, std::uint64_t seed) {
  Fleet fleet = LineFleet(1, static_cast<int>(cell.servers));
  fleet.world.rtt.Set(RegionId(0), RegionId(0), 0);
  Tier& tier = fleet.tiers[TierId(0)];
  tier.dispatch.mode = DispatchMode::kLedger;
  tier.dispatch.waiting_max = may_wait ? 1'000'000 : 0;
  tier.deadline = absl::Hours(24);
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = seed;
  scenario->controller = false;
  scenario->routers_per_region = 1;
  scenario->network = {.jitter_share = 0, .loss_share = 0, .beside_ms = 0};
  scenario->service.resize(1);
  scenario->service[TierId(0)].law = law;
  const double warm_s = std::max(30.0, 0.1 * jobs / cell.offered());
  const double last_s = warm_s + jobs / cell.offered();
  scenario->warmup_s = warm_s;
  // Ten times the slowest queue's relaxation, so that all that came has ended when the run does.
  scenario->duration_s = last_s + 60 + 10 / ((1 - cell.rho) * (1 - cell.rho));
  scenario->demand.push_back(
      {.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{cell.offered()}});
  scenario->steps.push_back({.at_s = last_s, .trouble = ScaleDemand{{}, 1e-9}});
  scenario->fleet = std::make_shared<const Fleet>(std::move(fleet));
  return scenario;
}

// ---- waits ----

void WaitCount::Add(double wait) {
  ++count_;
  sum_ += wait;
  if (wait <= 1e-9) {
    ++zeros_;
    return;
  }
  const double cell = std::min(wait / width_, static_cast<double>(counts_.size() - 1));
  ++counts_[static_cast<std::size_t>(cell)];
}

double WaitCount::Quantile(double q) const {
  double below = zeros_;
  const double wanted = q * count_;
  if (count_ == 0 || below >= wanted) return 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto here = static_cast<double>(counts_[i]);
    if (below + here >= wanted) return width_ * (static_cast<double>(i) + (wanted - below) / here);
    below += here;
  }
  return width_ * static_cast<double>(counts_.size());
}

// ---- the ideal beside the simulator ----

Twin::Twin(const Scenario& scenario, const Cell& cell, bool may_wait, double p99_scale)
    : warm_s_(scenario.warmup_s),
      may_wait_(may_wait),
      queue_(cell.servers),
      group_(cell.servers),
      simulated_(p99_scale),
      ideal_(p99_scale) {}

void Twin::OnSubmitted(absl::Time now, const Submission& submission) {
  const double now_s = absl::ToDoubleSeconds(now - absl::UnixEpoch());
  if (may_wait_) {
    arrivals_s_.push_back(now_s);
    return;
  }
  lost_.resize(submission.serial + 1);
  lost_[submission.serial] = !group_.Arrive(now_s, submission.service_s);
}

void Twin::OnStarted(absl::Time now, WorkerId, const OfferNote& note) {
  if (!may_wait_) return;
  const double arrived_s = arrivals_s_[starts_++];
  const double wait_s = queue_.Arrive(arrived_s, static_cast<double>(note.luggage.service_ns) * 1e-9);
  const double started_s = absl::ToDoubleSeconds(now - absl::UnixEpoch());
  if (std::abs(arrived_s + wait_s - started_s) > 1e-6) ++differing_;
  if (arrived_s >= warm_s_) ideal_.Add(wait_s);
}

void Twin::OnEnded(absl::Time now, const Ending& ending) {
  if (absl::ToDoubleSeconds(now - ending.latency - absl::UnixEpoch()) < warm_s_) return;
  ++jobs_;
  const bool lost = ending.outcome != Outcome::kDone;
  simulated_lost_ += lost;
  if (!lost) simulated_.Add(absl::ToDoubleSeconds(ending.wait));
  if (may_wait_) return;
  const bool ideally_lost = lost_[ending.serial];
  ideal_lost_ += ideally_lost;
  if (lost != ideally_lost) ++differing_;
}

QueueFigures Twin::Of(const WaitCount& waits, std::uint64_t lost) const {
  return {waits.Mean(), waits.Quantile(0.99), static_cast<double>(lost) / static_cast<double>(jobs_)};
}

// ---- the long run ----

namespace {

// How often an arrival found n in the system. Whether the next event is an arrival depends on n alone.
class JumpChain {
 public:
  static constexpr std::size_t kPlacesMax = 1'000'000;
  JumpChain(const Cell& cell, bool may_wait, std::uint64_t seed)
      : rng_(seed, 0x6368), servers_(cell.servers), last_(may_wait ? kPlacesMax : cell.servers) {
    for (std::size_t n = 0; n <= servers_; ++n) {
      const double up = cell.offered() / (cell.offered() + static_cast<double>(n));
      up_.push_back(static_cast<std::uint64_t>(up * 0x1.0p63) << 1);
    }
    up_[0] = ~std::uint64_t{0};  // nobody can leave
    n_ = static_cast<std::size_t>(cell.offered());
  }

  // Without branches on the coin: half of them would be guessed wrong.
  std::vector<std::uint64_t> Run(std::uint64_t arrivals) {
    std::vector<std::uint64_t> seen(servers_ + 2);
    while (arrivals > 0) {
      const std::size_t up = rng_.Next() < up_[std::min(n_, servers_)];
      if (n_ >= seen.size()) seen.resize(2 * n_);
      seen[n_] += up;
      arrivals -= up;
      n_ = std::min(n_ + 2 * up - 1, last_);
    }
    return seen;
  }

 private:
  Rng rng_;
  std::size_t servers_;
  std::size_t last_;
  std::size_t n_;
  std::vector<std::uint64_t> up_;
};

// P(the sum of k exponentials of mean 1 is above x), for all k up to `last`: the tail of a Poisson number.
double TailShare(const std::vector<std::uint64_t>& seen, std::size_t servers, double x, double total) {
  double term = std::exp(-x), tail = 0, share = 0;
  for (std::size_t k = 1; servers + k - 1 < seen.size(); ++k) {
    tail += term;
    term *= x / static_cast<double>(k);
    share += tail * static_cast<double>(seen[servers + k - 1]) / total;
  }
  return share;
}

}  // namespace

QueueFigures LongRunExponential(const Cell& cell, bool may_wait, double jobs, std::uint64_t seed) {
  JumpChain chain(cell, may_wait, seed);
  (void)chain.Run(static_cast<std::uint64_t>(kWarmShare * jobs));
  const std::vector<std::uint64_t> seen = chain.Run(static_cast<std::uint64_t>(jobs));
  double total = 0, places = 0;
  for (std::size_t n = 0; n < seen.size(); ++n) {
    total += static_cast<double>(seen[n]);
    if (n >= cell.servers) places += static_cast<double>(seen[n] * (n - cell.servers + 1));
  }
  QueueFigures figures;
  if (!may_wait) {
    figures.loss = static_cast<double>(seen[cell.servers]) / total;
    return figures;
  }
  const auto c = static_cast<double>(cell.servers);
  figures.wait_mean = places / total / c;
  if (TailShare(seen, cell.servers, 0, total) <= 0.01) return figures;
  double low = 0, high = 600;  // in departures; exp(-600) is still a number
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (TailShare(seen, cell.servers, middle, total) > 0.01 ? low : high) = middle;
  }
  figures.wait_p99 = low / c;
  return figures;
}

QueueFigures LongRunLoss(const Cell& cell, const ServiceLaw& law, double jobs, std::uint64_t seed) {
  LossGroup group(cell.servers);
  Rng arrivals(seed, 1), services(seed, 2);
  // The group starts empty and is full of jobs after a few service times.
  const double warm = std::max(kWarmShare * jobs, 20 * cell.offered());
  double now = 0, lost = 0;
  for (double i = 0; i < warm + jobs; ++i) {
    now += arrivals.Exponential() / cell.offered();
    const bool taken = group.Arrive(now, DrawServiceS(law, services));
    if (i >= warm) lost += !taken;
  }
  return {.wait_mean = 0, .wait_p99 = 0, .loss = lost / jobs};
}

}  // namespace ringway::sim
