#include <time.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <variant>
#include <vector>

#include "bench/dispatch/pieces.h"
#include "core/check.h"
#include "core/rng.h"
#include "router/dispatch/ledger/slot_ledger.h"

namespace ringway::bench {

double CpuSeconds() {
  timespec now{};
  RINGWAY_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

namespace {

using ledger::Acquire;
using ledger::Announce;
using ledger::Grant;
using ledger::LedgerAction;
using ledger::Release;
using ledger::RequestKey;

constexpr int kRouters = 64;
constexpr Fence kFence{1, 1};

// The ledger and everything around it that it must believe in, with as little work of its own as possible.
class Bench {
 public:
  explicit Bench(int workers) : rng_(7), ledger_(Settings(workers)), sequences_(workers) {
    ledger_.Step(now_, ledger::Appointed{kFence}, actions_);
    // In shuffled order, so that neither workers nor asks are met in the order in which they lie in memory.
    std::vector<WorkerId> order;
    for (int w = 0; w < workers; ++w) order.push_back(WorkerId(w));
    Shuffle(order);
    for (const WorkerId worker : order) Idle(worker, {kFence, 0});
    for (int r = 0; r < kRouters; ++r) {
      const int slots = 2 * workers / kRouters + 200;
      for (int s = 0; s < slots; ++s) free_.push_back({RouterId(r), static_cast<std::uint32_t>(s), 0});
    }
    Shuffle(free_);
  }

  void Arrive() {
    RequestKey key = free_.back();
    free_.pop_back();
    ++key.generation;
    ledger_.Step(now_, Acquire{key, 0, now_, now_ + Seconds(3600), Seconds(5)}, actions_);
    Take();
  }
  void Finish() {
    if (leased_.empty()) return;
    const Grant done = leased_.front();
    leased_.pop_front();
    free_.push_back(done.key);
    ledger_.Step(now_, Release{done.worker, done.lease, Outcome::kDone, {}}, actions_);
    Take();
    Idle(done.worker, done.lease);
  }
  void Tick() { now_ += Microseconds(10); }
  bool Chance() { return rng_.Chance(0.5); }
  std::size_t leased() const { return leased_.size(); }
  std::uint64_t grants() const { return grants_; }

 private:
  static ledger::LedgerSettings Settings(int workers) {
    ledger::LedgerSettings settings;
    settings.workers_max = static_cast<std::size_t>(workers);
    settings.routers_max = kRouters;
    settings.waiting_max = 100'000;
    settings.silence_max = Hours(10);
    settings.lease_span = Hours(10);
    return settings;
  }
  template <class T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng_.Below(i)]);
  }
  void Idle(WorkerId worker, const Lease& fence) {
    ledger_.Step(now_, Announce{worker, ++sequences_[worker.index()], ledger::WorkerStatus::kIdle, fence, {}},
                 actions_);
    Take();
  }
  void Take() {
    for (const LedgerAction& action : actions_) {
      const Grant* grant = std::get_if<Grant>(&action);
      RINGWAY_CHECK(grant != nullptr);
      leased_.push_back(*grant);
      ++grants_;
    }
    actions_.clear();
  }

  Rng rng_;
  Time now_ = FromUnixSeconds(1'800'000'000);
  ledger::SlotLedger ledger_;
  std::vector<std::uint64_t> sequences_;
  std::vector<RequestKey> free_;
  std::deque<Grant> leased_;  // they end in this order
  std::vector<LedgerAction> actions_;
  std::uint64_t grants_ = 0;
};

// Calls `turn` until about `grants` more grants were made; returns grants per second.
template <class Turn>
double Measure(Bench& bench, std::uint64_t grants, Turn turn) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const std::uint64_t before = bench.grants();
    const double begin_s = CpuSeconds();
    while (bench.grants() < before + grants / 5) {
      for (int i = 0; i < 100; ++i) turn();
    }
    const double took_s = CpuSeconds() - begin_s;
    best = std::max(best, static_cast<double>(bench.grants() - before) / took_s);
  }
  return best;
}

}  // namespace

Claim LedgerRate(int workers, double grants_per_s_min, bool quick) {
  Bench bench(workers);
  for (int i = 0; i < workers; ++i) bench.Arrive();
  const double rate = Measure(bench, quick ? 1'000'000 : 5'000'000, [&bench] {
    bench.Tick();
    // A random walk around full: now somebody waits, now somebody idles.
    if (bench.Chance()) {
      bench.Arrive();
      bench.Finish();
    } else {
      bench.Finish();
      bench.Arrive();
    }
  });
  return AtLeast("ledger_" + std::to_string(workers) + "_workers", rate / 1e6, grants_per_s_min / 1e6,
                 "M grants/s");
}

Claim LedgerLineRate(int workers, int waiting, double grants_per_s_min, bool quick) {
  Bench bench(workers);
  for (int i = 0; i < workers + waiting; ++i) bench.Arrive();
  const double rate = Measure(bench, quick ? 1'000'000 : 5'000'000, [&bench] {
    bench.Tick();
    bench.Finish();
    bench.Arrive();
  });
  return AtLeast("ledger_" + std::to_string(workers) + "_workers_" + std::to_string(waiting) + "_waiting",
                 rate / 1e6, grants_per_s_min / 1e6, "M grants/s");
}

}  // namespace ringway::bench
