#include "router/dispatch/ledger/request_table.h"

#include "core/check.h"

namespace ringway::ledger {

RequestEntry& RequestTable::At(const RequestKey& key) {
  RINGWAY_CHECK(InRange(key));
  if (!routers_.contains(key.router)) routers_.resize(key.router.index() + 1);
  std::vector<RequestEntry>& entries = routers_[key.router];
  if (key.slot >= entries.size()) entries.resize(key.slot + 1);
  return entries[key.slot];
}

Ticket RequestTable::AddTicket(const WaitingRequest& acquire) {
  if (free_tickets_.empty()) {
    tickets_.push_back(acquire);
    return static_cast<Ticket>(tickets_.size() - 1);
  }
  const Ticket ticket = free_tickets_.back();
  free_tickets_.pop_back();
  tickets_[ticket] = acquire;
  return ticket;
}

const std::vector<RequestEntry>& RequestTable::Of(RouterId router) const {
  static const std::vector<RequestEntry> kNone;
  return routers_.contains(router) ? routers_[router] : kNone;
}

}  // namespace ringway::ledger
