#include "cli/demo/panel.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/fleet_view.h"
#include "cli/text_table.h"

namespace ringway::demo {
namespace {

using cli::Align;
using cli::Cell;
using cli::Paint;
using cli::Percent;
using cli::Style;
using cli::TextTable;

const v1::RegionStatus* StatusOf(const Observation& seen, const std::string& region) {
  if (seen.status.tiers_size() == 0) return nullptr;
  for (const v1::RegionStatus& status : seen.status.tiers(0).regions()) {
    if (status.region() == region) return &status;
  }
  return nullptr;
}

Cell LatencyCell(const JobSums& sums, double quantile) {
  if (sums.done == 0) return "-";
  return Cell(absl::StrFormat("%.2f s", sums.latency_s.Quantile(quantile)));
}

Cell ShareCell(double share, double good, double warning) {
  return Cell(Percent(share), share >= good      ? Style::kPlain
                              : share >= warning ? Style::kWarning
                                                 : Style::kBad);
}

std::vector<Cell> RegionRow(const PanelView& view, RegionId id) {
  const Region& region = view.fleet.world.regions[id];
  const double threshold = view.fleet.tiers[view.script.tier].route.overload_threshold;
  const JobSums sums = view.tally.Recent(id, view.now_s);
  const v1::RegionStatus* status = StatusOf(view.seen, region.name);
  const double load = status == nullptr ? 0 : status->load();
  const Cell load_cell = cli::LoadCell(load, threshold);
  return {region.name,
          LocalTime(region, view.now_s),
          absl::StrFormat("%.1f", static_cast<double>(sums.jobs) / Tally::kRecentSeconds),
          Cell(LoadBar(load, threshold), load_cell.style),
          load_cell,
          status == nullptr ? Cell("-") : cli::LoadCell(status->home_load(), threshold),
          sums.done == 0 ? Cell("-") : Cell(Percent(sums.home_share())),
          sums.jobs == 0 ? Cell("-") : ShareCell(sums.success(), 0.995, 0.97),
          LatencyCell(sums, 0.5),
          LatencyCell(sums, 0.99),
          absl::StrFormat("%.1f", sums.offers_per_job())};
}

std::string Shortened(double share) { return absl::StrFormat("%.0f %%", 100 * share); }

}  // namespace

std::string LoadBar(double load, double threshold) {
  constexpr int kWidth = 20;  // for load 0 to 1.25
  const auto column = [](double x) {
    return static_cast<int>(std::lround(std::clamp(x / 1.25, 0.0, 1.0) * kWidth));
  };
  std::string bar(static_cast<std::size_t>(column(load)), '#');
  bar.resize(kWidth, '.');
  bar[static_cast<std::size_t>(std::min(column(threshold), kWidth - 1))] = '|';
  return bar;
}

std::string LocalTime(const Region& region, double now_s) {
  const double hours = kStartUtcHour + now_s / kDaySeconds * 24 + region.utc_offset_minutes / 60.0;
  const int minutes = static_cast<int>(std::fmod(hours + 48, 24) * 60);
  return absl::StrFormat("%02d:%02d", minutes / 60, minutes % 60);
}

std::string RouteSentences(const Observation& seen) {
  const v1::RoutingTable& table = seen.table;
  if (table.tiers_size() == 0) return "";
  std::string text;
  for (const v1::Row& row : table.tiers(0).rows()) {
    for (const v1::Route& route : row.routes()) {
      const auto regions = static_cast<std::uint32_t>(table.regions_size());
      if (route.target() == row.source() || route.target() >= regions || row.source() >= regions) continue;
      absl::StrAppend(&text, "  ", table.regions(static_cast<int>(row.source())), " -> ",
                      table.regions(static_cast<int>(route.target())), "  ", Percent(route.fraction()));
      if (route.ring() >= 0 && route.reason() != v1::ROUTE_REASON_PINNED) {
        absl::StrAppend(&text, "  ", cli::RingName(seen.status, table.tiers(0).tier(), route.ring()));
      }
      if (cli::OpenedByLoad(route.reason())) {
        absl::StrAppendFormat(&text, ", home load %.2f", route.unlock_load());
      }
      const std::string_view reason = cli::ReasonText(route.reason());
      absl::StrAppend(&text, "  (", absl::string_view(reason.data(), reason.size()), ")\n");
    }
    if (row.shed_fraction() > 0 && row.source() < static_cast<std::uint32_t>(table.regions_size())) {
      absl::StrAppend(&text, "  ", table.regions(static_cast<int>(row.source())), " sheds ",
                      Percent(row.shed_fraction()), "\n");
    }
  }
  return text;
}

std::string PanelText(const PanelView& view, bool colour) {
  const Phase& phase = view.script.At(view.now_s);
  std::string text = absl::StrFormat("%s  %s\n%.0f s of %.0f s, %d jobs in flight, routing table %d.%d\n\n",
                                     Paint(absl::StrCat("phase ", phase.name), Style::kBold, colour),
                                     phase.story, view.now_s, view.script.length_s(), view.in_flight,
                                     view.seen.table.epoch(), view.seen.table.version());
  const Align right = Align::kRight;
  TextTable table({{"REGION"},
                   {"LOCAL", right},
                   {"JOBS/S", right},
                   {"LOAD"},
                   {"", right},
                   {"HOME LOAD", right},
                   {"SERVED HOME", right},
                   {"SUCCESS", right},
                   {"P50", right},
                   {"P99", right},
                   {"OFFERS/JOB", right}});
  for (std::size_t i = 0; i < view.fleet.world.regions.size(); ++i) table.Add(RegionRow(view, RegionId(i)));
  absl::StrAppend(&text, table.Render(colour), "\n");
  const std::string routes = RouteSentences(view.seen);
  absl::StrAppend(&text, routes.empty() ? "  every region serves its own jobs\n" : routes);
  return text;
}

std::string PlainLine(const PanelView& view) {
  JobSums all;
  std::string loads;
  for (std::size_t i = 0; i < view.fleet.world.regions.size(); ++i) {
    const JobSums sums = view.tally.Recent(RegionId(i), view.now_s);
    const std::string& name = view.fleet.world.regions[RegionId(i)].name;
    all.jobs += sums.jobs;
    all.done += sums.done;
    all.home += sums.home;
    all.offers += sums.offers;
    all.latency_s.Merge(sums.latency_s);
    const v1::RegionStatus* status = StatusOf(view.seen, name);
    absl::StrAppendFormat(&loads, "  %s %.2f", name, status == nullptr ? 0 : status->load());
  }
  return absl::StrFormat(
      "%3.0f s %-6s load%s | served home %s, success %s, p50 %.2f s, p99 %.2f s, %.1f offers a job\n",
      view.now_s, view.script.At(view.now_s).name, loads, Shortened(all.home_share()),
      Shortened(all.success()), all.latency_s.Quantile(0.5), all.latency_s.Quantile(0.99),
      all.offers_per_job());
}

}  // namespace ringway::demo
