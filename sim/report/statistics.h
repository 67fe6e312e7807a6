// Means over seeds, and how far to trust them.
//
// The interval is Student's t (W. S. Gosset, 1908): seeds are independent runs, their figures are near enough
// to normal. Comparing two scenarios that were run with the same seeds, the difference is taken seed by seed:
// both saw the same arrivals and service times, so most of the noise cancels.
#ifndef RINGWAY_SIM_REPORT_STATISTICS_H_
#define RINGWAY_SIM_REPORT_STATISTICS_H_

#include <vector>

namespace ringway::sim {

struct Estimate {
  double mean = 0;
  double half_width = 0;  // of the interval; infinite for a single value
  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
};

// `confidence`: 0.95 or 0.99. An empty list is 0 within infinity.
Estimate EstimateMean(const std::vector<double>& values, double confidence = 0.95);
// Of a[i] - b[i]; the lists must be equally long.
Estimate EstimateDifference(const std::vector<double>& a, const std::vector<double>& b,
                            double confidence = 0.95);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_REPORT_STATISTICS_H_
