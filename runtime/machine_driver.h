// Couples a pure state machine to an event loop: events in, Step, actions out, alarm at NextWake.
//
// The machine stays ignorant of threads and clocks; the driver is the only place that reads the clock for it.
// A machine is any class with `void Step(Time now, const Event&, std::vector<Action>&)` and `Time
// NextWake() const`. Actions are performed after Step returned, in order, on the loop's thread; a perform
// function that causes a new event must Send it (it runs later), never Step recursively.
//
// Threads: Send from any; the rest on the loop. The action buffer is reused, so a Step in steady state
// allocates nothing here.
#ifndef RINGWAY_RUNTIME_MACHINE_DRIVER_H_
#define RINGWAY_RUNTIME_MACHINE_DRIVER_H_

#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "runtime/clock.h"
#include "runtime/event_loop.h"

namespace ringway::runtime {

template <class Machine, class Event, class Action>
class MachineDriver {
 public:
  // `wake` is the event to Step with when only time has passed.
  MachineDriver(EventLoop& loop, Machine machine, Event wake, absl::AnyInvocable<void(Action&)> perform)
      : loop_(loop),
        machine_(std::move(machine)),
        wake_(std::move(wake)),
        perform_(std::move(perform)),
        alarm_(loop, [this] { Apply(wake_); }) {}

  // False when the loop's inbox is full: the event is lost and the caller must say so to its peer.
  [[nodiscard]] bool Send(Event event) {
    return loop_.Post([this, event = std::move(event)]() mutable { Apply(event); });
  }

  // Sees every Step: its time, its event, and what came of it, before that is performed.
  using Observer = absl::AnyInvocable<void(Time, const Event&, const std::vector<Action>&)>;
  void Observe(Observer observe) { observe_ = std::move(observe); }

  // On the loop's thread only.
  void Apply(const Event& event) {
    actions_.clear();
    const Time now = MonotonicNow();
    machine_.Step(now, event, actions_);
    if (observe_) observe_(now, event, actions_);
    for (Action& action : actions_) perform_(action);
    alarm_.Arm(machine_.NextWake());
  }
  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }

 private:
  EventLoop& loop_;
  Machine machine_;
  const Event wake_;
  absl::AnyInvocable<void(Action&)> perform_;
  std::vector<Action> actions_;
  Observer observe_;
  Alarm alarm_;
};

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_MACHINE_DRIVER_H_
