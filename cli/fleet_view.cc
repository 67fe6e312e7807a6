#include "cli/fleet_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace ringway::cli {
namespace {

std::string NameAt(const google::protobuf::RepeatedPtrField<std::string>& names, std::uint32_t index) {
  return index < static_cast<std::uint32_t>(names.size()) ? names[static_cast<int>(index)]
                                                          : absl::StrCat("#", index);
}

bool StaysHome(const v1::Row& row) {
  return row.shed_fraction() <= 0 && row.routes_size() == 1 && row.routes(0).ring() < 0;
}

Cell HealthCell(const v1::RegionStatus& region) {
  std::string text = region.health();
  Style style = region.health() == "fresh" ? Style::kPlain : Style::kWarning;
  if (region.health() == "missing") style = Style::kBad;
  if (region.drain_share() > 0) {
    absl::StrAppend(&text, ", drained ", Percent(region.drain_share()));
    style = Style::kWarning;
  }
  if (region.pinned()) absl::StrAppend(&text, ", pinned");
  return Cell(std::move(text), style);
}

// Who holds the region's slot ledger, and by which appointment.
std::string LedgerText(const v1::RegionStatus& region) {
  if (region.leader().empty()) return "-";
  return absl::StrCat(region.leader(), " (", region.leader_epoch(), ".", region.leader_appointment(), ")");
}

std::string VersionText(std::uint64_t epoch, std::uint64_t version) {
  return absl::StrCat(epoch, ".", version);
}

}  // namespace

std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

Cell LoadCell(double load, double threshold) {
  Style style = Style::kGood;
  if (load > 0.9 * threshold) style = Style::kWarning;
  if (load > 1.02 * threshold) style = Style::kBad;
  return Cell(absl::StrFormat("%.2f", load), style);
}

std::string_view ReasonText(v1::RouteReason reason) {
  switch (reason) {
    case v1::ROUTE_REASON_HOME:
      return "home";
    case v1::ROUTE_REASON_OVERLOAD:
      return "overload: nearest region with room";
    case v1::ROUTE_REASON_DISPLACED:
      return "moved on to make room for another source";
    case v1::ROUTE_REASON_DRAIN:
      return "the source is being drained";
    case v1::ROUTE_REASON_NO_WORKERS:
      return "no workers in the source region";
    case v1::ROUTE_REASON_LEVEL:
      return "everything reachable is full: levelled";
    case v1::ROUTE_REASON_PINNED:
      return "pinned by an operator";
    default:
      return "unknown";
  }
}

bool OpenedByLoad(v1::RouteReason reason) {
  return reason == v1::ROUTE_REASON_OVERLOAD || reason == v1::ROUTE_REASON_DISPLACED ||
         reason == v1::ROUTE_REASON_LEVEL;
}

TextTable RouterTable(const v1::StatusReply& status) {
  TextTable table(
      {{"ROUTER"}, {"REGION"}, {"ADDRESS"}, {"REPORT AGE", Align::kRight}, {"TABLE", Align::kRight}});
  for (const v1::RouterStatus& router : status.routers()) {
    const bool current = router.table_epoch() == status.epoch() && router.table_version() == status.version();
    table.Add({router.name(), router.region(), router.address(),
               absl::StrFormat("%.1f s", router.report_age_s()),
               Cell(VersionText(router.table_epoch(), router.table_version()),
                    current ? Style::kPlain : Style::kWarning)});
  }
  return table;
}

TextTable RegionLoadTable(const v1::TierStatus& tier) {
  const Align right = Align::kRight;
  TextTable table({{"REGION"},
                   {"WORKERS", right},
                   {"LOAD", right},
                   {"PLANNED", right},
                   {"AT HOME", right},
                   {"DEMAND/S", right},
                   {"SERVED/S", right},
                   {"AWAY", right},
                   {"LOAD COST", right},
                   {"HEALTH"},
                   {"LEDGER"}});
  for (const v1::RegionStatus& region : tier.regions()) {
    const double threshold = tier.overload_threshold();
    const bool short_of_workers = region.workers_seen() < region.workers();
    table.Add({region.region(),
               Cell(absl::StrCat(region.workers_seen(), "/", region.workers()),
                    short_of_workers ? Style::kWarning : Style::kPlain),
               LoadCell(region.load(), threshold), LoadCell(region.planned_load(), threshold),
               LoadCell(region.home_load(), threshold), absl::StrFormat("%.1f", region.demand_rps()),
               absl::StrFormat("%.1f", region.served_rps()), Percent(region.exported_share()),
               absl::StrFormat("%.4f", region.load_cost()), HealthCell(region), LedgerText(region)});
  }
  return table;
}

std::string StatusText(const v1::StatusReply& status, bool colour) {
  std::string text =
      absl::StrCat(Paint(absl::StrCat("controller ", status.controller()), Style::kBold, colour), "  world ",
                   status.world(), "  table ", VersionText(status.epoch(), status.version()),
                   "  epoch every ", status.epoch_period_s(), " s  up ",
                   absl::FormatDuration(absl::Seconds(static_cast<int>(status.uptime_s()))), "  build ",
                   status.build(), "\n\n");
  text += status.routers_size() == 0 ? "no router is connected\n" : RouterTable(status).Render(colour);
  for (const v1::TierStatus& tier : status.tiers()) {
    absl::StrAppend(&text, "\n", Paint(absl::StrCat("tier ", tier.tier()), Style::kBold, colour), "  ",
                    tier.mode(), "  hot above ", tier.overload_threshold(), "  at home ",
                    Percent(tier.home_share()));
    if (tier.shed_rps() > 0) absl::StrAppendFormat(&text, "  shed %.1f/s", tier.shed_rps());
    if (tier.rtt_cost_optimal() > 0) {
      absl::StrAppendFormat(&text, "  RTT cost %.2fx the least possible",
                            tier.rtt_cost() / tier.rtt_cost_optimal());
    }
    absl::StrAppend(&text, "\n", RegionLoadTable(tier).Render(colour));
  }
  for (const std::string& finding : status.findings()) absl::StrAppend(&text, "finding: ", finding, "\n");
  return text;
}

TextTable RouteTable(const v1::RoutingTable& table, const v1::TierTable& tier) {
  const Align right = Align::kRight;
  TextTable view(
      {{"FROM"}, {"PRIORITY"}, {"TO"}, {"SHARE", right}, {"RING", right}, {"OPENED AT", right}, {"WHY"}});
  for (const v1::Row& row : tier.rows()) {
    if (StaysHome(row)) continue;
    const std::string source = NameAt(table.regions(), row.source());
    const std::string priority = NameAt(tier.priorities(), row.priority());
    for (const v1::Route& route : row.routes()) {
      const bool home = route.ring() < 0;
      view.Add({source, priority, NameAt(table.regions(), route.target()), Percent(route.fraction()),
                home ? "home" : absl::StrCat(route.ring() + 1),
                OpenedByLoad(route.reason()) ? absl::StrFormat("load %.2f", route.unlock_load()) : "",
                Cell(std::string(ReasonText(route.reason())), home ? Style::kDim : Style::kPlain)});
    }
    if (row.shed_fraction() > 0) {
      view.Add({source, priority, "nowhere", Cell(Percent(row.shed_fraction()), Style::kBad), "", "",
                Cell("no reachable capacity for this priority", Style::kBad)});
    }
  }
  return view;
}

std::string RoutingText(const v1::RoutingTable& table, bool colour) {
  std::string text = absl::StrCat(
      "table ", VersionText(table.epoch(), table.version()), ", planned ",
      absl::FormatTime(absl::FromUnixMicros(table.planned_at_unix_us()), absl::UTCTimeZone()), "\n");
  for (const v1::TierTable& tier : table.tiers()) {
    const std::size_t priorities = static_cast<std::size_t>(std::max(1, tier.priorities_size()));
    std::size_t away = 0;
    for (const v1::Row& row : tier.rows()) away += StaysHome(row) ? 0 : 1;
    const std::size_t rows = priorities * static_cast<std::size_t>(table.regions_size());
    absl::StrAppend(&text, "\n", Paint(absl::StrCat("tier ", tier.tier()), Style::kBold, colour), ": ",
                    rows - away, " of ", rows, " rows keep everything at home\n");
    const TextTable view = RouteTable(table, tier);
    if (!view.empty()) text += view.Render(colour);
  }
  return text;
}

}  // namespace ringway::cli
