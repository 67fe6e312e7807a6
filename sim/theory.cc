#include "sim/theory.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace ringway::sim {

double ErlangB(std::size_t servers, double offered_erlangs) {
  double blocking = 1;
  for (std::size_t c = 1; c <= servers; ++c) {
    const double x = offered_erlangs * blocking;
    blocking = x / (static_cast<double>(c) + x);
  }
  return blocking;
}

double ErlangC(std::size_t servers, double offered_erlangs) {
  const double c = static_cast<double>(servers);
  if (offered_erlangs >= c) return 1;
  const double blocking = ErlangB(servers, offered_erlangs);
  const double load = offered_erlangs / c;
  return blocking / (1 - load * (1 - blocking));
}

double MeanWaitS(std::size_t servers, double offered_erlangs, double service_mean_s) {
  const double c = static_cast<double>(servers);
  RINGWAY_CHECK(offered_erlangs < c);
  return ErlangC(servers, offered_erlangs) * service_mean_s / (c - offered_erlangs);
}

double WaitQuantileS(std::size_t servers, double offered_erlangs, double service_mean_s, double q) {
  const double c = static_cast<double>(servers);
  RINGWAY_CHECK(offered_erlangs < c);
  const double waiting = ErlangC(servers, offered_erlangs);
  if (waiting <= 1 - q) return 0;
  return std::log(waiting / (1 - q)) * service_mean_s / (c - offered_erlangs);
}

double CentralQueue::Arrive(double at_s, double service_s) {
  std::pop_heap(free_at_s_.begin(), free_at_s_.end(), std::greater<>());
  const double start_s = std::max(at_s, free_at_s_.back());
  free_at_s_.back() = start_s + service_s;
  std::push_heap(free_at_s_.begin(), free_at_s_.end(), std::greater<>());
  return start_s - at_s;
}

}  // namespace ringway::sim
