#include "cli/sim/run_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "sim/simulation.h"

namespace ringway::cli {
namespace {

// A signal may come on any thread.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void Notice(int) { interrupted.store(true, std::memory_order_relaxed); }

struct Outbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<std::size_t, sim::Figures>> results;
  unsigned working = 0;
};

void Work(std::size_t runs, std::atomic<std::size_t>& next,
          const std::function<std::shared_ptr<const sim::Scenario>(std::size_t)>& make, Outbox& outbox) {
  while (!Interruption::Noticed()) {
    const std::size_t number = next.fetch_add(1);
    if (number >= runs) break;
    sim::Simulation run(make(number));
    run.Run([](double) { return !Interruption::Noticed(); });
    if (!run.finished()) break;
    const sim::Figures figures = sim::FiguresOf(run);
    const std::lock_guard lock(outbox.mutex);
    outbox.results.emplace_back(number, figures);
    outbox.changed.notify_one();
  }
  const std::lock_guard lock(outbox.mutex);
  --outbox.working;
  outbox.changed.notify_one();
}

}  // namespace

Interruption::Interruption() {
  interrupted = false;
  interrupt_before_ = std::signal(SIGINT, Notice);
  terminate_before_ = std::signal(SIGTERM, Notice);
}

Interruption::~Interruption() {
  std::signal(SIGINT, interrupt_before_);
  std::signal(SIGTERM, terminate_before_);
}

bool Interruption::Noticed() { return interrupted.load(std::memory_order_relaxed); }

unsigned ThreadsFor(unsigned wanted) {
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

bool RunAll(std::size_t runs, unsigned threads,
            const std::function<std::shared_ptr<const sim::Scenario>(std::size_t)>& make,
            const std::function<void(std::size_t, const sim::Figures&)>& finished) {
  Outbox outbox;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  outbox.working = static_cast<unsigned>(std::min<std::size_t>(threads, runs));
  const unsigned count = outbox.working;
  for (unsigned i = 0; i < count; ++i) {
    workers.emplace_back([&] { Work(runs, next, make, outbox); });
  }
  std::unique_lock lock(outbox.mutex);
  while (outbox.working > 0 || !outbox.results.empty()) {
    outbox.changed.wait(lock, [&] { return outbox.working == 0 || !outbox.results.empty(); });
    while (!outbox.results.empty()) {
      const auto [number, figures] = outbox.results.front();
      outbox.results.pop_front();
      lock.unlock();
      finished(number, figures);
      lock.lock();
    }
  }
  lock.unlock();
  for (std::thread& worker : workers) worker.join();
  return !Interruption::Noticed();
}

}  // namespace ringway::cli
