#include "worker/journal/replay.h"

#include <deque>
#include <optional>
#include <string_view>
#include <variant>

#include "worker/journal/checkpoint.h"
#include "worker/journal/fields.h"
#include "worker/journal/recorder.h"

namespace ringway::worker {
namespace {

// A worker's node, for a replay (journal/replay.h).
class Subject {
 public:
  using Machine = WorkerNode;
  using Event = WorkerEvent;
  using Action = WorkerAction;
  static constexpr journal::Title kTitle = kJournalTitle;
  static constexpr bool kKeepsWords = false;  // leases are others each time

  bool Take(journal::Reader& reader) {
    settings_ = {};
    reader.Take(settings_);
    return reader.ok();
  }
  Time started() const { return settings_.slot.started; }
  void Make(std::optional<WorkerNode>& node) const { node.emplace(settings_); }

  static void Step(WorkerNode& node, Time now, const WorkerEvent& event, std::vector<WorkerAction>& actions) {
    Shell shell{actions, {}};
    std::visit([&](const auto& e) { node.Step(now, e, shell); }, event);
  }
  static std::string Save(const WorkerNode& node, const journal::Shapes* shapes) {
    return worker::Save(node, shapes);
  }
  static bool Load(std::string_view bytes, std::deque<std::string>&, WorkerNode& node,
                   const journal::Shapes* shapes) {
    return worker::Load(bytes, node, shapes);
  }

 private:
  struct Shell {
    std::vector<WorkerAction>& actions;
    std::vector<SlotAction> slot_actions;
    template <class Action>
    void Perform(const Action& action) {
      actions.emplace_back(action);
    }
    template <class Event>
    void SlotStepped(const Event&, const std::vector<SlotAction>&) {}
  };

  WorkerSettings settings_;
};

}  // namespace

absl::StatusOr<journal::ReplayReport> Replay(const std::string& directory, const ReplayObserver& observe) {
  return journal::Replay<Subject>(directory, observe);
}

}  // namespace ringway::worker
