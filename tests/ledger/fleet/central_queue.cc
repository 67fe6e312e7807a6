#include "tests/ledger/fleet/central_queue.h"

#include <algorithm>
#include <vector>

#include "core/rng.h"
#include "router/dispatch/ledger/waiting_line.h"
#include "sim/kernel/event_queue.h"

namespace ringway::ledger::fleet {
namespace {

struct Waiting {
  Time arrived;
  double service_s = 0;
};

class CentralRun {
 public:
  CentralRun(const FleetSettings& settings, Duration expected)
      : settings_(settings),
        expected_(expected),
        arrivals_rng_(settings.seed, 1),
        service_rng_(settings.seed, 2),
        line_(settings.ledger.waiting_max),
        free_(settings.workers) {}

  Tally Run() {
    queue_.Push(0, kArrival);
    while (!queue_.empty()) {
      const sim::SimEvent event = queue_.Pop();
      if (event.kind() == kArrival) Arrive();
      if (event.kind() == kFinish) ++free_;
      Serve();
    }
    return tally_;
  }

 private:
  enum Kind : std::uint32_t { kArrival, kFinish };
  Time Now() const { return FromUnixNanos(queue_.now_ns()); }
  bool Counted(Time arrived) const { return arrived >= UnixEpoch() + settings_.warm_up; }

  void Arrive() {
    if (Now() >= UnixEpoch() + settings_.duration) return;
    const double per_s = settings_.rho * settings_.workers / sim::MeanServiceS(settings_.service);
    const double gap_s = arrivals_rng_.Exponential() / per_s;
    arrivals_rng_.Below(settings_.routers);  // a Fleet draws the router here
    queue_.Push(queue_.now_ns() + ToInt64Nanoseconds(Seconds(gap_s)), kArrival);
    if (Counted(Now())) ++tally_.arrived;
    const auto ticket = static_cast<Ticket>(jobs_.size());
    jobs_.push_back({Now(), sim::DrawServiceS(settings_.service, service_rng_)});
    line_.Add(ticket, {0, Now(), Now(), Now() + settings_.patience - expected_});
  }

  void Serve() {
    while (line_.TakeInfeasible(Now())) {
    }
    line_.Reconsider(Now());
    while (free_ > 0 && !line_.empty()) {
      const Ticket ticket = *line_.Next();
      line_.Remove(ticket, 0);
      --free_;
      const Waiting& job = jobs_[ticket];
      const double left_s = ToDoubleSeconds(job.arrived + settings_.patience - Now());
      const bool in_time = job.service_s <= left_s;
      const double held_s = std::min(job.service_s, left_s);
      queue_.Push(queue_.now_ns() + ToInt64Nanoseconds(Seconds(held_s)), kFinish);
      (in_time ? tally_.useful_s : tally_.wasted_s) += held_s;
      if (!in_time || !Counted(job.arrived)) continue;
      ++tally_.done;
      tally_.waits_s.push_back(ToDoubleSeconds(Now() - job.arrived));
    }
  }

  const FleetSettings& settings_;
  Duration expected_;
  Rng arrivals_rng_;
  Rng service_rng_;
  sim::EventQueue queue_;
  WaitingLine line_;
  int free_;
  std::vector<Waiting> jobs_;
  Tally tally_;
};

}  // namespace

Tally RunCentralQueue(const FleetSettings& settings, Duration expected) {
  return CentralRun(settings, expected).Run();
}

}  // namespace ringway::ledger::fleet
