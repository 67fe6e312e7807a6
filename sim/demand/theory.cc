#include "sim/demand/theory.h"

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

namespace {

// Puts `value` in the place of a min-heap's least. One way down, half of a pop and a push.
void ReplaceLeast(std::vector<double>& heap, double value) {
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
    if (value <= heap[child]) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = value;
}

}  // namespace

double CentralQueue::Arrive(double at_s, double service_s) {
  const double start_s = std::max(at_s, free_at_s_.front());
  ReplaceLeast(free_at_s_, start_s + service_s);
  return start_s - at_s;
}

bool LossGroup::Arrive(double at_s, double service_s) {
  if (free_at_s_.front() > at_s) return false;
  ReplaceLeast(free_at_s_, at_s + service_s);
  return true;
}

}  // namespace ringway::sim
