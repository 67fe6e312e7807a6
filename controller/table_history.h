// The last tables that were in force, newest last, so that an operator can return to one.
//
// Bound: the newest `max` tables. Tables speak in ids of one fleet: a new topology clears the history.
// Threads: one owner; the tables themselves are immutable and shared with whoever still sends them. Find is
// linear in the number kept.
#ifndef RINGWAY_CONTROLLER_TABLE_HISTORY_H_
#define RINGWAY_CONTROLLER_TABLE_HISTORY_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "core/table.h"

namespace ringway::controller {

class TableHistory {
 public:
  explicit TableHistory(std::size_t max) : max_(max) {}
  void Add(std::shared_ptr<const RoutingTable> table) {
    tables_.push_back(std::move(table));
    if (tables_.size() > max_) tables_.pop_front();
  }
  // Null: not kept.
  std::shared_ptr<const RoutingTable> Find(TableVersion version) const {
    for (const auto& table : tables_) {
      if (table->version == version) return table;
    }
    return nullptr;
  }
  const std::deque<std::shared_ptr<const RoutingTable>>& tables() const { return tables_; }
  void Clear() { tables_.clear(); }

 private:
  std::size_t max_;
  std::deque<std::shared_ptr<const RoutingTable>> tables_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TABLE_HISTORY_H_
