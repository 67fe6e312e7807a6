#include "router/dispatch/ledger/ask_table.h"

#include "core/check.h"

namespace ringway::ledger {

AskEntry& AskTable::At(const AskKey& key) {
  RINGWAY_CHECK(InRange(key));
  if (!routers_.contains(key.router)) routers_.resize(key.router.index() + 1);
  std::vector<AskEntry>& entries = routers_[key.router];
  if (key.slot >= entries.size()) entries.resize(key.slot + 1);
  return entries[key.slot];
}

Ticket AskTable::AddTicket(const WaitingAsk& ask) {
  if (free_tickets_.empty()) {
    tickets_.push_back(ask);
    return static_cast<Ticket>(tickets_.size() - 1);
  }
  const Ticket ticket = free_tickets_.back();
  free_tickets_.pop_back();
  tickets_[ticket] = ask;
  return ticket;
}

const std::vector<AskEntry>& AskTable::Of(RouterId router) const {
  static const std::vector<AskEntry> kNone;
  return routers_.contains(router) ? routers_[router] : kNone;
}

}  // namespace ringway::ledger
