#include "cli/load/summary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/text_table.h"

namespace ringway::load {
namespace {

using cli::Cell;
using cli::Style;

constexpr double kQuantiles[] = {0.5, 0.9, 0.95, 0.99};
constexpr std::size_t kExampleBytesMax = 160;
// Later than this, the sender's own lateness is a part of what it measured.
constexpr double kLateS = 0.1;

std::string Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0
             ? "-"
             : absl::StrFormat("%.1f %%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string Offers(const Counts& counts) {
  if (counts.placed == 0) return "-";
  return absl::StrFormat("%.2f", static_cast<double>(counts.offers) / static_cast<double>(counts.placed));
}

std::string SecondsText(const Histogram& histogram, double q) {
  return histogram.count() == 0 ? "-" : absl::StrFormat("%.3f s", histogram.Quantile(q));
}

void AddTo(Counts& counts, const v1::End& end, double latency_s) {
  const v1::JobTrace& trace = end.trace();
  counts.offers += trace.offers();
  if (trace.offers() > 0) ++counts.placed;
  switch (FateOf(end.outcome())) {
    case Fate::kRefused:
      ++counts.refused;
      return;
    case Fate::kFailed:
      ++counts.failed;
      return;
    case Fate::kDone:
      break;
  }
  ++counts.done;
  if (trace.region() == trace.source_region()) ++counts.home;
  counts.latency_s.Add(std::max(0.0, latency_s));
  counts.wait_s.Add(std::max(0.0, trace.wait_s()));
  counts.service_s.Add(std::max(0.0, trace.service_s()));
}

cli::TextTable TimeTable(const Counts& counts) {
  const cli::Align right = cli::Align::kRight;
  cli::TextTable table({{"TIME"},
                        {"MEAN", right},
                        {"P50", right},
                        {"P90", right},
                        {"P95", right},
                        {"P99", right},
                        {"MAX", right}});
  const std::pair<const char*, const Histogram*> rows[] = {{"latency, as clients feel it", &counts.latency_s},
                                                           {"wait for a worker", &counts.wait_s},
                                                           {"service on the worker", &counts.service_s}};
  for (const auto& [name, histogram] : rows) {
    std::vector<Cell> row = {name, absl::StrFormat("%.3f s", histogram->mean())};
    for (const double q : kQuantiles) row.emplace_back(SecondsText(*histogram, q));
    row.emplace_back(absl::StrFormat("%.3f s", histogram->max()));
    table.Add(std::move(row));
  }
  return table;
}

void WriteTimes(const Histogram& histogram, JsonWriter& json) {
  json.BeginObject().Key("mean").Number(histogram.mean());
  for (const double q : kQuantiles) json.Key(absl::StrFormat("p%.0f", 100 * q)).Number(histogram.Quantile(q));
  json.Key("max").Number(histogram.max()).End();
}

void WriteCounts(const Counts& counts, JsonWriter& json) {
  const auto integer = [&](const char* key, std::uint64_t value) {
    json.Key(key).Integer(static_cast<std::int64_t>(value));
  };
  integer("sent", counts.sent);
  integer("done", counts.done);
  integer("refused", counts.refused);
  integer("failed", counts.failed);
  integer("served_at_home", counts.home);
  integer("offers", counts.offers);
  integer("placed", counts.placed);
  json.Key("latency_s");
  WriteTimes(counts.latency_s, json);
  json.Key("wait_s");
  WriteTimes(counts.wait_s, json);
  json.Key("service_s");
  WriteTimes(counts.service_s, json);
}

}  // namespace

Fate FateOf(std::string_view outcome) {
  if (outcome == "done") return Fate::kDone;
  for (const std::string_view refusal : {"shed", "rejected", "busy", "timeout"}) {
    if (outcome == refusal) return Fate::kRefused;
  }
  return Fate::kFailed;
}

void Summary::Late(double late_s) { late_s_max_ = std::max(late_s_max_, late_s); }

void Summary::Add(const std::string& region, const v1::End& end, double latency_s) {
  AddTo(all_, end, latency_s);
  AddTo(regions_[region], end, latency_s);
  if (end.outcome() == "done") return;
  const bool known = reasons_.contains(end.outcome());
  Reason& reason = reasons_[known || reasons_.size() < kReasonsMax ? end.outcome() : "other"];
  ++reason.jobs;
  if (reason.example.empty()) reason.example = end.message().substr(0, kExampleBytesMax);
}

std::string Summary::ProgressText(double at_s) const {
  return absl::StrFormat("%4.0f s  sent %d  done %d  refused %d  failed %d  in flight %d  p50 %s  p99 %s",
                         at_s, all_.sent, all_.done, all_.refused, all_.failed, all_.sent - all_.ended(),
                         SecondsText(all_.latency_s, 0.5), SecondsText(all_.latency_s, 0.99));
}

std::string Summary::Text(double took_s, bool colour) const {
  const cli::Align right = cli::Align::kRight;
  std::string text = absl::StrFormat("%d jobs sent in %.1f s (%.2f a second): ", all_.sent, took_s,
                                     took_s > 0 ? static_cast<double>(all_.sent) / took_s : 0.0);
  const bool clean = all_.done == all_.sent && not_sent_ == 0;
  absl::StrAppend(&text,
                  cli::Paint(absl::StrCat("done ", all_.done, " (", Share(all_.done, all_.sent), ")"),
                             clean ? Style::kGood : Style::kWarning, colour),
                  ", refused ", all_.refused, ", failed ", all_.failed, "\n");
  if (not_sent_ > 0)
    absl::StrAppend(&text, not_sent_, " more were due and not sent: too many were in flight here\n");
  for (const auto& [outcome, reason] : reasons_) {
    absl::StrAppend(&text, "  ", FateOf(outcome) == Fate::kRefused ? "refused" : "failed", " as ", outcome,
                    ": ", reason.jobs,
                    reason.example.empty() ? "" : absl::StrCat(", for example \"", reason.example, "\""),
                    "\n");
  }
  absl::StrAppend(&text, "\n", TimeTable(all_).Render(colour), "\n");
  cli::TextTable table({{"ENTERED IN"},
                        {"SENT", right},
                        {"DONE", right},
                        {"REFUSED", right},
                        {"FAILED", right},
                        {"SERVED HOME", right},
                        {"OFFERS/JOB", right},
                        {"P50", right},
                        {"P99", right}});
  for (const auto& [region, counts] : regions_) {
    table.Add({region, absl::StrCat(counts.sent), absl::StrCat(counts.done), absl::StrCat(counts.refused),
               absl::StrCat(counts.failed), Share(counts.home, counts.done), Offers(counts),
               SecondsText(counts.latency_s, 0.5), SecondsText(counts.latency_s, 0.99)});
  }
  text += table.Render(colour);
  if (late_s_max_ > kLateS) {
    absl::StrAppendFormat(
        &text, "\nSome jobs left up to %.1f s late: this machine is too busy to send at this rate.\n",
        late_s_max_);
  }
  return text;
}

void Summary::WriteJson(double took_s, JsonWriter& json) const {
  json.BeginObject().Key("took_s").Number(took_s);
  WriteCounts(all_, json);
  json.Key("not_sent").Integer(static_cast<std::int64_t>(not_sent_));
  json.Key("late_s_max").Number(late_s_max_);
  json.Key("reasons").BeginObject();
  for (const auto& [outcome, reason] : reasons_)
    json.Key(outcome).Integer(static_cast<std::int64_t>(reason.jobs));
  json.End().Key("regions").BeginObject();
  for (const auto& [region, counts] : regions_) {
    json.Key(region).BeginObject();
    WriteCounts(counts, json);
    json.End();
  }
  json.End().End();
}

}  // namespace ringway::load
