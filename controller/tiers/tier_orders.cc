#include "controller/tiers/tier_orders.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::controller {
namespace {

std::string Words(TierMode mode) {
  const std::string_view name = TierModeName(mode);
  return absl::StrCat("mode ", absl::string_view(name.data(), name.size()));
}

std::string Words(const std::optional<double>& threshold) {
  return threshold ? absl::StrCat("overload threshold ", *threshold) : "the topology's overload threshold";
}

std::string Words(double drained) {
  return drained > 0 ? absl::StrFormat("drained by %.4g %%", 100 * drained) : std::string("serves fully");
}

std::string Words(const std::optional<Row>& row) { return row ? "row pinned" : "row as planned"; }

// Calls `visit(region, timed, text of a value)` for every order; `Orders` may be const.
template <class Orders, class Visit>
void Each(Orders& orders, const Fleet& fleet, const Tier& tier, Visit visit) {
  const auto plain = [](const auto& value) { return Words(value); };
  visit(std::string(), orders.mode, plain);
  visit(std::string(), orders.threshold, plain);
  for (RegionId id(0); id != fleet.world.regions.end_id(); id = RegionId(id.index() + 1)) {
    visit(fleet.world.regions[id].name, orders.thresholds[id], plain);
    visit(fleet.world.regions[id].name, orders.drains[id], plain);
  }
  for (auto& [key, pin] : orders.pins) {
    const std::string& priority = tier.priorities[key.second];
    visit(fleet.world.regions[key.first].name, pin, [&](const std::optional<Row>& row) {
      return tier.priorities.size() == 1 ? Words(row) : absl::StrCat(Words(row), ", priority ", priority);
    });
  }
}

template <class T, class Text>
PendingOrder InWords(const std::string& region, const Timed<T>& timed, Text text) {
  return {region, text(timed.over->first), text(timed.lasting), timed.over->second};
}

}  // namespace

std::string_view TierModeName(TierMode mode) {
  switch (mode) {
    case TierMode::kActive:
      return "active";
    case TierMode::kObserve:
      return "observe";
    case TierMode::kFrozen:
      return "frozen";
  }
  return "unknown";
}

std::optional<TierMode> ParseTierMode(std::string_view name) {
  for (const TierMode mode : {TierMode::kActive, TierMode::kObserve, TierMode::kFrozen}) {
    if (TierModeName(mode) == name) return mode;
  }
  return std::nullopt;
}

std::vector<PendingOrder> TierOrders::Pending(const Fleet& fleet, const Tier& tier) const {
  std::vector<PendingOrder> pending;
  Each(*this, fleet, tier, [&](const std::string& region, const auto& timed, const auto& text) {
    if (timed.over) pending.push_back(InWords(region, timed, text));
  });
  return pending;
}

std::vector<PendingOrder> TierOrders::Expire(Time now, const Fleet& fleet, const Tier& tier) {
  std::vector<PendingOrder> ended;
  Each(*this, fleet, tier, [&](const std::string& region, auto& timed, const auto& text) {
    if (!timed.over) return;
    PendingOrder order = InWords(region, timed, text);
    if (timed.Expire(now)) ended.push_back(std::move(order));
  });
  std::erase_if(pins, [](const auto& pin) { return !pin.second.lasting && !pin.second.over; });
  return ended;
}

}  // namespace ringway::controller
