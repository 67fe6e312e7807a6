// What the cells of a trace are made of: fields, numbers, dates, and the units of numbers.
//
// A row is cut at its commas; a field in double quotes may hold commas and doubled quotes, and keeps these
// as they stand. A row ends with its line, whatever quotes are open. Dates are YYYY-MM-DD hh:mm:ss with ' '
// or 'T' between and any number of fractional digits, taken as UTC. The unit of a number may stand behind
// the name of its column: timestamp_ms, duration (s).
//
// Pure, views into the caller's text, linear in it. Errors: none; what cannot be read is no value.
#ifndef RINGWAY_SIM_DEMAND_TRACE_TEXT_H_
#define RINGWAY_SIM_DEMAND_TRACE_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::sim {

enum class TraceUnit : std::size_t { kFound, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };
// As a scenario writes them, by TraceUnit.
inline constexpr std::string_view kTraceUnits[] = {"auto", "s", "ms", "us", "ns"};

double SecondsPer(TraceUnit unit);

// Without blanks and quotes around it.
std::string_view TrimmedCell(std::string_view text);
// Cuts the next line off `text`.
std::string_view TakeLine(std::string_view& text);
// The first `most` fields of a line, trimmed, into `fields`; fewer if the line has fewer.
void SplitRow(std::string_view line, std::size_t most, std::vector<std::string_view>& fields);

// Finite, and nothing else in the cell.
std::optional<double> ParseTraceNumber(std::string_view text);
// In seconds since 1970.
std::optional<double> ParseTraceDate(std::string_view text);

// Cuts the unit off a column's name, which comes out in small letters; kFound: it names none.
TraceUnit TakeUnit(std::string_view column, std::string& name);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_DEMAND_TRACE_TEXT_H_
