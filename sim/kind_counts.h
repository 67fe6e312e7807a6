// How often each kind of event and action has occurred in the machines of a simulation: what a suite of seeds
// exercises, and what it never reaches.
//
// A kind is an alternative of a machine's variant, or a value of an enumeration. Counting is an increment;
// the numbers mean nothing to the run. Threads: one owner.
#ifndef RINGWAY_SIM_KIND_COUNTS_H_
#define RINGWAY_SIM_KIND_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "controller/events.h"
#include "controller/node_event.h"
#include "router/once/messages.h"
#include "router/router_action.h"
#include "router/router_event.h"
#include "router/session/ledger_session.h"
#include "router/worker_registry.h"
#include "worker/slot.h"
#include "worker/worker_node.h"

namespace ringway::sim {

// The name of a type without its namespaces, as the compiler spells it.
template <class T>
std::string_view KindName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.find_last_of(": ") + 1);
}

template <class Variant>
class VariantCounts {
 public:
  // Of the variant, or of one of its alternatives, or of what is one when it is kept.
  template <class T>
  void Count(const T& value) {
    if constexpr (std::is_same_v<T, Variant>) {
      ++counts_[value.index()];
    } else if constexpr (requires { typename T::Kept; }) {
      ++counts_[IndexOf<typename T::Kept>(std::make_index_sequence<kSize>())];
    } else {
      ++counts_[IndexOf<T>(std::make_index_sequence<kSize>())];
    }
  }
  void Add(const VariantCounts& other) {
    for (std::size_t i = 0; i < kSize; ++i) counts_[i] += other.counts_[i];
  }
  // The names of those that have never occurred.
  std::vector<std::string> Never() const { return Never(std::make_index_sequence<kSize>()); }

 private:
  static constexpr std::size_t kSize = std::variant_size_v<Variant>;
  template <class T, std::size_t... I>
  static constexpr std::size_t IndexOf(std::index_sequence<I...>) {
    static_assert((std::is_same_v<T, std::variant_alternative_t<I, Variant>> || ...));
    return ((std::is_same_v<T, std::variant_alternative_t<I, Variant>> ? I : 0) + ...);
  }
  template <std::size_t... I>
  std::vector<std::string> Never(std::index_sequence<I...>) const {
    std::vector<std::string> never;
    const auto note = [&](std::uint64_t count, std::string_view name) {
      if (count == 0) never.emplace_back(name);
    };
    (note(counts_[I], KindName<std::variant_alternative_t<I, Variant>>()), ...);
    return never;
  }

  std::array<std::uint64_t, kSize> counts_{};
};

struct KindCounts {
  static constexpr std::size_t kVerdicts = static_cast<std::size_t>(router::once::Verdict::kOldView) + 1;

  static constexpr std::size_t kStreamEnds = static_cast<std::size_t>(controller::StreamEnd::kGoingDown) + 1;

  VariantCounts<router::RouterEvent> router_events;
  VariantCounts<router::RouterAction> router_actions;
  VariantCounts<router::SessionEvent> session_events;
  VariantCounts<router::SessionAction> session_actions;
  VariantCounts<ledger::LedgerAction> ledger_answers;  // to routers, their own machine and workers
  VariantCounts<router::RegistryEvent> registry_events;
  VariantCounts<router::RegistryAction> registry_actions;
  VariantCounts<WorkerEvent> worker_events;
  VariantCounts<WorkerAction> worker_actions;
  VariantCounts<SlotEvent> slot_events;
  VariantCounts<SlotAction> slot_actions;
  VariantCounts<controller::ControllerEvent> controller_events;
  VariantCounts<controller::ControllerAction> controller_actions;
  VariantCounts<controller::StreamEvent> stream_events;  // of the controller's node
  VariantCounts<controller::NodeAction> controller_node_actions;
  std::array<std::uint64_t, kStreamEnds> stream_ends{};  // by controller::StreamEnd
  VariantCounts<decltype(router::once::Request::what)> once_requests;
  std::array<std::uint64_t, kVerdicts> once_verdicts{};

  void Add(const KindCounts& other) {
    router_events.Add(other.router_events);
    router_actions.Add(other.router_actions);
    session_events.Add(other.session_events);
    session_actions.Add(other.session_actions);
    ledger_answers.Add(other.ledger_answers);
    registry_events.Add(other.registry_events);
    registry_actions.Add(other.registry_actions);
    worker_events.Add(other.worker_events);
    worker_actions.Add(other.worker_actions);
    slot_events.Add(other.slot_events);
    slot_actions.Add(other.slot_actions);
    controller_events.Add(other.controller_events);
    controller_actions.Add(other.controller_actions);
    stream_events.Add(other.stream_events);
    controller_node_actions.Add(other.controller_node_actions);
    for (std::size_t i = 0; i < kStreamEnds; ++i) stream_ends[i] += other.stream_ends[i];
    once_requests.Add(other.once_requests);
    for (std::size_t i = 0; i < kVerdicts; ++i) once_verdicts[i] += other.once_verdicts[i];
  }
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_KIND_COUNTS_H_
