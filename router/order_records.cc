#include "router/order_records.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::router {

OrderRecords::OrderRecords(std::string router, std::uint64_t incarnation, bool controlled)
    : router_(std::move(router)), incarnation_(incarnation), controlled_(controlled) {}

std::optional<OrderDone> OrderRecords::Add(OrderGiven given, Time at) {
  if (!controlled_) return std::nullopt;
  std::optional<OrderDone> lost;
  if (orders_.size() == kKept) {
    lost = std::move(orders_.front());
    orders_.pop_front();
  }
  OrderDone& order = orders_.emplace_back();
  order.number = ++last_;
  order.at = at;
  order.who = given.who.empty() ? "somebody" : std::move(given.who);
  order.why = std::move(given.why);
  order.action = std::move(given.action);
  if (given.name.empty()) {
    order.id = absl::StrCat(router_, "/", incarnation_, ".", order.number);
  } else {
    order.id = given.part == OrderGiven::Part::kOwn ? absl::StrCat(given.name, "/", router_) : given.name;
  }
  return lost;
}

std::vector<OrderDone> OrderRecords::Told() const {
  if (!told_) return {};
  const std::size_t told = std::min(orders_.size(), kTold);
  return {orders_.begin(), orders_.begin() + static_cast<std::ptrdiff_t>(told)};
}

void OrderRecords::Recorded(std::uint64_t number) {
  while (!orders_.empty() && orders_.front().number <= number) orders_.pop_front();
}

}  // namespace ringway::router
