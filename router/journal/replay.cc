#include "router/journal/replay.h"

#include <memory>
#include <optional>

#include "core/fleet.h"
#include "router/journal/checkpoint.h"
#include "router/journal/fields.h"
#include "router/journal/recorder.h"
#include "router/router_machine.h"

namespace ringway::router {
namespace {

// A router's machine, for a replay (journal/replay.h).
class Subject {
 public:
  using Machine = RouterMachine;
  using Event = RouterEvent;
  using Action = RouterAction;
  static constexpr journal::Title kTitle = kJournalTitle;
  static constexpr bool kKeepsWords = true;

  bool Take(journal::Reader& reader) {
    auto fleet = std::make_shared<Fleet>();
    settings_ = {};
    reader.Take(settings_);
    reader.Take(*fleet);
    fleet_ = std::move(fleet);
    return reader.ok() && fleet_->world.regions.contains(settings_.home);
  }
  Time started() const { return settings_.started; }
  void Make(std::optional<RouterMachine>& machine) const { machine.emplace(settings_, fleet_); }

  static void Step(RouterMachine& machine, Time now, const RouterEvent& event,
                   std::vector<RouterAction>& actions) {
    machine.Step(now, event, actions);
  }
  static std::string Save(const RouterMachine& machine, const journal::Shapes* shapes) {
    return router::Save(machine, shapes);
  }
  static bool Load(std::string_view bytes, std::deque<std::string>& words, RouterMachine& machine,
                   const journal::Shapes* shapes) {
    return router::Load(bytes, words, machine, shapes);
  }

 private:
  RouterSettings settings_;
  std::shared_ptr<const Fleet> fleet_;
};

}  // namespace

absl::StatusOr<journal::ReplayReport> Replay(const std::string& directory, const ReplayObserver& observe) {
  return journal::Replay<Subject>(directory, observe);
}

}  // namespace ringway::router
