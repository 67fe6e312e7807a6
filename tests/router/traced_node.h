// A router's node whose shell writes down who was told what, and what was to be done, in order; and which
// fails the test when a part is stepped while what it wants is still being done.
//
// Tier 0 is in ledger mode, tier 1 in probe mode, unless a test says otherwise.
#ifndef RINGWAY_TESTS_ROUTER_TRACED_NODE_H_
#define RINGWAY_TESTS_ROUTER_TRACED_NODE_H_

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "router/router_node.h"
#include "sim/kind_counts.h"
#include "tests/router/router_fixture.h"

namespace ringway::router {

inline constexpr std::uint64_t kNodeLife = 70;
inline const TierId kProbeTier(1);
// In the numbers of the machine.
inline const RouterId kSelfAsKnown(5), kPeerAsKnown(6);

inline Fleet NodeFleet() {
  Fleet fleet = SmallFleet();
  fleet.tiers[kTier].dispatch.mode = DispatchMode::kLedger;
  return fleet;
}

inline NodeSettings SettingsOfNode() {
  return {.router = {.home = kHome, .name = "here", .jobs_max = 64},
          .watch_max = 0,
          .self = RouterId(0),
          .incarnation = kNodeLife};
}

// The name of an event or action, of the alternative where it is a variant.
template <class T>
std::string NameOfKind(const T& value) {
  if constexpr (requires { value.valueless_by_exception(); }) {
    return std::visit([](const auto& v) { return NameOfKind(v); }, value);
  } else {
    return std::string(sim::KindName<T>());
  }
}

class TracedNode {
 public:
  explicit TracedNode(const NodeSettings& settings = SettingsOfNode(), const Fleet& fleet = NodeFleet())
      : node(settings, std::make_shared<const Fleet>(fleet)) {}

  template <class Event>
  void Step(const Event& event) {
    trace.clear();
    Shell shell{*this};
    node.Step(now, event, shell);
    EXPECT_FALSE(node.stepping());
    EXPECT_EQ(news_, 0) << "what a session wanted told was not told";
  }
  template <class Event>
  void StepTier(TierId tier, const Event& event) {
    trace.clear();
    Shell shell{*this};
    node.StepTier(now, tier, event, shell);
    EXPECT_EQ(news_, 0) << "what a session wanted told was not told";
  }

  Time now = UnixEpoch() + Seconds(1000);
  RouterNode node;
  std::vector<std::string> trace;  // of the last step
  std::function<void(RouterAction&)> on_action = [](RouterAction&) {};
  // As the sessions and the registry were told.
  std::map<TierId, std::map<WorkerId, bool>> listed;
  std::map<TierId, bool> leads;
  // What the node itself wanted last.
  std::optional<DirectoryDecided> decided;
  std::optional<EpochForgotten> forgotten;

 private:
  struct Shell {
    TracedNode& of;
    template <class Event>
    void MachineStepped(Time, const Event& event, const std::vector<RouterAction>& actions) {
      EXPECT_EQ(of.undone_, 0) << "the machine is told " << NameOfKind(event) << " within its own turn";
      for (const RouterAction& action : actions) {
        of.undone_ +=
            !std::holds_alternative<TellLedger>(action) && !std::holds_alternative<AimLedger>(action);
      }
      of.Hear(event);
      of.trace.push_back("machine " + NameOfKind(event));
    }
    template <class Event>
    void SessionStepped(TierId tier, const Event& event, const std::vector<SessionAction>& actions) {
      EXPECT_EQ(of.unsaid_[tier], 0) << "session is told " << NameOfKind(event) << " within its own turn";
      for (const SessionAction& action : actions) {
        (std::holds_alternative<TellMachine>(action) ? of.news_ : of.unsaid_[tier]) += 1;
      }
      of.Note(tier, event);
      of.trace.push_back("session " + std::to_string(tier.value()) + " " + NameOfKind(event));
    }
    template <class Event>
    void RegistryStepped(const Event& event, const std::vector<RegistryAction>&) {
      if constexpr (std::is_same_v<Event, LeadershipSeen>) of.leads[event.tier] = event.leads;
      of.trace.push_back("registry " + NameOfKind(event));
    }
    void Perform(RouterAction& action) {
      --of.undone_;
      EXPECT_TRUE(of.node.stepping());
      of.trace.push_back("do " + NameOfKind(action));
      of.on_action(action);
    }
    void Perform(TierId tier, SessionAction& action) {
      --of.unsaid_[tier];
      of.trace.push_back("do " + std::to_string(tier.value()) + " " + NameOfKind(action));
    }
    void Perform(const RegistryAction& action) { of.trace.push_back("do " + NameOfKind(action)); }
    void Perform(const NodeAction& action) {
      if (const auto* directory = std::get_if<DirectoryDecided>(&action)) of.decided = *directory;
      if (const auto* forgotten = std::get_if<EpochForgotten>(&action)) of.forgotten = *forgotten;
    }
  };

  template <class Event>
  void Hear(const Event&) {
    news_ -= std::is_same_v<Event, LeaderAnswered> || std::is_same_v<Event, LeaderHeard> ||
             std::is_same_v<Event, LeaderAppointed>;
  }
  template <class Event>
  void Note(TierId tier, const Event& event) {
    if constexpr (std::is_same_v<Event, ledger::WorkerListed>) {
      EXPECT_FALSE(listed[tier][event.worker]) << "listed twice";
      listed[tier][event.worker] = true;
    }
    if constexpr (std::is_same_v<Event, ledger::WorkerGone>) {
      EXPECT_TRUE(listed[tier][event.worker]) << "taken off twice";
      listed[tier][event.worker] = false;
    }
  }

  int undone_ = 0;                // of the machine's actions
  std::map<TierId, int> unsaid_;  // of the sessions'
  int news_ = 0;                  // for the machine
};

}  // namespace ringway::router

#endif  // RINGWAY_TESTS_ROUTER_TRACED_NODE_H_
