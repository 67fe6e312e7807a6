#include "sim/demand/trace_text.h"

#include <charconv>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/time/civil_time.h"

#include "core/time.h"

namespace ringway::sim {
namespace {

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

// Where the field that begins at `start` ends: at the next comma outside of quotes, or with the line.
std::size_t FieldEnd(std::string_view line, std::size_t start) {
  const std::size_t first = line.find_first_not_of(" \t", start);
  if (first != std::string_view::npos && line[first] == '"') {
    for (std::size_t at = first + 1; (at = line.find('"', at)) != std::string_view::npos; ++at) {
      if (at + 1 < line.size() && line[at + 1] == '"') {
        ++at;  // a doubled quote stands for one
        continue;
      }
      return line.find(',', at);
    }
  }
  return line.find(',', start);
}

}  // namespace

double SecondsPer(TraceUnit unit) {
  constexpr double kSeconds[] = {1, 1, 1e-3, 1e-6, 1e-9};
  return kSeconds[static_cast<std::size_t>(unit)];
}

std::string_view TrimmedCell(std::string_view text) {
  constexpr char kBlank[] = " \t\r\n\"";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

void SplitRow(std::string_view line, std::size_t most, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t start = 0; fields.size() < most;) {
    const std::size_t end = FieldEnd(line, start);
    fields.push_back(TrimmedCell(line.substr(start, end == std::string_view::npos ? end : end - start)));
    if (end == std::string_view::npos) return;
    start = end + 1;
  }
}

std::optional<double> ParseTraceNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> ParseTraceDate(std::string_view text) {
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
  return static_cast<double>(ToUnixSeconds(absl::FromCivil(civil, absl::UTCTimeZone()))) + fraction;
}

TraceUnit TakeUnit(std::string_view column, std::string& name) {
  name = absl::AsciiStrToLower(absl::string_view(column.data(), column.size()));
  for (const Suffix& suffix : kSuffixes) {
    if (!name.ends_with(suffix.text)) continue;
    name = std::string(TrimmedCell(std::string_view(name).substr(0, name.size() - suffix.text.size())));
    return suffix.unit;
  }
  return TraceUnit::kFound;
}

}  // namespace ringway::sim
