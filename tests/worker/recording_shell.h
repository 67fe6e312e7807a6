// A shell of a worker's node that writes down what it is handed.
#ifndef RINGWAY_TESTS_WORKER_RECORDING_SHELL_H_
#define RINGWAY_TESTS_WORKER_RECORDING_SHELL_H_

#include <cstddef>
#include <variant>
#include <vector>

#include "worker/worker_node.h"

namespace ringway {

struct RecordingShell {
  std::vector<SlotAction> slot_actions;
  std::vector<WorkerAction> actions;

  template <class Action>
  void Perform(const Action& action) {
    actions.emplace_back(action);
  }
  template <class Event>
  void SlotStepped(const Event&, const std::vector<SlotAction>&) {}

  template <class Action>
  std::vector<Action> All() const {
    std::vector<Action> all;
    for (const WorkerAction& action : actions) {
      if (const auto* one = std::get_if<Action>(&action)) all.push_back(*one);
    }
    return all;
  }
  template <class Action>
  std::size_t Count() const {
    return All<Action>().size();
  }
};

}  // namespace ringway

#endif  // RINGWAY_TESTS_WORKER_RECORDING_SHELL_H_
