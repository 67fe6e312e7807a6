#include "router/daemon/operations/order_records.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "proto/operations_codec.h"

namespace ringway::router {

OrderRecords::OrderRecords(std::string router, std::uint64_t incarnation, bool controlled,
                           const runtime::Logger& log)
    : router_(std::move(router)), incarnation_(incarnation), controlled_(controlled), log_(log) {}

void OrderRecords::Add(const v1::Operator& by, Part part, std::string action, Time at) {
  if (!controlled_) return;
  if (orders_.size() == kKept) {
    const v1::OrderDone& lost = orders_.front();
    log_.Warning(absl::StrCat("no controller has recorded an order of ",
                              HeaderText::Escaped(lost.who()).text(),
                              ", and it is told no longer: ", lost.action()));
    orders_.pop_front();
  }
  v1::OrderDone& order = orders_.emplace_back();
  order.set_number(++last_);
  order.set_at_unix_us(ToUnixMicros(at));
  order.set_who(by.who().empty() ? "somebody" : by.who());
  order.set_why(by.why());
  order.set_action(std::move(action));
  if (by.order().empty()) {
    order.set_id(absl::StrCat(router_, "/", incarnation_, ".", order.number()));
  } else {
    order.set_id(part == Part::kOwn ? absl::StrCat(by.order(), "/", router_) : by.order());
  }
}

void OrderRecords::Report(v1::Report& report) const {
  if (!told_) return;
  for (const v1::OrderDone& order : orders_) {
    if (report.orders_size() == wire::kOrdersInReport) return;
    *report.add_orders() = order;
  }
}

void OrderRecords::Recorded(std::uint64_t number) {
  while (!orders_.empty() && orders_.front().number() <= number) orders_.pop_front();
}

}  // namespace ringway::router
