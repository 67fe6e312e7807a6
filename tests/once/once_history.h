// Random histories of keyed jobs over several routers, and what must hold in every one of them.
//
// Routers are desks joined by a network that delays every message, loses requests and replies, and performs
// some asks twice. Clients ask with few keys, leave, and come again at other routers; jobs run for a while
// and end well or badly; routers die without a word and start again empty, one at a time. The controller
// names other routers as those that keep keys, without regard to who lives; that reaches each router when it
// does, or never, or again when it is out of date, and for seconds a part of them may be cut off from the
// rest. The history itself
// checks: one completion for a key, one job of a key running at a time, an end for each request whose router
// lives.
#ifndef RINGWAY_TESTS_ONCE_ONCE_HISTORY_H_
#define RINGWAY_TESTS_ONCE_ONCE_HISTORY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/rng.h"
#include "router/once/once_machine.h"

namespace ringway::router::once {

struct HistorySettings {
  std::size_t routers = 5;
  std::size_t keys = 4;            // that are asked for at a time
  Duration turn = Seconds(1000);   // after which others are
  double loss = 0.05;       // of asks, and of replies
  double repeat = 0.05;     // of asks
  double late = 0.02;       // messages that take up to seconds, if their call allows it
  double death_rate = 0.3;  // per second, of one router
  double view_rate = 0;     // changes of view, per second
  double cut_rate = 0;      // per second, for up to three
  Duration job_mean = Milliseconds(200);
  Duration deadline = Seconds(2);
  bool settle_first = true;  // false: completions are delivered before they are on record
};

struct HistoryCounts {
  std::size_t requests = 0;
  std::size_t runs = 0;
  std::size_t delivered = 0;
  std::size_t answered = 0;  // from the record
  std::size_t refused = 0;
  std::size_t lost_with_router = 0;
  std::size_t deaths = 0;
  std::size_t views = 0;
};

class History {
 public:
  History(std::uint64_t seed, const HistorySettings& settings);
  // Empty: all is well; else what was broken.
  std::string Run(Duration span);
  const HistoryCounts& counts() const { return counts_; }

 private:
  struct Entered {
    std::size_t key = 0;
    Time deadline;
    bool running = false;
    bool settling = false;
    std::string run;  // what its completion would say
    dispatch::AttemptId attempt = 0;
  };
  struct Router {
    std::unique_ptr<OnceMachine> machine;  // null: dead
    std::uint64_t life = 0;
    std::map<JobId, Entered> requests;
    std::size_t next_job = 0;
    CallId last_call = 0;
    std::map<CallId, std::function<void(const Reply&)>> calls;
  };

  void At(Time when, std::function<void()> what);
  Duration Delay();
  void StartRouter(std::size_t r);
  void ChangeView(std::vector<std::string> names);
  std::vector<std::string> SomeNames();
  void GiveView(std::size_t r, std::size_t number);
  void CutOff();
  void KillRouter(std::size_t r);
  void Perform(std::size_t r);
  void Do(std::size_t r, const SendRequest& send);
  void Do(std::size_t r, const AnswerCall& answer);
  void Do(std::size_t r, const Granted& granted);
  void Do(std::size_t, const Attached&) {}
  void Do(std::size_t r, const Answered& answered);
  void Do(std::size_t r, const Refused& refused);
  void Do(std::size_t r, const Settled& settled);
  void Do(std::size_t r, const Unsettled& unsettled);
  void DeliverAsk(std::size_t from, std::uint64_t life, std::size_t to, const Request& request,
                  bool want_reply, bool lose_reply);
  void ReplyTo(std::size_t from, std::uint64_t life, std::size_t to, const Request& request,
               const Reply* reply);
  void ClientAsks();
  void ClientLeaves(std::size_t r);
  void FinishJob(std::size_t r, std::uint64_t life, JobId job);
  void Expire(std::size_t r, std::uint64_t life, JobId job);
  void StopRunning(std::size_t key, const std::string& run);
  void Deliver(std::size_t key, const std::string& run);
  void ScheduleWake(std::size_t r);
  // Routers that live and have read all that they keep in the newest view.
  std::size_t Live() const;
  static std::string Name(std::size_t r) { return "router-" + std::to_string(r); }
  std::string KeyName(std::size_t key) const { return "key-" + std::to_string(key); }

  Rng rng_;
  HistorySettings settings_;
  const Time start_ = FromUnixSeconds(1000);
  Time now_ = start_;
  bool calm_ = false;  // no more losses and deaths
  std::multimap<Time, std::function<void()>> due_;
  std::vector<Router> routers_;
  std::vector<ViewPtr> views_;                              // as the controller made them
  std::vector<bool> cut_;                                   // by router: on the one side, or the other
  std::map<std::size_t, std::set<std::string>> running_;    // by key
  std::map<std::size_t, std::set<std::string>> delivered_;  // by key
  std::size_t runs_ = 0;
  dispatch::AttemptId last_attempt_ = 0;
  HistoryCounts counts_;
  std::string broken_;
};

}  // namespace ringway::router::once

#endif  // RINGWAY_TESTS_ONCE_ONCE_HISTORY_H_
