// Which table a router should hold by now, and since when it holds an older one.
//
// A table that is younger than kUnderWay may still be on its way, so the one before it is expected. The
// routers of a canary have the table that was made just before that of the many.
//
// Pure; linear in the tables that are kept. Threads: the machine's owner.
#ifndef RINGWAY_CONTROLLER_SCREEN_HELD_TABLE_H_
#define RINGWAY_CONTROLLER_SCREEN_HELD_TABLE_H_

#include <string>

#include "controller/machine.h"
#include "core/time.h"

namespace ringway::controller {

class ExpectedTable {
 public:
  static constexpr Duration kUnderWay = Seconds(3);

  ExpectedTable(const ControllerMachine& machine, Time now);

  // Of a router that is connected.
  bool HeldBy(const std::string& name, const RouterState& router) const;
  // When the first table came into force that the router does not hold; `now` where it holds what it should.
  Time LateSince(const std::string& name, const RouterState& router) const;

 private:
  TableVersion For(const std::string& name) const;

  const ControllerMachine& machine_;
  Time now_;
  TableVersion expected_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_HELD_TABLE_H_
