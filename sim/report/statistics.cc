#include "sim/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include "core/check.h"

namespace ringway::sim {
namespace {

// Two-sided quantiles of Student's t by degrees of freedom, from 1.
constexpr double kT95[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                           2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                           2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
constexpr double kT99[] = {63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
                           3.106,  3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
                           2.831,  2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750};

double Student(std::size_t freedom, double confidence) {
  RINGWAY_CHECK(confidence == 0.95 || confidence == 0.99);
  const bool wide = confidence == 0.99;
  const auto& table = wide ? kT99 : kT95;
  if (freedom <= std::size(kT95)) return table[freedom - 1];
  // Cornish and Fisher's first term beyond the table.
  const double z = wide ? 2.5758 : 1.9600;
  return z + (z * z * z + z) / (4 * static_cast<double>(freedom));
}

}  // namespace

Estimate EstimateMean(const std::vector<double>& values, double confidence) {
  Estimate estimate{.mean = 0, .half_width = std::numeric_limits<double>::infinity()};
  if (values.empty()) return estimate;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) estimate.mean += value / n;
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.half_width = Student(values.size() - 1, confidence) * std::sqrt(squares / (n - 1) / n);
  return estimate;
}

Estimate EstimateDifference(const std::vector<double>& a, const std::vector<double>& b, double confidence) {
  RINGWAY_CHECK(a.size() == b.size());
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  return EstimateMean(differences, confidence);
}

}  // namespace ringway::sim
