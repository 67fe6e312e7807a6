#include "cli/fleet_view.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/when.h"
#include "core/time.h"

namespace ringway::cli {
namespace {

std::string NameAt(const google::protobuf::RepeatedPtrField<std::string>& names, std::uint32_t index) {
  return index < static_cast<std::uint32_t>(names.size()) ? names[static_cast<int>(index)]
                                                          : absl::StrCat("#", index);
}

bool StaysHome(const v1::Row& row) {
  return row.shed_fraction() <= 0 && row.routes_size() == 1 && row.routes(0).ring() < 0;
}

// Controllers of earlier releases name none of a region.
double ThresholdOf(const v1::RegionStatus& region, const v1::TierStatus& tier) {
  return region.overload_threshold() > 0 ? region.overload_threshold() : tier.overload_threshold();
}

Cell HealthCell(const v1::RegionStatus& region, const v1::TierStatus& tier) {
  std::string text = region.health();
  Style style = region.health() == "fresh" ? Style::kPlain : Style::kWarning;
  if (region.health() == "missing") style = Style::kBad;
  if (region.drain_share() > 0) {
    absl::StrAppend(&text, ", drained ", Percent(region.drain_share()));
    style = Style::kWarning;
  }
  if (ThresholdOf(region, tier) != tier.overload_threshold()) {
    absl::StrAppend(&text, ", hot above ", ThresholdOf(region, tier));
  }
  if (region.pinned()) absl::StrAppend(&text, ", pinned");
  return Cell(std::move(text), style);
}

// Who holds the region's slot ledger, and by which appointment.
std::string LedgerText(const v1::RegionStatus& region) {
  if (region.leader().empty()) return "-";
  return absl::StrCat(region.leader(), " (", region.leader_epoch(), ".", region.leader_appointment(), ")");
}

constexpr double kReportLateS = 10;

bool Follows(const v1::StatusReply& status, const v1::RouterStatus& router) {
  const v1::CanaryStatus& canary = status.canary();
  const bool many = router.table_epoch() == status.epoch() && router.table_version() == status.version();
  return many || (canary.phase() == "running" && router.table_epoch() == canary.table_epoch() &&
                  router.table_version() == canary.table_version());
}

bool Reports(const v1::RouterStatus& router) {
  return router.report_age_s() >= 0 && router.report_age_s() < kReportLateS;
}

void AddRouter(const v1::StatusReply& status, const v1::RouterStatus& router, TextTable& table) {
  table.Add({router.name(), router.region(), router.address(),
             Cell(router.report_age_s() < 0 ? "none yet" : absl::StrFormat("%.1f s", router.report_age_s()),
                  Reports(router) ? Style::kPlain : Style::kWarning),
             Cell(VersionText(router.table_epoch(), router.table_version()),
                  Follows(status, router) ? Style::kPlain : Style::kWarning)});
}

TextTable EmptyRouterTable() {
  return TextTable(
      {{"ROUTER"}, {"REGION"}, {"ADDRESS"}, {"REPORT AGE", Align::kRight}, {"TABLE", Align::kRight}});
}

// The routers of a fleet that is too large to list.
std::string RouterSummary(const v1::StatusReply& status, bool colour) {
  int behind = 0, late = 0;
  TextTable table = EmptyRouterTable();
  int listed = 0, wanting = 0;
  for (const v1::RouterStatus& router : status.routers()) {
    behind += Follows(status, router) ? 0 : 1;
    late += Reports(router) ? 0 : 1;
    if (Follows(status, router) && Reports(router)) continue;
    ++wanting;
    if (listed >= kRoutersListed) continue;
    ++listed;
    AddRouter(status, router, table);
  }
  std::string text =
      absl::StrCat(status.routers_size(), " routers: ", status.routers_size() - behind, " follow table ",
                   VersionText(status.epoch(), status.version()), ", ", behind, " another one; ", late,
                   " have not reported for ", kReportLateS, " s. `ringway status --routers` lists all.\n");
  if (!table.empty()) text += table.Render(colour);
  if (wanting > listed) absl::StrAppend(&text, "  and ", wanting - listed, " more like these\n");
  return text;
}

std::string CanaryText(const v1::CanaryStatus& canary, bool colour) {
  const std::string& phase = canary.phase();
  if (phase.empty() || phase == "none") return "";
  const auto seconds = [](double s) { return absl::FormatDuration(Seconds(static_cast<std::int64_t>(s))); };
  const bool bad = phase == "reverted" || phase == "aborted";
  std::string text = absl::StrCat("\n", Paint(absl::StrCat("canary ", canary.id()), Style::kBold, colour),
                                  "  ", Paint(phase, bad ? Style::kBad : Style::kPlain, colour));
  if (phase == "running") {
    absl::StrAppend(&text, " on ", canary.chosen_size(), " routers, table ",
                    VersionText(canary.table_epoch(), canary.table_version()), ", for ",
                    seconds(canary.elapsed_s()));
  } else if (phase == "measuring") {
    absl::StrAppend(&text, " what is lost before the new settings, for ", seconds(canary.elapsed_s()));
  }
  text += "\n";
  for (const std::string& change : canary.changes()) absl::StrAppend(&text, "  ", change, "\n");
  if (phase == "running") {
    for (const v1::CanaryTier& tier : canary.tiers()) {
      absl::StrAppend(&text, "  tier ", tier.tier(), ": ", seconds(tier.judged_s()), " of ",
                      seconds(canary.period_s()), " judged; chosen routers lost ", tier.chosen_lost(), " of ",
                      tier.chosen_done() + tier.chosen_lost(), " jobs, ",
                      absl::StrFormat("%.1f", tier.expected_lost()),
                      " expected by the others of their regions\n");
    }
    for (int i = 0; i < canary.chosen_size() && i < kRoutersListed; ++i) {
      absl::StrAppend(&text, i == 0 ? "  chosen: " : ", ", canary.chosen(i));
    }
    absl::StrAppend(&text, canary.chosen_size() > kRoutersListed ? ", ...\n" : "\n");
  }
  if (!canary.waits_for().empty()) absl::StrAppend(&text, "  waits: ", canary.waits_for(), "\n");
  if (!canary.reason().empty()) absl::StrAppend(&text, "  ", canary.reason(), "\n");
  if (bad) text += "  in force are the old settings, whatever the topology file says\n";
  return text;
}

}  // namespace

std::string VersionText(std::uint64_t epoch, std::uint64_t version) {
  return absl::StrCat(epoch, ".", version);
}

std::string RingName(const v1::StatusReply& status, std::string_view tier, int ring) {
  if (ring < 0) return "home";
  for (const v1::TierStatus& known : status.tiers()) {
    if (known.tier() == tier && ring < known.rings_size()) return known.rings(ring);
  }
  return absl::StrCat("ring ", ring + 1);
}

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
  TextTable table = EmptyRouterTable();
  for (const v1::RouterStatus& router : status.routers()) AddRouter(status, router, table);
  return table;
}

TextTable RegionLoadTable(const v1::TierStatus& tier) {
  const Align right = Align::kRight;
  // Only of tiers that are scaled.
  const bool scaled = std::any_of(tier.regions().begin(), tier.regions().end(),
                                  [](const v1::RegionStatus& region) { return region.has_workers_wanted(); });
  std::vector<Column> columns = {{"REGION"},           {"PLACE"},           {"WORKERS", right},
                                 {"LOAD", right},      {"PLANNED", right},  {"HOME LOAD", right},
                                 {"DEMAND/S", right},  {"SERVED/S", right}, {"AWAY", right},
                                 {"LOAD COST", right}, {"HEALTH"},          {"LEDGER"}};
  if (scaled) columns.insert(columns.begin() + 3, Column{"WANTED", right});
  TextTable table(std::move(columns));
  for (const v1::RegionStatus& region : tier.regions()) {
    const double threshold = ThresholdOf(region, tier);
    const std::uint32_t expected = region.has_workers_wanted() ? region.workers_wanted() : region.workers();
    const bool short_of_workers = region.workers_seen() < expected;
    std::vector<Cell> cells = {region.region(),
                               region.title(),
                               Cell(absl::StrCat(region.workers_seen(), "/", region.workers()),
                                    short_of_workers ? Style::kWarning : Style::kPlain),
                               LoadCell(region.load(), threshold),
                               LoadCell(region.planned_load(), threshold),
                               LoadCell(region.home_load(), threshold),
                               absl::StrFormat("%.1f", region.demand_rps()),
                               absl::StrFormat("%.1f", region.served_rps()),
                               Percent(region.exported_share()),
                               absl::StrFormat("%.4f", region.load_cost()),
                               HealthCell(region, tier),
                               LedgerText(region)};
    if (scaled) {
      cells.insert(cells.begin() + 3,
                   Cell(region.has_workers_wanted() ? absl::StrCat(region.workers_wanted()) : "-"));
    }
    table.Add(std::move(cells));
  }
  return table;
}

std::string StatusText(const v1::StatusReply& status, bool all_routers, bool colour) {
  std::string text = absl::StrCat(
      Paint(absl::StrCat("controller ", status.controller()), Style::kBold, colour), "  world ",
      status.world(), "  table ", VersionText(status.epoch(), status.version()), "  epoch every ",
      status.epoch_period_s(), " s  up ", absl::FormatDuration(Seconds(static_cast<int>(status.uptime_s()))),
      "  build ", status.build(), "\n");
  for (const v1::TierStatus& tier : status.tiers()) {
    absl::StrAppend(&text, "\n", Paint(absl::StrCat("tier ", tier.tier()), Style::kBold, colour), "  ",
                    tier.mode(), "  hot above ", tier.overload_threshold(), "  home ",
                    Percent(tier.home_share()));
    if (tier.shed_rps() > 0) absl::StrAppendFormat(&text, "  shed %.1f/s", tier.shed_rps());
    if (tier.rtt_cost_optimal() > 0) {
      absl::StrAppendFormat(&text, "  RTT cost %.2fx the least possible",
                            tier.rtt_cost() / tier.rtt_cost_optimal());
    }
    absl::StrAppend(&text, "\n", RegionLoadTable(tier).Render(colour));
    for (const v1::TimedOrder& order : tier.timed()) {
      const Duration left = Seconds(static_cast<std::int64_t>(std::max(0.0, order.left_s())));
      absl::StrAppend(&text, "timed: ", order.region(), order.region().empty() ? "" : " ", order.what(),
                      " until ", WhenText(FromUnixMicros(order.until_unix_us())), " (another ",
                      absl::FormatDuration(left), "), by ", order.who(), "; then: ", order.then(), "\n");
    }
  }
  text += CanaryText(status.canary(), colour);
  if (status.findings_size() > 0) text += "\n";
  for (const std::string& finding : status.findings()) absl::StrAppend(&text, "finding: ", finding, "\n");
  text += "\n";
  if (status.routers_size() == 0) {
    text += "no router is connected\n";
  } else if (all_routers || status.routers_size() <= kRoutersListed) {
    text += RouterTable(status).Render(colour);
  } else {
    text += RouterSummary(status, colour);
  }
  return text;
}

TextTable RouteTable(const v1::RoutingTable& table, const v1::TierTable& tier,
                     const v1::StatusReply& status) {
  const Align right = Align::kRight;
  TextTable view({{"FROM"}, {"PRIORITY"}, {"TO"}, {"SHARE", right}, {"RING"}, {"HOME LOAD", right}, {"WHY"}});
  for (const v1::Row& row : tier.rows()) {
    if (StaysHome(row)) continue;
    const std::string source = NameAt(table.regions(), row.source());
    const std::string priority = NameAt(tier.priorities(), row.priority());
    for (const v1::Route& route : row.routes()) {
      const bool home = route.ring() < 0;
      view.Add({source, priority, NameAt(table.regions(), route.target()), Percent(route.fraction()),
                RingName(status, tier.tier(), route.ring()),
                OpenedByLoad(route.reason()) ? absl::StrFormat("%.2f", route.unlock_load()) : "",
                Cell(std::string(ReasonText(route.reason())), home ? Style::kDim : Style::kPlain)});
    }
    if (row.shed_fraction() > 0) {
      view.Add({source, priority, "nowhere", Cell(Percent(row.shed_fraction()), Style::kBad), "", "",
                Cell("no reachable capacity for this priority", Style::kBad)});
    }
  }
  return view;
}

std::string RoutingText(const v1::RoutingTable& table, const v1::StatusReply& status, bool colour) {
  std::string text =
      absl::StrCat("table ", VersionText(table.epoch(), table.version()), ", planned ",
                   absl::FormatTime(FromUnixMicros(table.planned_at_unix_us()), absl::UTCTimeZone()), "\n");
  for (const v1::TierTable& tier : table.tiers()) {
    const std::size_t priorities = static_cast<std::size_t>(std::max(1, tier.priorities_size()));
    std::size_t away = 0;
    for (const v1::Row& row : tier.rows()) away += StaysHome(row) ? 0 : 1;
    const std::size_t rows = priorities * static_cast<std::size_t>(table.regions_size());
    absl::StrAppend(&text, "\n", Paint(absl::StrCat("tier ", tier.tier()), Style::kBold, colour), ": ",
                    rows - away, " of ", rows, " rows keep everything home\n");
    const TextTable view = RouteTable(table, tier, status);
    if (!view.empty()) text += view.Render(colour);
  }
  return text;
}

}  // namespace ringway::cli
