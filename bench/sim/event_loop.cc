#include <ctime>

#include "bench/sim/run_rate.h"
#include "core/rng.h"
#include "sim/kernel/event_queue.h"

namespace ringway::bench {
namespace {

constexpr double kHopNs = 250e3;

}  // namespace

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double BareEventsPerS(double pending, double service_mean_s, double events) {
  sim::EventQueue queue;
  Rng rng(1);
  const auto delay_ns = [&](std::uint32_t kind) {
    const double mean = kind % 4 == 0 ? service_mean_s * 1e9 : kHopNs;
    return static_cast<std::int64_t>(mean * (0.5 + rng.Uniform()));
  };
  const auto wanted = static_cast<std::uint32_t>(pending);
  for (std::uint32_t i = 0; i < wanted; ++i) queue.Push(delay_ns(0), static_cast<std::uint8_t>(i % 4), i);
  const auto count = static_cast<std::uint64_t>(events);
  const double begun_s = CpuSeconds();
  for (std::uint64_t i = 0; i < count; ++i) {
    const sim::SimEvent event = queue.Pop();
    const auto kind = static_cast<std::uint8_t>((event.kind() + 1) % 4);
    queue.Push(event.at_ns + delay_ns(kind), kind, event.subject, event.detail);
  }
  return static_cast<double>(count) / (CpuSeconds() - begun_s);
}

}  // namespace ringway::bench
