// What queueing theory says is possible: the yardsticks beside every simulated figure.
//
// Erlang-B and Erlang-C (A. K. Erlang, 1917), by the usual recursion, which is stable for any number of
// servers; the wait of M/M/c follows from Erlang-C and is a mixture of zero and an exponential. For other
// service laws there is no closed form: CentralQueue replays arrivals and service times through one queue
// with c servers, first come first served, which no dispatcher without knowledge of the future can beat in
// mean wait.
//
// Units: offered load in erlangs (arrival rate x mean service time); times in seconds.
#ifndef RINGWAY_SIM_DEMAND_THEORY_H_
#define RINGWAY_SIM_DEMAND_THEORY_H_

#include <cstddef>
#include <vector>

namespace ringway::sim {

// Probability that an arrival finds all `servers` busy and is lost (M/G/c/c). O(servers).
double ErlangB(std::size_t servers, double offered_erlangs);

// Probability that an arrival must wait (M/M/c). 1 when offered >= servers.
double ErlangC(std::size_t servers, double offered_erlangs);

// Mean wait of M/M/c. Precondition: offered < servers.
double MeanWaitS(std::size_t servers, double offered_erlangs, double service_mean_s);

// The q-quantile of the wait of M/M/c, 0 where fewer than 1 - q wait at all. Precondition: offered < servers.
double WaitQuantileS(std::size_t servers, double offered_erlangs, double service_mean_s, double q);

// Waits of jobs served by one queue with c servers in order of arrival (Kiefer and Wolfowitz, 1955). O(log c)
// a job.
class CentralQueue {
 public:
  explicit CentralQueue(std::size_t servers) : free_at_s_(servers, 0) {}
  // Arrivals must not go back in time. Returns the wait in seconds.
  double Arrive(double at_s, double service_s);
  // What a job would wait that arrived now.
  double WaitAt(double at_s) const { return free_at_s_.front() > at_s ? free_at_s_.front() - at_s : 0; }

 private:
  std::vector<double> free_at_s_;  // min-heap
};

// c servers and no place to wait: who finds all of them busy is lost. O(log c) a job.
class LossGroup {
 public:
  explicit LossGroup(std::size_t servers) : free_at_s_(servers, 0) {}
  // Arrivals must not go back in time. False: lost.
  bool Arrive(double at_s, double service_s);

 private:
  std::vector<double> free_at_s_;  // min-heap
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_DEMAND_THEORY_H_
