// A recorded arrival process from CSV text: the moments at which requests came, nothing else.
//
// One column holds the time: named by the caller, or the first header that reads timestamp, time, arrived_at
// or arrival_timestamp in any case. Values are seconds (a number), or a date and time with any number of
// fractional digits, with ' ' or 'T' between, taken as UTC. Offsets come out ascending from 0; lines out of
// order are sorted and counted. Empty lines and a byte order mark are skipped. The public Azure LLM inference
// traces load as they are.
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

struct Trace {
  std::vector<double> offsets_s;  // ascending, first is 0
  std::size_t out_of_order = 0;   // lines that were earlier than the one before
  // Of the gaps between arrivals: 1 for Poisson, above for bursts.
  double GapCv() const;
};

// `file` names the text in errors. `column` empty: found by its name.
absl::StatusOr<Trace> ParseTraceCsv(std::string_view text, const std::string& file,
                                    const std::string& column = "");

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_TRACE_H_
