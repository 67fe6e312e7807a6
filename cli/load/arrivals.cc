#include "cli/load/arrivals.h"

#include <cmath>

namespace ringway::load {
namespace {

constexpr std::uint64_t kGaps = 0x6c6f6164;  // random stream of the gamma law

// Of shape `k` >= 1 and scale 1: the squeeze of Marsaglia and Tsang without its first, merely faster, test.
double DrawStandardGamma(Rng& rng, double k) {
  const double d = k - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = rng.Normal();
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    const double u = 1 - rng.Uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

std::optional<sim::ArrivalStream> StreamOf(const ArrivalPlan& plan) {
  if (plan.trace_s != nullptr) {
    const double own_rps = static_cast<double>(plan.trace_s->size()) / plan.trace_s->back();
    const double scale = plan.rate_rps > 0 ? plan.rate_rps / own_rps : 1;
    return sim::ArrivalStream(sim::TraceArrivals{.offsets_s = plan.trace_s, .scale = scale}, plan.seed,
                              sim::kArrivalStreams);
  }
  if (plan.law == Law::kGamma) return std::nullopt;
  return sim::ArrivalStream(sim::PoissonArrivals{plan.rate_rps}, plan.seed, sim::kArrivalStreams);
}

}  // namespace

double DrawGamma(Rng& rng, double mean, double cv) {
  const double shape = 1 / (cv * cv);
  const double scale = mean / shape;
  if (shape >= 1) return scale * DrawStandardGamma(rng, shape);
  // A gamma of shape k is one of shape k + 1 times the k-th root of a uniform draw.
  const double larger = DrawStandardGamma(rng, shape + 1);
  return scale * larger * std::pow(1 - rng.Uniform(), 1 / shape);
}

Arrivals::Arrivals(const ArrivalPlan& plan) : plan_(plan), stream_(StreamOf(plan)), rng_(plan.seed, kGaps) {}

std::optional<double> Arrivals::Next() {
  now_s_ = stream_ ? stream_->Next() : now_s_ + DrawGamma(rng_, 1 / plan_.rate_rps, plan_.cv);
  if (!(now_s_ < plan_.length_s) || std::isinf(now_s_)) return std::nullopt;
  return now_s_;
}

}  // namespace ringway::load
