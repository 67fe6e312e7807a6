#include "sim/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace ringway::sim {
namespace {

constexpr std::string_view kTimeColumns[] = {"timestamp", "time", "arrived_at", "arrival_timestamp"};

std::string_view Trimmed(std::string_view text) {
  constexpr char kBlank[] = " \t\r\n\"";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// The n-th field of a line, or nothing. Quoted fields may not contain commas: no trace seen so far does.
std::optional<std::string_view> Field(std::string_view line, std::size_t n) {
  std::size_t start = 0;
  for (;; --n) {
    const std::size_t comma = line.find(',', start);
    if (n == 0) return Trimmed(line.substr(start, comma == std::string_view::npos ? comma : comma - start));
    if (comma == std::string_view::npos) return std::nullopt;
    start = comma + 1;
  }
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Fixed-width digits of text at `at`; fails on anything else.
std::optional<int> Digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// YYYY-MM-DD[ T]hh:mm:ss[.digits][Z or +hh:mm], in seconds since 1970.
std::optional<double> ParseDate(std::string_view text) {
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') ||
      text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const auto year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  const auto hour = Digits(text, 11, 2), minute = Digits(text, 14, 2), second = Digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  double fraction = 0;
  std::size_t at = 19;
  if (at < text.size() && text[at] == '.') {
    double unit = 0.1;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, unit /= 10) {
      fraction += unit * (text[at] - '0');
    }
  }
  const std::string_view zone = text.substr(at);
  if (!zone.empty() && zone != "Z" && zone != "+00:00" && zone != "+00") return std::nullopt;
  const absl::CivilSecond civil(*year, *month, *day, *hour, *minute, *second);
  return static_cast<double>(absl::ToUnixSeconds(absl::FromCivil(civil, absl::UTCTimeZone()))) + fraction;
}

absl::Status BadPlace(const std::string& file, std::size_t line, std::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat(file, ":", line, ": ", absl::string_view(problem.data(), problem.size())));
}

// The place of a part of a line, in characters from 1.
std::string At(const std::string& file, std::size_t line_number, std::string_view line,
               std::string_view part) {
  return absl::StrCat(file, ":", line_number, ":",
                      part.data() == nullptr ? 1 : part.data() - line.data() + 1);
}

struct Suffix {
  std::string_view text;
  TraceUnit unit;
};
constexpr Suffix kSuffixes[] = {
    {"_ms", TraceUnit::kMilliseconds},  {"_millis", TraceUnit::kMilliseconds},
    {"_us", TraceUnit::kMicroseconds},  {"_ns", TraceUnit::kNanoseconds},
    {"_s", TraceUnit::kSeconds},        {"_sec", TraceUnit::kSeconds},
    {"_seconds", TraceUnit::kSeconds},  {"(ms)", TraceUnit::kMilliseconds},
    {"(us)", TraceUnit::kMicroseconds}, {"(ns)", TraceUnit::kNanoseconds},
    {"(s)", TraceUnit::kSeconds},
};

// Cuts the unit off a column's name, in small letters.
TraceUnit TakeUnit(std::string& lower) {
  for (const Suffix& suffix : kSuffixes) {
    if (!lower.ends_with(suffix.text)) continue;
    lower = std::string(Trimmed(std::string_view(lower).substr(0, lower.size() - suffix.text.size())));
    return suffix.unit;
  }
  return TraceUnit::kFound;
}

bool IsTimeColumn(std::string_view name, const std::string& wanted) {
  if (!wanted.empty()) return name == wanted;
  std::string lower = absl::AsciiStrToLower(absl::string_view(name.data(), name.size()));
  TakeUnit(lower);
  return std::find(std::begin(kTimeColumns), std::end(kTimeColumns), lower) != std::end(kTimeColumns);
}

double SecondsPer(TraceUnit unit) {
  constexpr double kSeconds[] = {1, 1, 1e-3, 1e-6, 1e-9};
  return kSeconds[static_cast<std::size_t>(unit)];
}

// What plain numbers are: their size tells where they count from 1970 (a date between 2001 and 2286 has
// 10 digits in seconds, 13 in milliseconds). Else a fraction is one of a second, and so is a trace that
// would be over within a second if its whole numbers were milliseconds. What remains could be either.
std::optional<TraceUnit> UnitBySize(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  constexpr double kFirst = 1e9, kLast = 1e10;  // of dates, in seconds
  for (const TraceUnit unit :
       {TraceUnit::kSeconds, TraceUnit::kMilliseconds, TraceUnit::kMicroseconds, TraceUnit::kNanoseconds}) {
    if (*least * SecondsPer(unit) >= kFirst && *least * SecondsPer(unit) < kLast) return unit;
  }
  const bool whole =
      std::all_of(values.begin(), values.end(), [](double value) { return value == std::floor(value); });
  if (!whole || *most - *least < 1000) return TraceUnit::kSeconds;
  return std::nullopt;
}

absl::StatusOr<std::size_t> FindTimeColumn(std::string_view header, const std::string& file,
                                           const std::string& wanted) {
  std::string seen;
  for (std::size_t n = 0;; ++n) {
    const auto name = Field(header, n);
    if (!name) break;
    if (IsTimeColumn(*name, wanted)) return n;
    absl::StrAppend(&seen, n > 0 ? ", " : "",
                    absl::string_view(name->data(), std::min<std::size_t>(name->size(), 60)));
  }
  return BadPlace(
      file, 1,
      wanted.empty()
          ? absl::StrCat("no time column (timestamp, time, arrived_at or arrival_timestamp); found: ", seen)
          : absl::StrCat("no column '", wanted, "'; found: ", seen));
}

// Sorts if need be, moves the first arrival to 0, and turns the unit into seconds.
void Normalise(Trace& trace) {
  if (trace.out_of_order > 0) std::sort(trace.offsets_s.begin(), trace.offsets_s.end());
  const double first = trace.offsets_s.front();
  for (double& offset : trace.offsets_s) offset = (offset - first) * SecondsPer(trace.unit);
}

absl::Status Ambiguous(const std::string& file, std::string_view column, const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return BadPlace(
      file, 1,
      absl::StrFormat("column '%s' holds whole numbers from %.0f to %.0f, which may be seconds or "
                      "milliseconds; say which: `unit: s` or `unit: ms` beside the file's name in "
                      "the scenario (allowed: s, ms, us, ns), or name the column %s_s or %s_ms",
                      std::string(column), *least, *most, std::string(column), std::string(column)));
}

// Cuts the next line off `text`.
std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

double Trace::GapCv() const {
  if (offsets_s.size() < 3) return 0;
  const double gaps = static_cast<double>(offsets_s.size() - 1);
  const double mean = offsets_s.back() / gaps;
  double squares = 0;
  for (std::size_t i = 1; i < offsets_s.size(); ++i) {
    const double gap = offsets_s[i] - offsets_s[i - 1];
    squares += (gap - mean) * (gap - mean);
  }
  return mean > 0 ? std::sqrt(squares / gaps) / mean : 0;
}

namespace {

// The rows of a trace, in whatever unit they are. `dates`: how many were dates.
absl::StatusOr<Trace> ReadRows(std::string_view text, const std::string& file, std::size_t time_column,
                               std::size_t& dates) {
  Trace trace;
  for (std::size_t line_number = 2; !text.empty(); ++line_number) {
    const std::string_view line = TakeLine(text);
    if (Trimmed(line).empty()) continue;
    if (trace.offsets_s.size() >= kTraceRowsMax)
      return BadPlace(file, line_number, "more than 200000000 rows");
    const auto field = Field(line, time_column);
    if (!field) {
      return absl::InvalidArgumentError(absl::StrCat(At(file, line_number, line, line.substr(line.size())),
                                                     ": no column ", time_column + 1));
    }
    auto value = ParseNumber(*field);
    if (!value) {
      value = ParseDate(*field);
      ++dates;
    }
    if (!value) {
      return absl::InvalidArgumentError(
          absl::StrCat(At(file, line_number, line, *field), ": column ", time_column + 1, ": '",
                       std::string(field->substr(0, 60)),
                       "' is neither a number nor a date such as 2023-11-16 18:15:46.6805900"));
    }
    if (dates > 0 && dates <= trace.offsets_s.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(At(file, line_number, line, *field), ": column ", time_column + 1,
                       ": dates and numbers in one column; one of them is wrong"));
    }
    if (!trace.offsets_s.empty() && *value < trace.offsets_s.back()) ++trace.out_of_order;
    trace.offsets_s.push_back(*value);
  }
  if (trace.offsets_s.empty()) return BadPlace(file, 2, "no rows after the header");
  return trace;
}

}  // namespace

absl::StatusOr<Trace> ParseTraceCsv(std::string_view text, const std::string& file, const std::string& column,
                                    TraceUnit unit) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  if (Trimmed(text).empty())
    return BadPlace(file, 1, "the file is empty; the first line must name the columns");
  const std::string_view header = TakeLine(text);
  const auto time_column = FindTimeColumn(header, file, column);
  if (!time_column.ok()) return time_column.status();
  std::size_t dates = 0;
  absl::StatusOr<Trace> trace = ReadRows(text, file, *time_column, dates);
  if (!trace.ok()) return trace;
  const std::string_view name = *Field(header, *time_column);
  if (dates == 0) {
    std::string lower = absl::AsciiStrToLower(absl::string_view(name.data(), name.size()));
    trace->unit = unit != TraceUnit::kFound ? unit : TakeUnit(lower);
    if (trace->unit == TraceUnit::kFound) {
      const std::optional<TraceUnit> found = UnitBySize(trace->offsets_s);
      if (!found) return Ambiguous(file, name, trace->offsets_s);
      trace->unit = *found;
    }
  }
  Normalise(*trace);
  return trace;
}

}  // namespace ringway::sim
