#include "controller/screen/held_table.h"

namespace ringway::controller {

ExpectedTable::ExpectedTable(const ControllerMachine& machine, Time now) : machine_(machine), now_(now) {
  for (const auto& table : machine.history().tables()) {
    if (now - table->planned_at >= kUnderWay) expected_ = table->version;
  }
}

TableVersion ExpectedTable::For(const std::string& name) const {
  if (!machine_.trial().Chosen(name) || expected_.version == 0) return expected_;
  return {expected_.epoch, expected_.version - 1};
}

bool ExpectedTable::HeldBy(const std::string& name, const RouterState& router) const {
  return router.active >= For(name);
}

Time ExpectedTable::LateSince(const std::string& name, const RouterState& router) const {
  if (HeldBy(name, router)) return now_;
  for (const auto& table : machine_.history().tables()) {
    if (table->version > router.active) return table->planned_at;
  }
  return now_;
}

}  // namespace ringway::controller
