#include "tests/sim/textbook.h"

#include <algorithm>
#include <bit>
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
  tier.deadline = Hours(24);
  auto scenario = std::make_shared<Scenario>();
  scenario->seed = seed;
  scenario->controller = false;
  scenario->routers_per_region = 1;
  scenario->network = {.jitter_share = 0, .loss_share = 0, .local_ms = 0};
  scenario->service.resize(1);
  scenario->service[TierId(0)].law = law;
  const double warm_s = std::max(30.0, 0.1 * jobs / cell.offered());
  const double last_s = warm_s + jobs / cell.offered();
  scenario->warmup_s = warm_s;
  // Ten times the slowest queue's relaxation, so that all that came has ended when the run does.
  scenario->duration_s = last_s + 60 + 10 / ((1 - cell.rho) * (1 - cell.rho));
  scenario->demand.push_back(
      {.tier = TierId(0), .region = RegionId(0), .law = PoissonArrivals{cell.offered()}});
  scenario->steps.push_back({.at_s = last_s, .fault = ScaleDemand{{}, 1e-9}});
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

void Twin::OnSubmitted(Time now, const Submission& submission) {
  const double now_s = ToDoubleSeconds(now - UnixEpoch());
  if (may_wait_) {
    arrivals_s_.push_back(now_s);
    return;
  }
  lost_.resize(submission.serial + 1);
  lost_[submission.serial] = !group_.Arrive(now_s, submission.service_s);
}

void Twin::OnStarted(Time now, WorkerId, const OfferNote& note) {
  if (!may_wait_) return;
  const double arrived_s = arrivals_s_[starts_++];
  const double wait_s = queue_.Arrive(arrived_s, static_cast<double>(note.payload.service_ns) * 1e-9);
  const double started_s = ToDoubleSeconds(now - UnixEpoch());
  if (std::abs(arrived_s + wait_s - started_s) > 1e-6) ++differing_;
  if (arrived_s >= warm_s_) ideal_.Add(wait_s);
}

void Twin::OnEnded(Time now, const Ending& ending) {
  if (ToDoubleSeconds(now - ending.latency - UnixEpoch()) < warm_s_) return;
  ++jobs_;
  const bool lost = ending.outcome != Outcome::kDone;
  simulated_lost_ += lost;
  if (!lost) simulated_.Add(ToDoubleSeconds(ending.wait));
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

// Independent walks of the number in the system, side by side. Whether a walk's next event is an arrival
// depends on that number alone. The generator is that of core/rng.h, in lanes.
struct Walks {
  static constexpr std::size_t kLanes = 16;
  std::uint64_t random[4][kLanes], here[kLanes], arrivals[kLanes];
  std::uint64_t found[kLanes], arrived[kLanes];  // by the last event: who found how many
};

// One event of every walk; returns the most that anything found. Without branches on the coin, half of which
// would be guessed wrong.
[[gnu::always_inline]] inline std::uint64_t Step(Walks& w, const std::uint64_t* __restrict up,
                                                 std::uint64_t servers, std::uint64_t last) {
  std::uint64_t most = 0;
  for (std::size_t l = 0; l < Walks::kLanes; ++l) {
    auto& [r0, r1, r2, r3] = w.random;
    const std::uint64_t coin = std::rotl(r0[l] + r3[l], 23) + r0[l];
    const std::uint64_t shifted = r1[l] << 17;
    r2[l] ^= r0[l], r3[l] ^= r1[l], r1[l] ^= r2[l], r0[l] ^= r3[l];
    r2[l] ^= shifted;
    r3[l] = std::rotl(r3[l], 45);
    const std::uint64_t n = w.here[l];
    const std::uint64_t rises = coin < up[n < servers ? n : servers] ? 1 : 0;
    const std::uint64_t next = n + 2 * rises - 1;
    w.here[l] = next < last ? next : last;
    w.found[l] = n, w.arrived[l] = rises;
    w.arrivals[l] += rises;
    most = most > n ? most : n;
  }
  return most;
}

// `events` of every walk. seen[k] is added how many arrivals found servers + k.
[[gnu::always_inline]] inline void StepAll(Walks& w, const std::uint64_t* up, std::uint64_t servers,
                                           std::uint64_t last, std::uint64_t* seen, std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) {
    if (Step(w, up, servers, last) < servers) continue;
    for (std::size_t l = 0; l < Walks::kLanes; ++l)
      if (w.found[l] >= servers) seen[w.found[l] - servers] += w.arrived[l];
  }
}

void StepAnywhere(Walks& w, const std::uint64_t* up, std::uint64_t servers, std::uint64_t last,
                  std::uint64_t* seen, std::uint64_t events) {
  StepAll(w, up, servers, last, seen, events);
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void StepInWideLanes(Walks& w, const std::uint64_t* up, std::uint64_t servers,
                                                std::uint64_t last, std::uint64_t* seen,
                                                std::uint64_t events) {
  StepAll(w, up, servers, last, seen, events);
}
bool HasWideLanes() { return __builtin_cpu_supports("avx512f") != 0; }
#else
constexpr auto StepInWideLanes = StepAnywhere;
bool HasWideLanes() { return false; }
#endif

// Arrivals at a queue in the long run, by the jump chain of the number in the system.
class JumpChain {
 public:
  // So many never wait, but at loads that no cell has.
  static constexpr std::uint64_t kPlaces = 20'000;
  struct Arrivals {
    double total = 0;
    std::vector<std::uint64_t> seen;  // [k]: how many found servers + k
  };

  JumpChain(const Cell& cell, bool may_wait, std::uint64_t seed)
      : servers_(cell.servers), last_(servers_ + (may_wait ? kPlaces : 0)) {
    for (std::size_t n = 0; n <= servers_; ++n) {
      const double up = cell.offered() / (cell.offered() + static_cast<double>(n));
      up_.push_back(static_cast<std::uint64_t>(up * 0x1.0p63) << 1);
    }
    up_[0] = ~std::uint64_t{0};  // nobody can leave
    Rng rng(seed, 0x6368);
    for (auto& words : walks_.random)
      for (std::uint64_t& word : words) word = rng.Next();
    std::fill_n(walks_.here, Walks::kLanes, static_cast<std::uint64_t>(cell.offered()));
  }

  // At least as many as wanted.
  Arrivals Run(double wanted) {
    constexpr std::uint64_t kEvents = 10'000;  // of every walk, between two looks
    Arrivals arrivals{.total = 0, .seen = std::vector<std::uint64_t>(kPlaces + 1)};
    const auto step = HasWideLanes() ? StepInWideLanes : StepAnywhere;
    while (arrivals.total < wanted) {
      std::fill_n(walks_.arrivals, Walks::kLanes, 0);
      step(walks_, up_.data(), servers_, last_, arrivals.seen.data(), kEvents);
      for (const std::uint64_t count : walks_.arrivals) arrivals.total += static_cast<double>(count);
    }
    while (arrivals.seen.size() > 1 && arrivals.seen.back() == 0) arrivals.seen.pop_back();
    return arrivals;
  }

 private:
  std::uint64_t servers_, last_;
  std::vector<std::uint64_t> up_;  // below which a random word is an arrival, by the number in the system
  Walks walks_{};
};

// P(the sum of k exponentials of mean 1 is above x), for all k up to `last`: the tail of a Poisson number.
double TailShare(const JumpChain::Arrivals& arrivals, double x) {
  double term = std::exp(-x), tail = 0, share = 0;
  for (std::size_t k = 0; k < arrivals.seen.size(); ++k) {
    tail += term;
    term *= x / static_cast<double>(k + 1);
    share += tail * static_cast<double>(arrivals.seen[k]) / arrivals.total;
  }
  return share;
}

}  // namespace

QueueFigures LongRunExponential(const Cell& cell, bool may_wait, double jobs, std::uint64_t seed) {
  JumpChain chain(cell, may_wait, seed);
  (void)chain.Run(kWarmShare * jobs);
  const JumpChain::Arrivals arrivals = chain.Run(jobs);
  QueueFigures figures;
  if (!may_wait) {
    figures.loss = static_cast<double>(arrivals.seen[0]) / arrivals.total;
    return figures;
  }
  double places = 0;
  for (std::size_t k = 0; k < arrivals.seen.size(); ++k)
    places += static_cast<double>(arrivals.seen[k]) * static_cast<double>(k + 1);
  const auto c = static_cast<double>(cell.servers);
  figures.wait_mean = places / arrivals.total / c;
  if (TailShare(arrivals, 0) <= 0.01) return figures;
  double low = 0, high = 600;  // in departures; exp(-600) is still a number
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (TailShare(arrivals, middle) > 0.01 ? low : high) = middle;
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
