#include "cli/top/view.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/fleet_view.h"
#include "cli/text_table.h"

namespace ringway::top {
namespace {

using cli::Paint;
using cli::Style;

constexpr double kBarLoadMax = 1.25;
constexpr int kNameColumns = 16;
constexpr int kBarColumns = 9;

Style StyleOf(double load, double threshold) {
  if (load > 1.02 * threshold) return Style::kBad;
  return load > 0.9 * threshold ? Style::kWarning : Style::kGood;
}

std::string Cut(std::string text, int columns) {
  // Names are ASCII, so bytes are columns.
  if (static_cast<int>(text.size()) > columns) text.resize(static_cast<std::size_t>(std::max(0, columns)));
  return text;
}

std::string Ratio(double sum, double count, const char* format) {
  if (count <= 0) return "-";
  const double ratio = sum / count;
  char text[32];
  std::snprintf(text, sizeof text, format, ratio);
  return text;
}

RegionCounts SumOf(const CountsByRegion& counts) {
  RegionCounts sum;
  for (const auto& [region, c] : counts) {
    sum.started += c.started;
    sum.wait_s_sum += c.wait_s_sum;
    sum.offers += c.offers;
    sum.placed += c.placed;
  }
  return sum;
}

std::string TierText(const Frame& frame, const v1::TierStatus& tier) {
  double demand = 0;
  for (const v1::RegionStatus& region : tier.regions()) demand += region.demand_rps();
  const RegionCounts sum = SumOf(frame.counts);
  return absl::StrFormat("%s  %s  hot >%.2f  %.1f/s  home %.0f%%  shed %.1f/s  wait %s  offers %s",
                         tier.tier(), tier.mode(), tier.overload_threshold(), demand, 100 * tier.home_share(),
                         tier.shed_rps(), Ratio(sum.wait_s_sum, sum.started, "%.2fs"),
                         Ratio(sum.offers, sum.placed, "%.1f"));
}

std::string RegionLine(const Frame& frame, const v1::TierStatus& tier, const v1::RegionStatus& region,
                       const Screen& screen) {
  const auto found = frame.counts.find(region.region());
  const RegionCounts counts = found == frame.counts.end() ? RegionCounts() : found->second;
  std::string state = region.health() == "fresh" ? "" : " " + region.health();
  if (region.drain_share() > 0) absl::StrAppendFormat(&state, " drained %.0f%%", 100 * region.drain_share());
  if (region.pinned()) state += " pinned";
  const std::string name = Cut(region.region(), kNameColumns);
  const std::string bar = LoadBar(region.load(), tier.overload_threshold(), kBarColumns);
  const std::string rest = absl::StrFormat(
      " %4.2f %8.1f %8.1f %3.0f%% %6s %6s%s", region.load(), region.demand_rps(), region.served_rps(),
      100 * region.exported_share(), Ratio(counts.wait_s_sum, counts.started, "%.2fs"),
      Ratio(counts.offers, counts.placed, "%.1f"), state);
  return absl::StrFormat("%-*s ", kNameColumns, name) +
         Paint(bar, StyleOf(region.load(), tier.overload_threshold()), screen.colour) +
         Cut(rest, screen.width - kNameColumns - 1 - kBarColumns);
}

// What one region sends to another, or sheds, over all priorities.
struct Flow {
  double share = 0;  // of the source's demand; of its rows, where nobody asks
  double rps = 0;
  const v1::Route* route = nullptr;  // of the first priority that is sent so; null: shed
};

// Which part of a region's demand each priority is. A release that does not tell is taken to have equal
// parts.
std::vector<double> PartsOf(const v1::RegionStatus& region, int priorities) {
  std::vector<double> parts(static_cast<std::size_t>(std::max(1, priorities)));
  const bool told = region.demand_rps() > 0 && region.demand_by_priority_rps_size() > 0;
  for (int p = 0; p < static_cast<int>(parts.size()); ++p) {
    const double rps = p < region.demand_by_priority_rps_size() ? region.demand_by_priority_rps(p) : 0;
    parts[static_cast<std::size_t>(p)] =
        told ? rps / region.demand_rps() : 1.0 / static_cast<double>(parts.size());
  }
  return parts;
}

std::string TextOf(const std::string& from, const std::string& to, const Flow& flow,
                   const std::string& ring) {
  if (flow.route == nullptr) {
    return absl::StrFormat("%s shed  %.0f%%  %.1f/s", from, 100 * flow.share, flow.rps);
  }
  return absl::StrFormat("%s -> %s  %.0f%%  %.1f/s  %s  %s", from, to, 100 * flow.share, flow.rps, ring,
                         std::string(cli::ReasonText(flow.route->reason())));
}

// One line a pair of regions, the largest first: a row of each priority makes part of it.
std::vector<std::string> FlowsOf(const Frame& frame, const v1::TierTable& tier,
                                 const v1::TierStatus& status) {
  const v1::RoutingTable& table = frame.table;
  const auto regions = static_cast<std::uint32_t>(table.regions_size());
  std::map<std::string, const v1::RegionStatus*> known;
  for (const v1::RegionStatus& region : status.regions()) known[region.region()] = &region;
  std::map<std::pair<std::string, std::string>, Flow> flows;  // to nowhere: shed
  for (const v1::Row& row : tier.rows()) {
    if (row.source() >= regions) continue;
    const std::string& from = table.regions(static_cast<int>(row.source()));
    const v1::RegionStatus& source =
        known.contains(from) ? *known[from] : v1::RegionStatus::default_instance();
    const std::vector<double> parts = PartsOf(source, tier.priorities_size());
    const double part = row.priority() < parts.size() ? parts[row.priority()] : 0;
    const auto add = [&](const std::string& to, double fraction, const v1::Route* route) {
      Flow& flow = flows[{from, to}];
      if (flow.route == nullptr) flow.route = route;
      flow.share += part * fraction;
      flow.rps += part * fraction * source.demand_rps();
    };
    for (const v1::Route& route : row.routes()) {
      if (route.ring() < 0 || route.target() >= regions) continue;
      add(table.regions(static_cast<int>(route.target())), route.fraction(), &route);
    }
    if (row.shed_fraction() > 0) add("", row.shed_fraction(), nullptr);
  }
  std::vector<std::pair<double, std::string>> lines;
  for (const auto& [ends, flow] : flows) {
    // A priority that nobody asks for sends nothing, wherever its row points.
    if (flow.share <= 0) continue;
    const std::string ring =
        flow.route == nullptr ? "" : cli::RingName(frame.status, tier.tier(), flow.route->ring());
    lines.emplace_back(flow.rps, TextOf(ends.first, ends.second, flow, ring));
  }
  std::stable_sort(lines.begin(), lines.end(), [](auto& a, auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (auto& [rps, text] : lines) texts.push_back(std::move(text));
  return texts;
}

// As many of `items` as fit in `room` lines, the last one saying what is left out.
void AddBounded(std::vector<std::string> items, int room, const char* what, int width,
                std::vector<std::string>& lines) {
  if (room <= 0) return;
  const int count = static_cast<int>(items.size());
  const int shown = count <= room ? count : room - 1;
  for (int i = 0; i < shown; ++i) lines.push_back(std::move(items[static_cast<std::size_t>(i)]));
  if (shown < count) lines.push_back(Cut(absl::StrCat("  and ", count - shown, " more ", what), width));
}

void AddTier(const Frame& frame, const v1::TierStatus& tier, const Screen& screen, int room,
             std::vector<std::string>& lines) {
  if (room < 3) return;
  lines.push_back(Paint(Cut(TierText(frame, tier), screen.width), Style::kBold, screen.colour));
  lines.push_back(
      Cut(absl::StrFormat("%-*s %-*s %4s %8s %8s %4s %6s %6s", kNameColumns, "REGION", kBarColumns, "LOAD",
                          "", "DEMAND/S", "SERVED/S", "AWAY", "WAIT", "OFFERS"),
          screen.width));
  std::vector<const v1::RegionStatus*> regions;
  for (const v1::RegionStatus& region : tier.regions()) regions.push_back(&region);
  const int flow_room = std::min(room / 3, 8);
  const int region_room = room - 2 - flow_room;
  // In their own order while all fit: lines that jump about cannot be read.
  if (static_cast<int>(regions.size()) > region_room) {
    std::stable_sort(regions.begin(), regions.end(), [](auto* a, auto* b) { return a->load() > b->load(); });
  }
  std::vector<std::string> items;
  for (const v1::RegionStatus* region : regions) items.push_back(RegionLine(frame, tier, *region, screen));
  const std::size_t before = lines.size();
  AddBounded(std::move(items), region_room, "regions, all less loaded", screen.width, lines);
  const int left = room - 2 - static_cast<int>(lines.size() - before);
  for (const v1::TierTable& table : frame.table.tiers()) {
    if (table.tier() != tier.tier()) continue;
    std::vector<std::string> flows;
    for (const std::string& flow : FlowsOf(frame, table, tier)) {
      flows.push_back(Cut("  " + flow, screen.width));
    }
    AddBounded(std::move(flows), left, "flows", screen.width, lines);
  }
}

}  // namespace

std::string LoadBar(double load, double threshold, int width) {
  const auto column = [width](double value) {
    return std::clamp(static_cast<int>(value / kBarLoadMax * width + 0.5), 0, width - 1);
  };
  std::string bar(static_cast<std::size_t>(width), '.');
  const int filled =
      load <= 0 ? 0 : std::max(1, std::min(width, static_cast<int>(load / kBarLoadMax * width + 0.5)));
  std::fill_n(bar.begin(), filled, '#');
  bar[static_cast<std::size_t>(column(threshold))] = '|';
  return bar;
}

CountsByRegion CountsSince::Take(const std::vector<v1::TotalsReply>& totals) {
  CountsByRegion counts;
  for (const v1::TotalsReply& now : totals) {
    const auto before = last_.find(now.router());
    if (before != last_.end() && now.ended() >= before->second.ended() &&
        now.offers() >= before->second.offers()) {
      const v1::TotalsReply& then = before->second;
      RegionCounts& region = counts[now.region()];
      region.started += static_cast<double>(now.started()) - static_cast<double>(then.started());
      region.wait_s_sum += now.wait_s_sum() - then.wait_s_sum();
      region.offers += static_cast<double>(now.offers()) - static_cast<double>(then.offers());
      region.placed += static_cast<double>(now.placed()) - static_cast<double>(then.placed());
    }
    last_[now.router()] = now;
  }
  return counts;
}

std::vector<std::string> Lines(const Frame& frame, const Screen& screen) {
  const v1::StatusReply& status = frame.status;
  std::vector<std::string> lines;
  const std::string head =
      absl::StrFormat("ringway top  world %s  table %d.%d  routers %d  findings %d  q quits", status.world(),
                      status.epoch(), status.version(), status.routers_size(), status.findings_size());
  lines.push_back(Paint(Cut(head, screen.width), Style::kBold, screen.colour));
  const int tiers = std::max(1, status.tiers_size());
  for (int t = 0; t < status.tiers_size(); ++t) {
    const int used = static_cast<int>(lines.size());
    AddTier(frame, status.tiers(t), screen, (screen.height - used) / (tiers - t), lines);
  }
  return lines;
}

std::string PlainLine(const Frame& frame) {
  std::string text;
  for (const v1::TierStatus& tier : frame.status.tiers()) {
    const v1::RegionStatus* hottest = nullptr;
    for (const v1::RegionStatus& region : tier.regions()) {
      if (hottest == nullptr || region.load() > hottest->load()) hottest = &region;
    }
    absl::StrAppend(&text, "table ", frame.status.epoch(), ".", frame.status.version(), "  ",
                    TierText(frame, tier));
    if (hottest != nullptr)
      absl::StrAppendFormat(&text, "  hottest %s %.2f", hottest->region(), hottest->load());
    text += "\n";
  }
  return text;
}

}  // namespace ringway::top
