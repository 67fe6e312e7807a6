// A recorded stream of jobs from CSV text: when each came, and what else the file tells of it.
//
// Each field has its column: named by the caller, or found by its name in any case, with a unit behind it or
// not (timestamp_ms). Only the time has to be there. What is known of the customary names:
//
//   time      timestamp, time, arrived_at, arrival_timestamp; else arrival_time, arrival, submitted_at
//             or created_at
//   service   service, service_time, duration, runtime, run_time, processing_time, execution_time, exec_time
//   tier      tier; else model, model_id, model_name        tenant    tenant, tenant_id; else user, user_id
//   priority  priority, prio                                 deadline  deadline; else timeout
//   region    region, source_region                          size      size, cost
//
// Times are numbers or dates, and come out ascending from 0; lines out of order are sorted and counted. The
// unit of their numbers is what the caller says, else the column's name, else what their size tells (a count
// from 1970, or a fraction: nobody writes fractions of a millisecond). Whole numbers that may be seconds as
// well as milliseconds are refused: a wrong guess is wrong by a thousand, and looks like a plausible trace.
// Spans (service, deadline) have no such signs, so that their unit must be named. A deadline is counted from
// the arrival, or is a date. An empty cell is a job of which nothing is known there. Sizes are relative.
//
// Empty lines and a byte order mark are skipped. The public Azure LLM inference traces load as they are.
// Errors name file, line and column, what was found and what is allowed; nothing is half-loaded.
// Bounds: kTraceRowsMax rows, kTraceColumnsMax columns, spans of kTraceSpanMaxS. Threads: pure function over
// text.
#ifndef RINGWAY_SIM_DEMAND_TRACE_H_
#define RINGWAY_SIM_DEMAND_TRACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/demand/trace_text.h"

namespace ringway::sim {

inline constexpr std::size_t kTraceRowsMax = 200'000'000;
inline constexpr std::size_t kTraceColumnsMax = 1000;
// Of a service time and of a deadline: 100 days. What is longer is a date, or has another unit.
inline constexpr double kTraceSpanMaxS = 100.0 * 86400;

enum class TraceField : std::size_t { kTime, kService, kTier, kTenant, kPriority, kDeadline, kRegion, kSize };
inline constexpr std::size_t kTraceFields = 8;
// As a scenario writes them, by TraceField.
inline constexpr std::string_view kTraceFieldNames[kTraceFields] = {
    "time", "service", "tier", "tenant", "priority", "deadline", "region", "size"};

// Where a caller wants the fields from.
struct TraceColumns {
  static constexpr std::string_view kLeftOut = "none";
  struct Choice {
    std::string name;  // of the column; empty: by the customary names; kLeftOut: not read
    TraceUnit unit = TraceUnit::kFound;
  };
  std::array<Choice, kTraceFields> fields;
  Choice& operator[](TraceField field) { return fields[static_cast<std::size_t>(field)]; }
  const Choice& operator[](TraceField field) const { return fields[static_cast<std::size_t>(field)]; }
  // The time alone.
  static TraceColumns OnlyTimes();
};

// A column of words; each different one is held once.
struct TraceWords {
  std::string column;              // its header
  std::vector<std::string> names;  // in order of appearance; an empty cell is the empty name
  std::vector<std::size_t> lines;  // where each name stands first
  std::vector<std::uint32_t> of;   // of each job, an index into names; empty: no such column
};

struct Trace {
  static constexpr double kNotRecorded = -1;

  std::string file;
  std::vector<double> offsets_s;       // ascending, first is 0
  TraceUnit unit = TraceUnit::kFound;  // that numbers were read in; kFound: they were dates
  std::size_t out_of_order = 0;        // lines that were earlier than the one before
  std::optional<double> since_1970_s;  // of the first arrival, if the file tells dates
  // Of each job, in the same order; a whole column empty: not in the file. kNotRecorded: an empty cell.
  std::vector<double> service_s;   // >= 0
  std::vector<double> deadline_s;  // from the arrival, > 0
  std::vector<double> size;        // > 0
  TraceWords tier, tenant, priority, region;
  // Of the gaps between arrivals: 1 for Poisson, above for bursts.
  double GapCv() const;
};

// `file` names the text in errors.
absl::StatusOr<Trace> ParseTraceJobs(std::string_view text, const std::string& file,
                                     const TraceColumns& columns = {});

// The times alone. `column` empty: found by its name.
absl::StatusOr<Trace> ParseTraceCsv(std::string_view text, const std::string& file,
                                    const std::string& column = "", TraceUnit unit = TraceUnit::kFound);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_DEMAND_TRACE_H_
