#include "sim/arrivals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace ringway::sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double DayRate(const DayCurveArrivals& law, double at_s) {
  const double hour = law.start_utc_hour + 24 * at_s / law.day_s + law.utc_offset_minutes / 60.0;
  return law.mean_rps * (1 + law.swing * std::cos(2 * std::numbers::pi * (hour - law.peak_local_hour) / 24));
}

struct MeanRate {
  double operator()(const PoissonArrivals& law) const { return law.rate_rps; }
  double operator()(const MmppArrivals& law) const {
    const double cycle_s = law.calm_mean_s + law.burst_mean_s;
    return (law.calm_rps * law.calm_mean_s + law.burst_rps * law.burst_mean_s) / cycle_s;
  }
  double operator()(const DayCurveArrivals& law) const { return law.mean_rps; }
  double operator()(const TraceArrivals& law) const {
    if (law.offsets_s == nullptr || law.offsets_s->empty()) return 0;
    const double length_s = law.length_s > 0 ? law.length_s : law.offsets_s->back();
    return length_s > 0 ? law.scale * static_cast<double>(law.offsets_s->size()) / length_s : 0;
  }
};

}  // namespace

double MeanRateRps(const ArrivalLaw& law) { return std::visit(MeanRate{}, law); }

ArrivalStream::ArrivalStream(ArrivalLaw law, std::uint64_t seed, std::uint64_t stream)
    : law_(std::move(law)), rng_(seed, stream) {}

void ArrivalStream::SetFactor(double at_s, double factor) {
  // What was drawn under the old factor beyond this moment is forgotten: exponential gaps have no memory.
  now_s_ = std::max(at_s, std::holds_alternative<TraceArrivals>(law_) ? now_s_ : 0.0);
  factor_ = factor;
}

double ArrivalStream::Next() {
  if (const auto* law = std::get_if<PoissonArrivals>(&law_)) return NextPoisson(law->rate_rps);
  if (const auto* law = std::get_if<MmppArrivals>(&law_)) return NextMmpp(*law);
  if (const auto* law = std::get_if<DayCurveArrivals>(&law_)) return NextDayCurve(*law);
  return NextTrace(std::get<TraceArrivals>(law_));
}

double ArrivalStream::NextPoisson(double rate_rps) {
  const double rate = rate_rps * factor_;
  if (rate <= 0) return kNever;
  now_s_ += rng_.Exponential() / rate;
  return now_s_;
}

double ArrivalStream::NextMmpp(const MmppArrivals& law) {
  for (;;) {
    if (now_s_ >= phase_ends_s_) {
      // The first phase is drawn too, calm first: long runs do not care, short ones start calm.
      burst_ = phase_ends_s_ > 0 && !burst_;
      phase_ends_s_ = now_s_ + rng_.Exponential() * (burst_ ? law.burst_mean_s : law.calm_mean_s);
    }
    const double rate = (burst_ ? law.burst_rps : law.calm_rps) * factor_;
    const double next_s = rate > 0 ? now_s_ + rng_.Exponential() / rate : kNever;
    if (next_s < phase_ends_s_) return now_s_ = next_s;
    if (factor_ <= 0) return kNever;
    now_s_ = phase_ends_s_;
  }
}

double ArrivalStream::NextDayCurve(const DayCurveArrivals& law) {
  const double peak = law.mean_rps * (1 + std::abs(law.swing)) * factor_;
  if (peak <= 0) return kNever;
  for (;;) {
    now_s_ += rng_.Exponential() / peak;
    const double rate = DayRate(law, now_s_) * factor_;
    if (rng_.Chance(rate / peak)) return now_s_;
  }
}

double ArrivalStream::NextTrace(const TraceArrivals& law) {
  if (law.offsets_s == nullptr || law.offsets_s->empty()) return kNever;
  const double scale = law.scale * factor_;
  if (scale <= 0) return kNever;
  while (copies_ == 0) {
    if (index_ >= law.offsets_s->size()) {
      if (law.length_s <= 0) return kNever;
      index_ = 0;
      lap_s_ += law.length_s;
    }
    now_s_ = lap_s_ + (*law.offsets_s)[index_++];
    // A whole number of copies of each entry, one more with the probability of the fraction.
    const double whole = std::floor(scale);
    copies_ = static_cast<std::uint32_t>(whole) + (rng_.Chance(scale - whole) ? 1 : 0);
  }
  --copies_;
  return now_s_;
}

}  // namespace ringway::sim
