#include "router/daemon/control/router_numbers.h"

#include "core/check.h"

namespace ringway::router {

RouterId RouterNumbers::NumberOf(const std::string& name, const std::function<bool(RouterId)>& used) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  RouterId number(names_.size());
  if (names_.size() < routers_max_) {
    names_.push_back({});
  } else {
    number = RouterId();
    for (RouterId id(0); id != names_.end_id(); id = RouterId(id.index() + 1)) {
      const bool gone = names_[id].streams == 0;
      if (gone && (!number.valid() || names_[id].left < names_[number].left)) number = id;
    }
    if (!number.valid() || used(number)) return RouterId();
    numbers_.erase(names_[number].name);
  }
  names_[number] = {.name = name};
  numbers_.emplace(name, number);
  return number;
}

void RouterNumbers::Left(RouterId number) {
  RINGWAY_CHECK(names_[number].streams > 0);
  if (--names_[number].streams == 0) names_[number].left = ++departures_;
}

}  // namespace ringway::router
