// A run's report as JSON and CSV.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/job.h"
#include "core/json.h"
#include "sim/report/run_report.h"

namespace ringway::sim {
namespace {

// One line each: there are hundreds of numbers.
std::string Numbers(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "");
    absl::StrAppendFormat(&text, "%.5g", value);
  }
  return text + "]";
}

void WriteCost(const RunCost& cost, JsonWriter& json) {
  json.Key("cost").BeginObject().Key("gpu_hours").Number(cost.gpu_hours).Key("gpu").Number(cost.gpu);
  json.Key("egress_gb").Number(cost.egress_gb).Key("egress").Number(cost.egress);
  json.Key("total").Number(cost.total()).End();
}

void WriteRegions(const RunReport& report, JsonWriter& json) {
  json.Key("regions").BeginArray();
  for (const RegionReport& region : report.regions) {
    json.BeginObject();
    json.Key("name").Text(region.name);
    json.Key("title").Text(region.title);
    json.Key("latitude").Number(region.latitude_deg);
    json.Key("longitude").Number(region.longitude_deg);
    json.Key("workers").Integer(region.workers);
    json.Key("busy_share").Number(region.busy_share);
    json.Key("served").Integer(static_cast<std::int64_t>(region.served));
    json.Key("served_home").Integer(static_cast<std::int64_t>(region.served_home));
    json.Key("served_guest").Integer(static_cast<std::int64_t>(region.served_guest));
    if (report.cost) WriteCost(region.cost, json);
    json.End();
  }
  json.End();
  json.Key("flows").BeginArray();
  for (const auto& row : report.flows) {
    json.Raw(Numbers(std::vector<double>(row.begin(), row.end())));
  }
  json.End();
}

void WriteSeries(const Series& series, JsonWriter& json) {
  json.Key("series").BeginObject();
  json.Key("bin_s").Number(series.bin_s);
  json.Key("submitted_rps").Raw(Numbers(series.submitted));
  json.Key("served_rps").Raw(Numbers(series.served));
  json.Key("unserved_rps").Raw(Numbers(series.unserved));
  json.Key("offers_per_served").Raw(Numbers(series.offers_per_served));
  json.Key("wait_mean_s").Raw(Numbers(series.wait_mean_s));
  json.Key("latency_p99_s").Raw(Numbers(series.latency_p99_s));
  json.Key("tables_per_minute").Raw(Numbers(series.tables));
  json.Key("busy_share").BeginArray();
  for (const std::vector<double>& region : series.busy) json.Raw(Numbers(region));
  json.End();
  json.End();
}

void WriteReferences(const RunReport& report, JsonWriter& json) {
  json.Key("references").BeginArray();
  for (std::size_t t = 0; t < report.references.size(); ++t) {
    const TierReference& tier = report.references[t];
    json.BeginObject();
    json.Key("tier").Text(report.tier_names[t]);
    json.Key("workers").Integer(static_cast<std::int64_t>(tier.workers));
    json.Key("offered_erlangs").Number(tier.offered_erlangs);
    json.Key("erlang_b_served_share").Number(tier.erlang_b_served);
    json.Key("erlang_c_wait_mean_s").Number(tier.erlang_c_wait_s);
    json.Key("central_queue_served_share").Number(tier.central_served);
    json.Key("central_queue_wait_mean_s").Number(tier.central_wait_mean_s);
    json.Key("central_queue_wait_p99_s").Number(tier.central_wait_p99_s);
    json.End();
  }
  json.End();
  json.Key("plan_cost_over_optimum").Number(report.plan_cost_over_optimum);
}

}  // namespace

std::string ReportJson(const RunReport& report) {
  JsonWriter json;
  json.BeginObject();
  json.Key("format").Integer(1);
  json.Key("scenario").Text(report.scenario);
  json.Key("seed").Integer(static_cast<std::int64_t>(report.seed));
  json.Key("complete").Flag(report.complete);
  json.Key("duration_s").Number(report.duration_s);
  json.Key("warmup_s").Number(report.warmup_s);
  json.Key("events").Integer(static_cast<std::int64_t>(report.events));
  json.Key("remarks").Texts(report.remarks);
  json.Key("violations").Texts(report.violations);
  json.Key("figures").BeginObject();
  for (std::size_t i = 0; i < FiguresTold(report.figures.priced()); ++i) {
    const auto figure = static_cast<Figure>(i);
    json.Key(TextOf(figure).name).Number(report.figures[figure]);
  }
  json.End();
  if (report.cost) WriteCost(*report.cost, json);
  json.Key("outcomes").BeginObject();
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    json.Key(OutcomeName(static_cast<Outcome>(i))).Integer(static_cast<std::int64_t>(report.outcomes[i]));
  }
  json.End();
  json.Key("still_waiting").Integer(static_cast<std::int64_t>(report.still_waiting));
  json.Key("still_running").Integer(static_cast<std::int64_t>(report.still_running));
  json.Key("quantiles").Raw(Numbers({std::begin(kQuantilesShown), std::end(kQuantilesShown)}));
  json.Key("wait_s").Raw(Numbers(report.wait_s));
  json.Key("latency_s").Raw(Numbers(report.latency_s));
  json.Key("steps").BeginArray();
  for (const StepReport& step : report.steps) {
    json.BeginObject().Key("what").Text(step.what).Key("at_s").Number(step.at_s);
    json.Key("lasts_s").Number(step.lasts_s).End();
  }
  json.End();
  WriteRegions(report, json);
  WriteReferences(report, json);
  WriteSeries(report.series, json);
  json.End();
  return json.text();
}

std::string SeriesCsv(const RunReport& report) {
  const Series& s = report.series;
  std::string text =
      "time_s,submitted_rps,served_rps,unserved_rps,offers_per_served,wait_mean_s,latency_p99_s,"
      "tables_per_minute";
  for (const RegionReport& region : report.regions) absl::StrAppend(&text, ",busy_", region.name);
  text += "\n";
  for (std::size_t i = 0; i < s.submitted.size(); ++i) {
    absl::StrAppendFormat(&text, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", s.bin_s * static_cast<double>(i),
                          s.submitted[i], s.served[i], s.unserved[i], s.offers_per_served[i],
                          s.wait_mean_s[i], s.latency_p99_s[i], s.tables[i]);
    for (const std::vector<double>& region : s.busy) absl::StrAppendFormat(&text, ",%.6g", region[i]);
    text += "\n";
  }
  return text;
}

}  // namespace ringway::sim
