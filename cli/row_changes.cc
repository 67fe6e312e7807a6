#include "cli/row_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/fleet_view.h"

namespace ringway::cli {
namespace {

constexpr double kShareSame = 0.0005;  // what is printed the same
constexpr char kNowhere[] = "nowhere";

// From one source: target, or nowhere, to share and why.
struct Part {
  double share = 0;
  std::string ring = {};
  std::string why = {};
};
using Parts = std::map<std::string, Part>;
using RowKey = std::pair<std::string, std::string>;  // source, priority

std::map<RowKey, Parts> PartsOf(const v1::RoutingTable& table, const v1::TierTable& tier,
                                const v1::StatusReply& status) {
  std::map<RowKey, Parts> rows;
  const auto name = [](const auto& names, std::uint32_t index) -> std::optional<std::string> {
    if (index >= static_cast<std::uint32_t>(names.size())) return std::nullopt;
    return names[static_cast<int>(index)];
  };
  for (const v1::Row& row : tier.rows()) {
    const auto source = name(table.regions(), row.source());
    const auto priority = name(tier.priorities(), row.priority());
    if (!source || !priority) continue;
    Parts& parts = rows[{*source, *priority}];
    for (const v1::Route& route : row.routes()) {
      const auto target = name(table.regions(), route.target());
      if (!target) continue;
      Part& part = parts[*target];
      part.share += route.fraction();
      part.ring = RingName(status, tier.tier(), route.ring());
      part.why = ReasonText(route.reason());
    }
    if (row.shed_fraction() > 0)
      parts[kNowhere] = {row.shed_fraction(), "", "no reachable capacity for this priority"};
  }
  return rows;
}

// Requests a second that a priority of a region asks for now.
double DemandOf(const v1::RegionStatus& region, int priority, int priorities) {
  if (priority < region.demand_by_priority_rps_size()) return region.demand_by_priority_rps(priority);
  return region.demand_rps() / std::max(1, priorities);  // an earlier release does not tell them apart
}

struct Line {
  double moved_rps;
  std::vector<Cell> cells;
};

Cell ShareCell(double share, bool to_nowhere) {
  return Cell(Percent(share), to_nowhere && share > 0 ? Style::kBad : Style::kPlain);
}

// The lines of one row, or nothing when it stays as it is.
std::vector<Line> LinesOf(const std::string& source, const std::string& priority, double demand_rps,
                          const Parts& was, const Parts& is) {
  std::map<std::string, std::pair<Part, Part>> targets;
  for (const auto& [target, part] : was) targets[target].first = part;
  for (const auto& [target, part] : is) targets[target].second = part;
  std::vector<Line> lines;
  for (const auto& [target, parts] : targets) {
    const auto& [before, after] = parts;
    if (std::abs(before.share - after.share) < kShareSame) continue;
    const Part& tells = after.share > 0 ? after : before;
    const double moved = std::abs(after.share - before.share) * demand_rps;
    lines.push_back({moved,
                     {source, priority, target == source ? "home" : target,
                      ShareCell(before.share, target == kNowhere), ShareCell(after.share, target == kNowhere),
                      absl::StrFormat("%+.2f/s", (after.share - before.share) * demand_rps),
                      tells.ring == "home" ? "" : tells.ring, after.share > 0 ? tells.why : ""}});
  }
  return lines;
}

}  // namespace

v1::TierTable TierOf(const v1::RoutingTable& table, std::string_view tier) {
  for (const v1::TierTable& known : table.tiers()) {
    if (known.tier() == tier) return known;
  }
  return v1::TierTable();
}

Shares SharesOf(const v1::RoutingTable& table, const v1::TierTable& tier,
                const google::protobuf::RepeatedPtrField<v1::RegionStatus>& regions) {
  const auto rows = PartsOf(table, tier, v1::StatusReply());
  Shares shares;
  double all_rps = 0;
  for (const v1::RegionStatus& region : regions) {
    for (int p = 0; p < tier.priorities_size(); ++p) {
      const double rps = DemandOf(region, p, tier.priorities_size());
      all_rps += rps;
      const auto row = rows.find({region.region(), tier.priorities(p)});
      if (row == rows.end()) continue;  // stays home
      for (const auto& [target, part] : row->second) {
        if (target == kNowhere) {
          shares.shed += rps * part.share;
        } else if (target != region.region()) {
          shares.away += rps * part.share;
        }
      }
    }
  }
  if (all_rps <= 0) return Shares();
  return {.away = shares.away / all_rps, .shed = shares.shed / all_rps};
}

RowChanges ChangesBetween(const v1::RoutingTable& now, const v1::DryRunReply& then,
                          const v1::StatusReply& status, bool all) {
  const Align right = Align::kRight;
  RowChanges changes{TextTable({{"FROM"},
                                {"PRIORITY"},
                                {"TO"},
                                {"NOW", right},
                                {"THEN", right},
                                {"TRAFFIC", right},
                                {"RING"},
                                {"WHY"}})};
  if (then.table().tiers_size() == 0) return changes;
  const v1::TierTable& tier = then.table().tiers(0);
  const v1::TierTable before = TierOf(now, tier.tier());
  const auto was = PartsOf(now, before, status);
  const auto is = PartsOf(then.table(), tier, status);
  std::vector<Line> lines;
  for (const v1::RegionStatus& region : then.after()) {
    for (int p = 0; p < tier.priorities_size(); ++p) {
      const RowKey key{region.region(), tier.priorities(p)};
      const Parts home = {{region.region(), Part{1, "home", "home"}}};
      const double demand_rps = DemandOf(region, p, tier.priorities_size());
      std::vector<Line> row =
          LinesOf(region.region(), tier.priorities(p), demand_rps, was.contains(key) ? was.at(key) : home,
                  is.contains(key) ? is.at(key) : home);
      if (row.empty()) continue;
      if (demand_rps <= 0 && !all) {
        ++changes.idle_rows;
        continue;
      }
      lines.insert(lines.end(), std::make_move_iterator(row.begin()), std::make_move_iterator(row.end()));
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.moved_rps > b.moved_rps; });
  for (Line& line : lines) changes.table.Add(std::move(line.cells));
  return changes;
}

}  // namespace ringway::cli
