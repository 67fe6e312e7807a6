// Many runs of one scenario: a grid of parameters times seeds, in shards that need not know each other.
//
// Every point has a number and a key ("load=0.7 seed=3"); shard i of n has the points whose number is i
// modulo n. A finished point is one line of CSV, so that a shard that was stopped goes on where it ended, and
// merging is reading lines. What differs between two runs of a point is nothing: results are functions of the
// key.
//
// Errors: InvalidArgument, naming file and line. Pure: text in, text out. Bound: kPointsMax.
#ifndef RINGWAY_SIM_STUDY_GRID_H_
#define RINGWAY_SIM_STUDY_GRID_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "sim/report/figures.h"
#include "sim/report/statistics.h"
#include "sim/scenario.h"

namespace ringway::sim {

inline constexpr std::size_t kPointsMax = 1'000'000;

struct Axis {
  std::string parameter;
  std::vector<double> values;
};

// "load=0.5,0.7,0.9" or "load=0.5:0.9:0.1" (from:to:step, both ends in).
absl::StatusOr<Axis> ParseAxis(std::string_view text);

struct GridPoint {
  std::vector<double> values;  // by axis
  std::uint64_t seed = 1;
};

struct Grid {
  std::vector<Axis> axes;
  std::uint64_t seeds = 1;  // 1 .. seeds
  std::string prices = {};  // as PricesText tells them; empty: nothing is said of money
  bool priced() const { return !prices.empty(); }

  std::size_t size() const;
  // Seeds vary fastest.
  GridPoint At(std::size_t number) const;
  std::string KeyOf(const GridPoint& point) const;
  absl::StatusOr<Scenario> Apply(const Scenario& scenario, const GridPoint& point) const;
};

// With prices the last column is named after them: results at other prices are others.
std::string CsvHeader(const Grid& grid);
std::string CsvLine(const Grid& grid, const GridPoint& point, const Figures& figures);

// Results by key. Reading the lines of several shards into one adds up to the whole; a last line without its
// end is a point that was being written and does not count.
using GridResults = std::map<std::string, std::pair<GridPoint, Figures>>;
// Takes the grid's axes and prices from the header where `grid` has no axes yet; another header is an error.
absl::Status ReadCsv(std::string_view text, std::string_view file, Grid& grid, GridResults& results);

// Costs of all results at prices that are the same in every region, instead of those that they have.
void PriceResults(const Prices& prices, Grid& grid, GridResults& results);

// One row for each combination of parameters: means over its seeds.
struct GridRow {
  std::vector<double> values;
  std::vector<Estimate> figures;  // by Figure; those of money only where results have prices
  std::size_t seeds = 0;
};
std::vector<GridRow> Summarize(const GridResults& results);
std::string SummaryJson(const Grid& grid, const std::vector<GridRow>& rows);
std::string SummaryCsv(const Grid& grid, const std::vector<GridRow>& rows);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_GRID_H_
