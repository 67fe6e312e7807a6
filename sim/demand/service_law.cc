#include "sim/demand/service_law.h"

#include <numeric>

namespace ringway::sim {
namespace {

struct Draw {
  Rng& rng;
  double operator()(const FixedService& law) const { return law.seconds; }
  double operator()(const ExponentialService& law) const { return law.mean_s * rng.Exponential(); }
  double operator()(const LogNormalService& law) const { return rng.LogNormal(law.mean_s, law.cv); }
  double operator()(const EmpiricalService& law) const {
    return law.samples_s[rng.Below(law.samples_s.size())];
  }
};

struct Mean {
  double operator()(const FixedService& law) const { return law.seconds; }
  double operator()(const ExponentialService& law) const { return law.mean_s; }
  double operator()(const LogNormalService& law) const { return law.mean_s; }
  double operator()(const EmpiricalService& law) const {
    const double sum = std::accumulate(law.samples_s.begin(), law.samples_s.end(), 0.0);
    return sum / static_cast<double>(law.samples_s.size());
  }
};

}  // namespace

double DrawServiceS(const ServiceLaw& law, Rng& rng) { return std::visit(Draw{rng}, law); }

double MeanServiceS(const ServiceLaw& law) { return std::visit(Mean{}, law); }

}  // namespace ringway::sim
