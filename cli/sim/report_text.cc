// A run's report for a screen.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/fleet_view.h"
#include "cli/sim/sim_commands.h"
#include "cli/text_table.h"

namespace ringway::cli {
namespace {

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

TextTable RegionTable(const sim::RunReport& report) {
  const Align right = Align::kRight;
  std::vector<Column> columns = {{"REGION"},
                                 {"WORKERS", right},
                                 {"BUSY", right},
                                 {"USERS' JOBS", right},
                                 {"SERVED HOME", right},
                                 {"SERVED FOR OTHERS", right}};
  if (report.cost) {
    columns.insert(columns.end(), {{"GPU HOURS", right}, {"GPU COST", right}, {"EGRESS COST", right}});
  }
  TextTable table(std::move(columns));
  for (const sim::RegionReport& region : report.regions) {
    const double home = Share(static_cast<double>(region.served_home), static_cast<double>(region.served));
    std::vector<Cell> cells = {region.name,
                               absl::StrFormat("%d", region.workers),
                               Percent(region.busy_share),
                               absl::StrFormat("%d", region.served),
                               Percent(home),
                               absl::StrFormat("%d", region.served_guest)};
    if (report.cost) {
      cells.insert(cells.end(),
                   {absl::StrFormat("%.2f", region.cost.gpu_hours), absl::StrFormat("%.2f", region.cost.gpu),
                    absl::StrFormat("%.2f", region.cost.egress)});
    }
    table.Add(std::move(cells));
  }
  return table;
}

std::string CostText(const sim::RunReport& report) {
  if (!report.cost) return "";
  std::string text = absl::StrFormat(
      "cost               %.2f: %.2f for %.2f GPU hours, %.2f for %.3g GB that left a region\n",
      report.cost->total(), report.cost->gpu, report.cost->gpu_hours, report.cost->egress,
      report.cost->egress_gb);
  const double per_1000 = report.figures[sim::Figure::kCostPer1000];
  absl::StrAppendFormat(&text, "                   %s\n",
                        std::isfinite(per_1000) ? absl::StrFormat("%.4g for 1000 served jobs", per_1000)
                                                : "no job was served for it");
  return text;
}

std::string References(const sim::RunReport& report) {
  std::string text;
  for (std::size_t t = 0; t < report.references.size(); ++t) {
    const sim::TierReference& tier = report.references[t];
    if (tier.offered_erlangs <= 0) continue;
    absl::StrAppendFormat(
        &text,
        "one perfect queue  %s served, wait mean %.3f s, p99 %.3f s (tier %s, %.1f erlangs on "
        "%d workers)\n",
        Percent(tier.central_served), tier.central_wait_mean_s, tier.central_wait_p99_s, report.tier_names[t],
        tier.offered_erlangs, tier.workers);
    absl::StrAppendFormat(&text, "Erlang             %s served without any wait",
                          Percent(tier.erlang_b_served));
    if (std::isfinite(tier.erlang_c_wait_s)) {
      absl::StrAppendFormat(&text, "; mean wait of M/M/c %.3f s", tier.erlang_c_wait_s);
    }
    text += "\n";
  }
  if (report.plan_cost_over_optimum > 0) {
    absl::StrAppendFormat(&text, "plans              cost %.4f of the least RPS x RTT\n",
                          report.plan_cost_over_optimum);
  }
  return text;
}

}  // namespace

std::string ReportText(const sim::RunReport& report, bool colour) {
  const sim::Figures& f = report.figures;
  const auto of = [&](Outcome outcome) { return report.outcomes[static_cast<std::size_t>(outcome)]; };
  std::string text = RegionTable(report).Render(colour) + "\n";
  absl::StrAppendFormat(&text, "jobs submitted     %.0f\n", f[sim::Figure::kSubmitted]);
  absl::StrAppendFormat(&text, "served             %s, %s of them home\n",
                        Percent(f[sim::Figure::kServedShare]), Percent(f[sim::Figure::kHomeShare]));
  absl::StrAppendFormat(&text, "not served         %d shed, %d too late, %d failed, %d cancelled\n",
                        of(Outcome::kShed), of(Outcome::kTimeout), of(Outcome::kFailed),
                        of(Outcome::kCancelled));
  if (report.still_waiting + report.still_running > 0) {
    absl::StrAppendFormat(&text, "at the end         %d still waiting (counted as not served), %d running\n",
                          report.still_waiting, report.still_running);
  }
  absl::StrAppendFormat(&text, "wait               mean %.3f s, p50 %.3f s, p99 %.3f s\n",
                        f[sim::Figure::kWaitMeanS], f[sim::Figure::kWaitP50S], f[sim::Figure::kWaitP99S]);
  absl::StrAppendFormat(&text, "latency            p50 %.3f s, p99 %.3f s\n", f[sim::Figure::kLatencyP50S],
                        f[sim::Figure::kLatencyP99S]);
  absl::StrAppendFormat(&text, "offers/served      %.2f\n", f[sim::Figure::kOffersPerServed]);
  absl::StrAppendFormat(&text, "wasted GPU time    %s\n", Percent(f[sim::Figure::kWastedShare]));
  text += CostText(report);
  text += References(report);
  absl::StrAppendFormat(&text, "simulated          %.0f s, %d events\n", report.duration_s, report.events);
  return text;
}

}  // namespace ringway::cli
