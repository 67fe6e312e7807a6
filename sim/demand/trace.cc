#include "sim/demand/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::sim {
namespace {

// A customary name of a field; of several that a file has the lowest rank wins, then the first in the file.
struct Spelling {
  TraceField field;
  std::string_view name;
  int rank = 0;
};
constexpr Spelling kSpellings[] = {
    {TraceField::kTime, "timestamp"},
    {TraceField::kTime, "time"},
    {TraceField::kTime, "arrived_at"},
    {TraceField::kTime, "arrival_timestamp"},
    {TraceField::kTime, "arrival_time", 1},
    {TraceField::kTime, "arrival", 1},
    {TraceField::kTime, "submitted_at", 1},
    {TraceField::kTime, "created_at", 1},
    {TraceField::kService, "service"},
    {TraceField::kService, "service_time"},
    {TraceField::kService, "duration"},
    {TraceField::kService, "runtime"},
    {TraceField::kService, "run_time"},
    {TraceField::kService, "processing_time"},
    {TraceField::kService, "execution_time"},
    {TraceField::kService, "exec_time"},
    {TraceField::kTier, "tier"},
    {TraceField::kTier, "model", 1},
    {TraceField::kTier, "model_id", 1},
    {TraceField::kTier, "model_name", 1},
    {TraceField::kTenant, "tenant"},
    {TraceField::kTenant, "tenant_id"},
    {TraceField::kTenant, "user", 1},
    {TraceField::kTenant, "user_id", 1},
    {TraceField::kPriority, "priority"},
    {TraceField::kPriority, "prio"},
    {TraceField::kDeadline, "deadline"},
    {TraceField::kDeadline, "timeout", 1},
    {TraceField::kRegion, "region"},
    {TraceField::kRegion, "source_region"},
    {TraceField::kSize, "size"},
    {TraceField::kSize, "cost"},
};
constexpr double kDateFirstS = 1e9, kDateLastS = 1e10;  // 2001 to 2286, in seconds since 1970
constexpr std::size_t kShownMax = 60;                   // characters of a cell or a header in an error

std::string Shown(std::string_view text) { return std::string(text.substr(0, kShownMax)); }

absl::Status BadPlace(const std::string& file, std::size_t line, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", problem));
}

std::string FieldName(TraceField field) {
  return std::string(kTraceFieldNames[static_cast<std::size_t>(field)]);
}

// A column that is read.
struct Column {
  std::size_t at = 0;  // in the row
  std::string name;
  TraceUnit unit = TraceUnit::kFound;  // said by the caller or by the name
};
using ColumnsFound = std::array<std::optional<Column>, kTraceFields>;

// Rank of the header as a name of the field; nothing: it is none.
std::optional<int> RankOf(TraceField field, std::string_view header, const TraceColumns::Choice& wanted) {
  if (wanted.name == TraceColumns::kLeftOut) return std::nullopt;
  if (!wanted.name.empty()) return header == wanted.name ? std::optional(0) : std::nullopt;
  std::string name;
  TakeUnit(header, name);
  for (const Spelling& spelling : kSpellings) {
    if (spelling.field == field && spelling.name == name) return spelling.rank;
  }
  return std::nullopt;
}

std::string Headers(const std::vector<std::string_view>& headers) {
  std::string all;
  for (const std::string_view header : headers) {
    absl::StrAppend(&all, all.empty() ? "" : ", ", Shown(header));
    if (all.size() > 1000) return all + ", ...";
  }
  return all;
}

absl::StatusOr<ColumnsFound> FindColumns(std::string_view line, const std::string& file,
                                         const TraceColumns& wanted) {
  std::vector<std::string_view> headers;
  SplitRow(line, kTraceColumnsMax, headers);
  ColumnsFound found;
  for (std::size_t f = 0; f < kTraceFields; ++f) {
    const auto field = static_cast<TraceField>(f);
    int best = std::numeric_limits<int>::max();
    for (std::size_t n = 0; n < headers.size(); ++n) {
      const std::optional<int> rank = RankOf(field, headers[n], wanted[field]);
      if (!rank || *rank >= best) continue;
      best = *rank;
      std::string name;
      const TraceUnit named = TakeUnit(headers[n], name);
      const TraceUnit said = wanted[field].unit;
      found[f] = Column{n, std::string(headers[n]), said != TraceUnit::kFound ? said : named};
    }
    const std::string& name = wanted[field].name;
    if (found[f] || name == TraceColumns::kLeftOut) continue;
    if (!name.empty()) {
      return BadPlace(file, 1, absl::StrCat("no column '", name, "'; found: ", Headers(headers)));
    }
    if (field == TraceField::kTime) {
      return BadPlace(
          file, 1,
          absl::StrCat("no time column (timestamp, time, arrived_at or arrival_timestamp); name it: "
                       "`columns: {time: NAME}` in a scenario, --trace-column of load; found: ",
                       Headers(headers)));
    }
  }
  return found;
}

// What plain numbers are: their size tells where they count from 1970 (a date between 2001 and 2286 has
// 10 digits in seconds, 13 in milliseconds). Else a fraction is one of a second, and so is a trace that
// would be over within a second if its whole numbers were milliseconds. What remains could be either.
std::optional<TraceUnit> UnitBySize(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  for (const TraceUnit unit :
       {TraceUnit::kSeconds, TraceUnit::kMilliseconds, TraceUnit::kMicroseconds, TraceUnit::kNanoseconds}) {
    if (*least * SecondsPer(unit) >= kDateFirstS && *least * SecondsPer(unit) < kDateLastS) return unit;
  }
  const bool whole =
      std::all_of(values.begin(), values.end(), [](double value) { return value == std::floor(value); });
  if (!whole || *most - *least < 1000) return TraceUnit::kSeconds;
  return std::nullopt;
}

absl::Status Ambiguous(const std::string& file, const std::string& column,
                       const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return BadPlace(
      file, 1,
      absl::StrFormat("column '%s' holds whole numbers from %.0f to %.0f, which may be seconds or "
                      "milliseconds; say which: `unit: s` or `unit: ms` beside the file's name in "
                      "the scenario (allowed: s, ms, us, ns), or name the column %s_s or %s_ms",
                      Shown(column), *least, *most, Shown(column), Shown(column)));
}

// Reads the rows below the header, then gives everything its unit and its order.
class TraceReader {
 public:
  TraceReader(const std::string& file, ColumnsFound columns) : file_(file), columns_(std::move(columns)) {
    trace_.file = file;
    for (const auto& column : columns_) {
      if (column) fields_max_ = std::max(fields_max_, column->at + 1);
    }
    for (const auto& [field, words] : Words()) {
      if (Has(field)) words->column = Of(field).name;
    }
  }

  absl::Status Read(std::string_view text);
  absl::StatusOr<Trace> Finish();

 private:
  bool Has(TraceField field) const { return columns_[static_cast<std::size_t>(field)].has_value(); }
  const Column& Of(TraceField field) const { return *columns_[static_cast<std::size_t>(field)]; }
  std::array<std::pair<TraceField, TraceWords*>, 4> Words() {
    return {{{TraceField::kTier, &trace_.tier},
             {TraceField::kTenant, &trace_.tenant},
             {TraceField::kPriority, &trace_.priority},
             {TraceField::kRegion, &trace_.region}}};
  }

  // "file:line:character: column 3" of a field of the row at hand.
  std::string At(TraceField field) const;
  absl::Status Bad(TraceField field, const std::string& problem) const {
    return absl::InvalidArgumentError(absl::StrCat(At(field), problem));
  }
  absl::Status ReadRow();
  absl::Status ReadTime();
  absl::Status ReadNumber(TraceField field, std::vector<double>& values, double least, const char* allowed);
  absl::Status ReadDeadline();
  void ReadWord(TraceField field, TraceWords& words);
  absl::Status CheckUnits();
  void Sort();

  const std::string& file_;
  const ColumnsFound columns_;
  std::size_t fields_max_ = 0;
  Trace trace_;
  std::size_t dates_ = 0;  // times that were dates
  std::vector<bool> deadline_is_span_;
  std::array<absl::flat_hash_map<std::string, std::uint32_t>, kTraceFields> numbers_;  // of words
  // The row at hand.
  std::string_view line_;
  std::size_t line_number_ = 1;
  std::vector<std::string_view> cells_;
};

std::string TraceReader::At(TraceField field) const {
  const Column& column = Of(field);
  const std::string_view cell = column.at < cells_.size() ? cells_[column.at] : line_.substr(line_.size());
  const auto character = cell.data() == nullptr ? 1 : cell.data() - line_.data() + 1;
  std::string at = absl::StrCat(file_, ":", line_number_, ":", character, ": column ", column.at + 1);
  if (field != TraceField::kTime) absl::StrAppend(&at, " (", FieldName(field), ")");
  return at;
}

absl::Status TraceReader::Read(std::string_view text) {
  while (!text.empty()) {
    line_ = TakeLine(text);
    ++line_number_;
    if (TrimmedCell(line_).empty()) continue;
    if (trace_.offsets_s.size() >= kTraceRowsMax)
      return BadPlace(file_, line_number_, "more than 200000000 rows");
    SplitRow(line_, fields_max_, cells_);
    if (absl::Status row = ReadRow(); !row.ok()) return row;
  }
  if (trace_.offsets_s.empty()) return BadPlace(file_, 2, "no rows after the header");
  return absl::OkStatus();
}

absl::Status TraceReader::ReadRow() {
  for (const auto& column : columns_) {
    if (!column || column->at < cells_.size()) continue;
    const auto character = line_.size() + 1;
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ":", line_number_, ":", character, ": no column ", column->at + 1));
  }
  if (absl::Status s = ReadTime(); !s.ok()) return s;
  if (Has(TraceField::kService)) {
    absl::Status s = ReadNumber(TraceField::kService, trace_.service_s, 0, "a number of at least 0");
    if (!s.ok()) return s;
  }
  if (Has(TraceField::kSize)) {
    absl::Status s = ReadNumber(TraceField::kSize, trace_.size, 1e-12, "a number above 0");
    if (!s.ok()) return s;
  }
  if (Has(TraceField::kDeadline)) {
    if (absl::Status s = ReadDeadline(); !s.ok()) return s;
  }
  for (const auto& [field, words] : Words()) {
    if (Has(field)) ReadWord(field, *words);
  }
  return absl::OkStatus();
}

absl::Status TraceReader::ReadTime() {
  const std::string_view cell = cells_[Of(TraceField::kTime).at];
  auto value = ParseTraceNumber(cell);
  if (!value) {
    value = ParseTraceDate(cell);
    ++dates_;
  }
  if (!value) {
    return Bad(TraceField::kTime,
               absl::StrCat(": '", Shown(cell),
                            "' is neither a number nor a date such as 2023-11-16 18:15:46.6805900"));
  }
  if (dates_ > 0 && dates_ <= trace_.offsets_s.size())
    return Bad(TraceField::kTime, ": dates and numbers in one column; one of them is wrong");
  if (!trace_.offsets_s.empty() && *value < trace_.offsets_s.back()) ++trace_.out_of_order;
  trace_.offsets_s.push_back(*value);
  return absl::OkStatus();
}

absl::Status TraceReader::ReadNumber(TraceField field, std::vector<double>& values, double least,
                                     const char* allowed) {
  const std::string_view cell = cells_[Of(field).at];
  const auto value = cell.empty() ? std::optional(Trace::kNotRecorded) : ParseTraceNumber(cell);
  if (!value || (!cell.empty() && *value < least)) {
    return Bad(field, absl::StrCat(": '", Shown(cell), "'; allowed: ", allowed, ", or nothing"));
  }
  if (field != TraceField::kSize && *value * SecondsPer(Of(field).unit) > kTraceSpanMaxS)
    return Bad(field, absl::StrCat(": '", Shown(cell), "'; allowed: at most 100 days"));
  values.push_back(*value);
  return absl::OkStatus();
}

absl::Status TraceReader::ReadDeadline() {
  const std::string_view cell = cells_[Of(TraceField::kDeadline).at];
  const auto date = ParseTraceDate(cell);
  if (date && dates_ == 0)
    return Bad(TraceField::kDeadline, ": a date, but the times of the trace are numbers");
  deadline_is_span_.push_back(!date && !cell.empty());
  if (!date)
    return ReadNumber(TraceField::kDeadline, trace_.deadline_s, 1e-12,
                      "a span after the arrival above 0, a date");
  trace_.deadline_s.push_back(*date - trace_.offsets_s.back());
  if (trace_.deadline_s.back() > 0) return absl::OkStatus();
  return Bad(TraceField::kDeadline, absl::StrCat(": '", Shown(cell), "' is not after the arrival"));
}

void TraceReader::ReadWord(TraceField field, TraceWords& words) {
  auto& numbers = numbers_[static_cast<std::size_t>(field)];
  const auto [at, is_new] =
      numbers.try_emplace(std::string(cells_[Of(field).at]), static_cast<std::uint32_t>(words.names.size()));
  if (is_new) {
    words.names.push_back(at->first);
    words.lines.push_back(line_number_);
  }
  words.of.push_back(at->second);
}

// Spans get the unit that was named for them; there is no telling 312.5 ms from 312.5 s by looking.
absl::Status TraceReader::CheckUnits() {
  for (const TraceField field : {TraceField::kService, TraceField::kDeadline}) {
    if (!Has(field)) continue;
    std::vector<double>& values = field == TraceField::kService ? trace_.service_s : trace_.deadline_s;
    const bool spans =
        field == TraceField::kService ||
        std::find(deadline_is_span_.begin(), deadline_is_span_.end(), true) != deadline_is_span_.end();
    if (Of(field).unit == TraceUnit::kFound && spans) {
      const std::string name = Shown(Of(field).name);
      return BadPlace(
          file_, 1,
          absl::StrFormat("column '%s' (%s) has no unit; say it: `units: {%s: s}` beside the "
                          "file's name in the scenario (allowed: s, ms, us, ns), or name the "
                          "column %s_s or %s_ms; `columns: {%s: none}` leaves it out",
                          name, FieldName(field), FieldName(field), name, name, FieldName(field)));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool counted = field == TraceField::kService || deadline_is_span_[i];
      if (counted && values[i] != Trace::kNotRecorded) values[i] *= SecondsPer(Of(field).unit);
    }
  }
  return absl::OkStatus();
}

template <class T>
void Reorder(const std::vector<std::size_t>& order, std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t i : order) sorted.push_back(values[i]);
  values = std::move(sorted);
}

void TraceReader::Sort() {
  if (trace_.out_of_order == 0) return;
  std::vector<std::size_t> order(trace_.offsets_s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return trace_.offsets_s[a] < trace_.offsets_s[b];
  });
  Reorder(order, trace_.offsets_s);
  Reorder(order, trace_.service_s);
  Reorder(order, trace_.deadline_s);
  Reorder(order, trace_.size);
  for (const auto& [field, words] : Words()) Reorder(order, words->of);
}

absl::StatusOr<Trace> TraceReader::Finish() {
  if (dates_ == 0) {
    trace_.unit = Of(TraceField::kTime).unit;
    if (trace_.unit == TraceUnit::kFound) {
      const std::optional<TraceUnit> found = UnitBySize(trace_.offsets_s);
      if (!found) return Ambiguous(file_, Of(TraceField::kTime).name, trace_.offsets_s);
      trace_.unit = *found;
    }
  }
  if (absl::Status s = CheckUnits(); !s.ok()) return s;
  Sort();
  const double first = trace_.offsets_s.front();
  const double first_s = first * SecondsPer(trace_.unit);
  if (first_s >= kDateFirstS && first_s < kDateLastS) trace_.since_1970_s = first_s;
  for (double& offset : trace_.offsets_s) offset = (offset - first) * SecondsPer(trace_.unit);
  return std::move(trace_);
}

}  // namespace

TraceColumns TraceColumns::OnlyTimes() {
  TraceColumns columns;
  for (Choice& choice : columns.fields) choice.name = std::string(kLeftOut);
  columns[TraceField::kTime].name.clear();
  return columns;
}

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

absl::StatusOr<Trace> ParseTraceJobs(std::string_view text, const std::string& file,
                                     const TraceColumns& columns) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  if (TrimmedCell(text).empty())
    return BadPlace(file, 1, "the file is empty; the first line must name the columns");
  auto found = FindColumns(TakeLine(text), file, columns);
  if (!found.ok()) return found.status();
  TraceReader reader(file, *std::move(found));
  if (absl::Status rows = reader.Read(text); !rows.ok()) return rows;
  return reader.Finish();
}

absl::StatusOr<Trace> ParseTraceCsv(std::string_view text, const std::string& file, const std::string& column,
                                    TraceUnit unit) {
  TraceColumns columns = TraceColumns::OnlyTimes();
  columns[TraceField::kTime] = {column, unit};
  return ParseTraceJobs(text, file, columns);
}

}  // namespace ringway::sim
