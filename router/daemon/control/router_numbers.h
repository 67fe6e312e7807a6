// The numbers by which a ledger's leader knows the routers that stand here, by their names.
//
// A router keeps its number over reconnects and restarts, for as long as there is room. When there is none,
// the name that has been gone longest makes room and its number is given to the new one; names of routers
// change with every restart of a pod, so they must not add up. A number is free when no stream bears it and
// no ledger counts on its router any more (`used`); who was gone longest is free first, so one look decides.
//
// Bound: `routers_max` names. Complexity: O(log n) for a known name, O(n) where somebody must make room. One
// owner thread.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_ROUTER_NUMBERS_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_ROUTER_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/ids.h"

namespace ringway::router {

class RouterNumbers {
 public:
  explicit RouterNumbers(std::size_t routers_max) : routers_max_(routers_max) {}

  // Of this name, old or new; invalid: all numbers are in use.
  RouterId NumberOf(const std::string& name, const std::function<bool(RouterId)>& used);
  // A stream of the router stands, or has ended.
  void Came(RouterId number) { ++names_[number].streams; }
  void Left(RouterId number);

 private:
  struct Named {
    std::string name;
    int streams = 0;
    std::uint64_t left = 0;  // rises from one departure to the next
  };
  const std::size_t routers_max_;
  IdVector<RouterId, Named> names_;
  std::map<std::string, RouterId> numbers_;
  std::uint64_t departures_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_ROUTER_NUMBERS_H_
