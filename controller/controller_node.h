// A controller as a whole: its machine, and the sessions of the routers' streams.
//
// The machine decides what the fleet is told (machine.h); the node decides who is listened to and who is
// told:
//   * A stream's first message is a Hello, and there is one only; whatever else comes ends the stream.
//   * A stream that does not introduce itself within kIntroductionMax, or says nothing for kSilentPeriodsMax
//     report periods, is ended, once. It is looked for at the end of each epoch.
//   * From the end of its session a stream is neither heard nor told; the machine hears of it when it closes.
//   * Maps and tables for all go to the streams that have introduced themselves, of a canary to its audience.
//   * What must be on disk is persisted before the next action, the rest once an epoch.
//   * What operators had routers do is recorded once, whoever tells it, and acknowledged each time.
// The daemon and the simulator run this same class, so what goes wrong between a router's end of a stream and
// the controller's goes wrong in a seed of the simulator, too.
//
// The shell performs each action as it is handed it, in order, and must not step the node while it does. It
// sees each step of the machine: what it is told before, for the journal, and what came of it before any of
// that is performed. Bounds: one session a stream that the shell opens, kOrdersKnown orders. Complexity: the
// machine's, O(log streams) a message, O(streams) once an epoch and for what all are told. One owner thread.
#ifndef RINGWAY_CONTROLLER_CONTROLLER_NODE_H_
#define RINGWAY_CONTROLLER_CONTROLLER_NODE_H_

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "controller/events.h"
#include "controller/fleet/fleet_view.h"
#include "controller/machine.h"
#include "controller/node_event.h"
#include "core/time.h"

namespace ringway::controller {

inline constexpr Duration kIntroductionMax = Seconds(10);
// In report periods, but never less than kSilenceMin: then the other side is gone without a word.
inline constexpr int kSilentPeriodsMax = 30;
inline constexpr Duration kSilenceMin = Seconds(30);

class ControllerShell {
 public:
  virtual ~ControllerShell() = default;
  virtual void MachineSteps(Time now, const ControllerEvent& event, const ControllerMachine& machine) = 0;
  virtual void MachineStepped(Time now, const ControllerEvent& event,
                              const std::vector<ControllerAction>& actions) = 0;
  virtual void Perform(const NodeAction& action) = 0;
};

class ControllerNode {
 public:
  static constexpr std::size_t kOrdersKnown = 1000;

  // `recorded`: the orders in the audit log of earlier lives, the newest last.
  explicit ControllerNode(ControllerMachine machine, std::deque<std::string> recorded = {});

  // The table that the machine took over, if there is one. Once, before the first Step.
  void Begin(ControllerShell& shell) const;
  void Step(Time now, const ControllerEvent& event, ControllerShell& shell);
  void Step(Time now, const StreamEvent& event, ControllerShell& shell);
  Time NextWake() const { return machine_.NextWake(); }
  // What was last to be persisted is not on disk: it is tried again.
  void SaveFailed() { unsaved_ = true; }

  const ControllerMachine& machine() const { return machine_; }
  std::size_t streams() const { return sessions_.size(); }

 private:
  struct Session {
    Time heard_at;
    bool introduced = false;
    bool ended = false;  // by us; the shell has not said yet that it is closed
    std::string router = {};
    bool told() const { return introduced && !ended; }
  };
  // One call of Step.
  struct Turn {
    Time now;
    ControllerShell& shell;
  };

  // ---- streams ----
  void On(Turn turn, const StreamOpened& event) { sessions_[event.stream] = {.heard_at = turn.now}; }
  void On(Turn turn, const StreamClosed& event);
  void On(Turn turn, const MessageRefused& event);
  void On(Turn turn, const OrdersTold& event);
  void On(Turn turn, const GoDown& event);
  // Null: nobody listens to the stream any more.
  Session* Hear(Time now, StreamId stream);
  // As Hear, of what a Hello must come before: ends the stream where it has not.
  Session* HearIntroduced(Turn turn, StreamId stream);
  bool Introduce(Turn turn, const RouterConnected& event);
  void Refuse(Turn turn, StreamId stream, Session& session, const std::string& why);
  static void End(Turn turn, StreamId stream, Session& session, StreamEnd end, const std::string& reason);
  void EndSilent(Turn turn);
  bool Knows(const std::string& order) const;
  bool Told(StreamId stream) const;

  // ---- the machine ----
  void StepMachine(Turn turn, const ControllerEvent& event);
  void Do(Turn turn, const SendMap& action);
  void Do(Turn turn, const SendTable& action);
  void Do(Turn turn, const CloseStream& action);
  void Do(Turn turn, const SaveState& action);
  void Do(Turn turn, const EpochEnded& action);
  template <class Action>
  void Do(Turn turn, const Action& action) {
    if constexpr (requires { action.stream; }) {
      if (!Told(action.stream)) return;
    }
    turn.shell.Perform(action);
  }

  ControllerMachine machine_;
  std::map<StreamId, Session> sessions_;
  std::deque<std::string> recorded_;
  bool unsaved_ = false;
  std::vector<ControllerAction> actions_;  // reused
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_CONTROLLER_NODE_H_
