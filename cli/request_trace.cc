#include "cli/request_trace.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/fleet_view.h"
#include "cli/text_table.h"
#include "core/time.h"

namespace ringway::cli {
namespace {

Style StyleOf(const v1::End& end) { return end.outcome() == "done" ? Style::kGood : Style::kBad; }

std::string StepLine(const v1::TraceStep& step) {
  std::string line = absl::StrFormat("  %8.3f s  %s", step.at_s(), step.what());
  if (step.what() == "answered") {
    absl::StrAppend(&line, " by ", step.whom(), ": ", step.detail());
  } else if (step.what() == "accepted") {
    absl::StrAppend(&line, " by ", step.whom(), " in ", step.detail());
  } else if (!step.whom().empty()) {
    absl::StrAppend(&line, " to ", step.whom(), " (", step.detail(), ")");
  }
  return line + "\n";
}

std::string Heading(const v1::RequestTrace& trace, bool colour) {
  std::string text =
      Paint(absl::StrCat("at router ", trace.router(), " in ", trace.router_region()), Style::kBold, colour);
  absl::StrAppend(&text, trace.forwarded() ? ", forwarded by another router" : ", where it entered");
  absl::StrAppend(&text, ", ",
                  absl::FormatTime("%Y-%m-%d %H:%M:%E3S UTC", FromUnixMicros(trace.arrived_unix_us()),
                                   absl::UTCTimeZone()),
                  "\n");
  absl::StrAppendFormat(&text, "  tier %s, priority %s%s, %.3f s old, %.3f s left to its deadline\n",
                        trace.tier(), trace.priority(),
                        trace.model().empty() ? "" : ", model " + trace.model(), trace.age_s(),
                        trace.deadline_s());
  return text;
}

std::string Ending(const v1::RequestTrace& trace, const v1::StatusReply& fleet, bool colour) {
  const v1::End& end = trace.end();
  const v1::JobTrace& told = end.trace();
  std::string text = absl::StrFormat("  %8.3f s  ended: ", trace.took_s());
  absl::StrAppend(&text, Paint(end.outcome(), StyleOf(end), colour),
                  end.message().empty() ? "" : ": " + end.message(), "\n");
  absl::StrAppend(&text, "  route    ", told.source_region(), " -> ", told.region(), " (", told.reason(),
                  ", ", RingName(fleet, trace.tier(), static_cast<int>(told.ring()) - 1), ") by table ",
                  told.table_epoch(), ".", told.table_version(), "\n");
  absl::StrAppend(&text, "  offers   ", told.offers(), " to workers, ", told.busy(), " met a busy one",
                  told.worker().empty() ? "" : "; served by " + told.worker(), "\n");
  absl::StrAppendFormat(&text,
                        "  time     waited %.3f s (scheduling delay %.3f s), served %.3f s, network %.3f s\n",
                        told.wait_s(), told.delay_s(), told.service_s(), told.network_s());
  return text;
}

}  // namespace

std::vector<v1::RequestTrace> InOrder(const std::vector<v1::TellReply>& replies) {
  std::vector<v1::RequestTrace> traces;
  for (const v1::TellReply& reply : replies) {
    traces.insert(traces.end(), reply.traces().begin(), reply.traces().end());
  }
  std::stable_sort(traces.begin(), traces.end(), [](const v1::RequestTrace& a, const v1::RequestTrace& b) {
    return std::tuple(a.forwarded(), a.arrived_unix_us()) < std::tuple(b.forwarded(), b.arrived_unix_us());
  });
  return traces;
}

std::string TraceText(const std::vector<v1::RequestTrace>& traces, const v1::StatusReply& fleet,
                      bool colour) {
  std::string text;
  for (const v1::RequestTrace& trace : traces) {
    if (text.empty()) {
      text = absl::StrCat(Paint(absl::StrCat("request ", trace.request_id()), Style::kBold, colour), "\n");
    }
    absl::StrAppend(&text, Heading(trace, colour));
    for (const v1::TraceStep& step : trace.steps()) text += StepLine(step);
    if (trace.steps_left_out() > 0) absl::StrAppend(&text, "  and ", trace.steps_left_out(), " more steps\n");
    text += Ending(trace, fleet, colour);
  }
  return text;
}

}  // namespace ringway::cli
