// The tables that were in force, newest last, so that an operator can return to one.
//
// Noise alone makes a table a second, and whoever looks for the one before an incident looks for it minutes
// or hours later. So the newest `newest` are kept whole, older ones thinly: the last of each minute for an
// hour, the last of each hour for a day. A table that was last in its minute when the next came stays so,
// hence what is kept does not depend on when it is asked.
//
// Bound: newest + 60 + 24 tables. Tables speak in ids of one fleet: for a new topology they are put in its
// ids. Threads: one owner; the tables themselves are immutable and shared with whoever still sends them. Add
// and Find are linear in the number kept.
#ifndef RINGWAY_CONTROLLER_TIERS_TABLE_HISTORY_H_
#define RINGWAY_CONTROLLER_TIERS_TABLE_HISTORY_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "core/table.h"
#include "core/time.h"

namespace ringway::controller {

class TableHistory {
 public:
  explicit TableHistory(std::size_t newest) : newest_(newest) {}
  void Add(std::shared_ptr<const RoutingTable> table) {
    tables_.push_back(std::move(table));
    Thin();
  }
  // Null: not kept.
  std::shared_ptr<const RoutingTable> Find(TableVersion version) const {
    for (const auto& table : tables_) {
      if (table->version == version) return table;
    }
    return nullptr;
  }
  const std::deque<std::shared_ptr<const RoutingTable>>& tables() const { return tables_; }
  // Each table becomes what `change` makes of it.
  template <class Change>
  void Remap(Change change) {
    for (auto& table : tables_) table = std::make_shared<const RoutingTable>(change(*table));
  }

 private:
  void Thin() {
    const Time now = tables_.back()->planned_at;
    const auto last_of = [&](std::size_t i, Duration span) {
      const auto number = [span](Time at) { return Floor(at - UnixEpoch(), span); };
      return number(tables_[i]->planned_at) != number(tables_[i + 1]->planned_at);
    };
    std::deque<std::shared_ptr<const RoutingTable>> kept;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const Duration age = now - tables_[i]->planned_at;
      const bool stays = i + newest_ >= tables_.size() || (age <= Hours(1) && last_of(i, Minutes(1))) ||
                         (age <= Hours(24) && last_of(i, Hours(1)));
      if (stays) kept.push_back(tables_[i]);
    }
    tables_ = std::move(kept);
  }

  std::size_t newest_;
  std::deque<std::shared_ptr<const RoutingTable>> tables_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_TABLE_HISTORY_H_
