// What demand will be when a worker that is started now is ready, and how wrong such forecasts have been.
//
// Four ways to forecast one region, each the simplest of its kind:
//   now    demand stays as it is
//   steady it stays as it was in the last half hour: better where few requests come, whose counts scatter
//   trend  it goes on as it went over the last twenty minutes (least squares)
//   day    as yesterday at that time, times what the last half hour was against yesterday's
// Which one is used, and how far it is trusted, is measured and not believed: every two minutes each way
// foretells the demand of a pool of regions one start-up time ahead, and when that time has come its error is
// taken. The way with the least mean square error is used; another one has to be a tenth better to take its
// place. The margin is the mean square of the errors upwards, in units of demand (a dispersion), less what a
// Poisson process scatters by in two minutes, because the staffing allows for that already; forgotten over
// about six hours. One surprise counts for no more than nine times the present mean, so a spike does not buy
// workers for the rest of the day.
//
// Regions that help each other are judged together (pools): their errors add up or cancel as they really do.
//
// Pure; one owner. O(bins of the windows) a forecast.
#ifndef RINGWAY_CONTROLLER_SCALE_FORECAST_H_
#define RINGWAY_CONTROLLER_SCALE_FORECAST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "controller/scale/demand_history.h"
#include "core/time.h"

namespace ringway::scale {

enum class Way : std::uint8_t { kNow, kSteady, kTrend, kDay };
inline constexpr std::size_t kWays = 4;
std::string_view WayName(Way way);
template <class T>
using PerWay = std::array<T, kWays>;

// Requests per second of one region at `now` + `ahead`, each way; a way that cannot tell says what `now`
// says. `held_rps`: the rate that its counts have not refuted (controller/planner/held.h).
PerWay<double> Foretell(const DemandHistory& history, double held_rps, Time now, Duration ahead);

// How the forecasts of one pool have turned out.
class ForecastErrors {
 public:
  // At the begin of bin `now`: the pool's forecasts for bin `target`, which is later.
  void Foretold(std::int64_t target, const PerWay<double>& forecast);
  // Bin `bin` is over; `rps` entered the pool in it, none: it is not known.
  void Came(std::int64_t bin, std::optional<double> rps);

  Way best() const { return best_; }
  // Standard deviation of what comes above a forecast of `rps`.
  double Deviation(double rps) const;

 private:
  // Forecasts on their way; bounded by the longest start-up time.
  static constexpr std::size_t kPendingMax = 64;
  struct Pending {
    std::int64_t target = 0;
    PerWay<double> forecast{};
  };
  struct Errors {
    double square = 0;  // of the error over the forecast, mean
    double above = 0;   // of those upwards, as if they were both ways
  };
  std::deque<Pending> pending_;
  PerWay<Errors> errors_;
  int seen_ = 0;
  Way best_ = Way::kTrend;
};

}  // namespace ringway::scale

#endif  // RINGWAY_CONTROLLER_SCALE_FORECAST_H_
