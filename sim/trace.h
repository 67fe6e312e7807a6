// A recorded arrival process from CSV text: the moments at which requests came, nothing else.
//
// One column holds the time: named by the caller, or the first header that reads timestamp, time, arrived_at
// or arrival_timestamp in any case, with a unit behind it or not (timestamp_ms). Values are numbers, or a
// date and time with any number of fractional digits, with ' ' or 'T' between, taken as UTC. Offsets come out
// ascending from 0; lines out of order are sorted and counted. Empty lines and a byte order mark are skipped.
// The public Azure LLM inference traces load as they are.
//
// The unit of numbers is what the caller says, else the column's name, else what their size tells (a count
// from 1970, or a fraction: nobody writes fractions of a millisecond). Whole numbers that may be seconds as
// well as milliseconds are refused: a wrong guess is wrong by a thousand, and looks like a plausible trace.
//
// Errors name file, line and column, what was found and what is allowed; nothing is half-loaded.
// Bounds: kTraceRowsMax rows. Threads: pure function over text.
#ifndef RINGWAY_SIM_TRACE_H_
#define RINGWAY_SIM_TRACE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ringway::sim {

inline constexpr std::size_t kTraceRowsMax = 200'000'000;

enum class TraceUnit : std::size_t { kFound, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };
// As a scenario writes them, by TraceUnit.
inline constexpr std::string_view kTraceUnits[] = {"auto", "s", "ms", "us", "ns"};

struct Trace {
  std::vector<double> offsets_s;       // ascending, first is 0
  TraceUnit unit = TraceUnit::kFound;  // that numbers were read in; kFound: they were dates
  std::size_t out_of_order = 0;        // lines that were earlier than the one before
  // Of the gaps between arrivals: 1 for Poisson, above for bursts.
  double GapCv() const;
};

// `file` names the text in errors. `column` empty: found by its name.
absl::StatusOr<Trace> ParseTraceCsv(std::string_view text, const std::string& file,
                                    const std::string& column = "", TraceUnit unit = TraceUnit::kFound);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_TRACE_H_
