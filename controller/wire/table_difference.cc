#include "controller/wire/table_difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/table.h"

namespace ringway::controller {
namespace {

using RowKey = std::pair<std::string, std::string>;  // source, priority
using RowsByName = std::map<RowKey, const v1::Row*>;

const v1::TierTable* FindTierTable(const v1::RoutingTable& table, std::string_view tier) {
  for (const v1::TierTable& one : table.tiers()) {
    if (one.tier() == tier) return &one;
  }
  return nullptr;
}

RowsByName RowsOf(const v1::RoutingTable& table, const v1::TierTable* tier) {
  RowsByName rows;
  if (tier == nullptr) return rows;
  for (const v1::Row& row : tier->rows()) {
    if (static_cast<int>(row.source()) >= table.regions_size()) continue;
    if (static_cast<int>(row.priority()) >= tier->priorities_size()) continue;
    rows[{table.regions(static_cast<int>(row.source())),
          tier->priorities(static_cast<int>(row.priority()))}] = &row;
  }
  return rows;
}

struct Part {
  double share = 0;
  v1::RouteReason reason = v1::ROUTE_REASON_HOME;
};

// By target; the empty name stands for what is refused.
std::map<std::string, Part> PartsOf(const v1::RoutingTable& table, const v1::Row* row,
                                    const std::string& source) {
  if (row == nullptr) return {{source, {1, v1::ROUTE_REASON_HOME}}};
  std::map<std::string, Part> parts;
  for (const v1::Route& route : row->routes()) {
    if (static_cast<int>(route.target()) >= table.regions_size()) continue;
    Part& part = parts[table.regions(static_cast<int>(route.target()))];
    part.share += route.fraction();
    part.reason = route.reason();
  }
  if (row->shed_fraction() > 0) parts[""] = {row->shed_fraction(), v1::ROUTE_REASON_LEVEL};
  return parts;
}

// Adds what moved in one row; its moved share.
double AddMoves(const RowKey& key, double demand_rps, const std::map<std::string, Part>& was,
                const std::map<std::string, Part>& is, std::vector<RouteMove>& moves) {
  std::map<std::string, std::pair<Part, Part>> targets;
  for (const auto& [target, part] : was) targets[target].first = part;
  for (const auto& [target, part] : is) targets[target].second = part;
  double moved = 0;
  for (const auto& [target, parts] : targets) {
    const auto& [before, after] = parts;
    const double change = after.share - before.share;
    if (std::abs(change) <= kShareSame) continue;
    moved += std::abs(change) / 2;
    moves.push_back({.source = key.first,
                     .priority = key.second,
                     .target = target,
                     .before = before.share,
                     .after = after.share,
                     .moved_rps = change * demand_rps,
                     .reason = after.share > 0 ? after.reason : before.reason});
  }
  return moved;
}

}  // namespace

bool SameNames(const v1::RoutingTable& a, const v1::RoutingTable& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  return same(a.regions(), b.regions()) &&
         std::equal(a.tiers().begin(), a.tiers().end(), b.tiers().begin(), b.tiers().end(),
                    [&](const v1::TierTable& x, const v1::TierTable& y) {
                      return x.tier() == y.tier() && same(x.priorities(), y.priorities());
                    });
}

bool SameRow(const v1::Row& a, const v1::Row& b) {
  return a.priority() == b.priority() && a.source() == b.source() && a.shed_fraction() == b.shed_fraction() &&
         std::equal(a.routes().begin(), a.routes().end(), b.routes().begin(), b.routes().end(),
                    [](const v1::Route& x, const v1::Route& y) {
                      return x.target() == y.target() && x.fraction() == y.fraction() &&
                             x.ring() == y.ring() && x.unlock_load() == y.unlock_load() &&
                             x.reason() == y.reason();
                    });
}

TierDifference Difference(const v1::RoutingTable& before, const v1::RoutingTable& after,
                          std::string_view tier, const DemandOf& demand) {
  const RowsByName was = RowsOf(before, FindTierTable(before, tier));
  const RowsByName is = RowsOf(after, FindTierTable(after, tier));
  const bool same_names = SameNames(before, after);
  std::set<RowKey> keys;
  for (const auto& [key, row] : was) keys.insert(key);
  for (const auto& [key, row] : is) keys.insert(key);
  TierDifference result;
  double moved_rows = 0;
  for (const RowKey& key : keys) {
    const double demand_rps = demand(key.first, key.second);
    result.demand_rps += demand_rps;
    const auto old_row = was.find(key);
    const auto new_row = is.find(key);
    const bool both = old_row != was.end() && new_row != is.end();
    if (both && same_names && SameRow(*old_row->second, *new_row->second)) continue;
    const double moved = AddMoves(
        key, demand_rps, PartsOf(before, old_row == was.end() ? nullptr : old_row->second, key.first),
        PartsOf(after, new_row == is.end() ? nullptr : new_row->second, key.first), result.moves);
    if (moved <= kShareSame) continue;
    ++result.rows;
    moved_rows += moved;
    result.moved_rps += moved * demand_rps;
  }
  if (result.demand_rps > 0) {
    result.moved_share = result.moved_rps / result.demand_rps;
  } else if (!keys.empty()) {
    result.moved_share = moved_rows / static_cast<double>(keys.size());
  }
  std::stable_sort(result.moves.begin(), result.moves.end(), [](const RouteMove& a, const RouteMove& b) {
    return std::pair(std::abs(a.moved_rps), std::abs(a.after - a.before)) >
           std::pair(std::abs(b.moved_rps), std::abs(b.after - b.before));
  });
  return result;
}

std::string LargestMove(const TierDifference& difference) {
  if (difference.moves.empty()) return "";
  // What leaves one place comes to another: the place that gets more says more.
  const RouteMove* most = &difference.moves.front();
  for (const RouteMove& move : difference.moves) {
    if (move.source == most->source && move.priority == most->priority && move.after > move.before) {
      most = &move;
      break;
    }
  }
  const std::string_view reason = RouteReasonName(static_cast<RouteReason>(most->reason));
  return absl::StrFormat("%s -> %s %.3g %% -> %.3g %%%s", most->source,
                         most->target.empty()           ? "refused"
                         : most->target == most->source ? "home"
                                                        : most->target,
                         100 * most->before, 100 * most->after,
                         most->target.empty() || most->target == most->source
                             ? ""
                             : absl::StrFormat(" (%s)", absl::string_view(reason.data(), reason.size())));
}

}  // namespace ringway::controller
