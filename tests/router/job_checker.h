// Watches the events and actions of a router's machine and says what it broke; knows nothing of how it works.
//
// What must hold for any sequence: each job ends once, in time; nobody is asked twice at once; a job that may
// have started is not started again without a key, and at most once with one; a forwarded job is not sent on,
// and when it is withdrawn it ends with its attempt;
// offers stay within attempts_max and the retry budget, but for workers that fell free; the line stays within
// its bound; the clock it asks for is ahead.
#ifndef RINGWAY_TESTS_ROUTER_JOB_CHECKER_H_
#define RINGWAY_TESTS_ROUTER_JOB_CHECKER_H_

#include <map>
#include <string>
#include <vector>

#include "router/router_machine.h"

namespace ringway::router {

// An offer or forward whose end has not been delivered.
struct OpenAttempt {
  JobId job;
  WorkerId worker;
  RouterId router;
  bool accepted = false;
  bool withdrawn = false;
};

class JobChecker {
 public:
  JobChecker(const RouterMachine& machine, const Tier& tier, Time start)
      : machine_(machine), tier_(tier), start_(start) {}

  // Before the machine's Step.
  void Before(const RouterEvent& event);
  // After it. Empty: all is well; else what is not.
  std::string After(Time now, const std::vector<RouterAction>& actions);

  const std::map<AttemptId, OpenAttempt>& open() const { return open_; }
  bool live(JobId job) const { return live_.contains(job.value()); }
  bool forwarded(JobId job) const { return live_.at(job.value()).facts.forwarded; }
  std::size_t live_jobs() const { return live_.size(); }
  std::size_t arrived() const { return arrived_; }
  std::size_t offers() const { return offers_; }
  std::size_t restarts() const { return restarts_; }

 private:
  struct Live {
    JobFacts facts;
    int offers = 0;
    bool may_have_started = false;
    int restarts = 0;
    AttemptId attempt = 0;
    bool withdrawn = false;  // by the router that forwarded it
    bool gone = false;       // and that has left, too
  };
  std::string Ask(Time now, JobId job, AttemptId attempt, const OpenAttempt& asked);
  std::string OnEnd(Time now, const EndJob& end);

  const RouterMachine& machine_;
  const Tier tier_;
  const Time start_;
  std::map<std::uint32_t, Live> live_;
  std::map<AttemptId, OpenAttempt> open_;
  std::size_t arrived_ = 0;
  std::size_t freed_ = 0;  // times that a worker may have asked for a job
  std::size_t offers_ = 0;
  std::size_t restarts_ = 0;
  std::size_t returned_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_TESTS_ROUTER_JOB_CHECKER_H_
