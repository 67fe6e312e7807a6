#include "sim/demand/arrivals.h"

#include <algorithm>
#include <cmath>
#include <functional>
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
  double operator()(const GammaArrivals& law) const { return law.rate_rps; }
  double operator()(const MmppArrivals& law) const {
    const double cycle_s = law.calm_mean_s + law.burst_mean_s;
    return (law.calm_rps * law.calm_mean_s + law.burst_rps * law.burst_mean_s) / cycle_s;
  }
  double operator()(const DayCurveArrivals& law) const { return law.mean_rps; }
  double operator()(const TraceArrivals& law) const {
    if (law.offsets_s == nullptr || law.offsets_s->empty()) return 0;
    const double once_s = law.recorded_s > 0 ? law.recorded_s : law.offsets_s->back();
    const double length_s = law.length_s > 0 ? law.length_s : once_s;
    return length_s > 0 ? law.scale * static_cast<double>(law.offsets_s->size()) / length_s : 0;
  }
};

}  // namespace

double MeanRateRps(const ArrivalLaw& law) { return std::visit(MeanRate{}, law); }

ArrivalStream::ArrivalStream(ArrivalLaw law, std::uint64_t seed, std::uint64_t stream)
    : law_(std::move(law)), rng_(seed, stream) {}

double TraceArrivals::MeanGapS() const {
  const double rate_rps = MeanRate{}(*this);
  return rate_rps > 0 ? scale / rate_rps : 0;
}

void ArrivalStream::SetFactor(double at_s, double factor) {
  factor_ = factor;
  if (!std::holds_alternative<TraceArrivals>(law_)) {
    // What was drawn under the old factor beyond this moment is forgotten: exponential gaps have no memory,
    // and a Gamma begins a gap anew.
    now_s_ = std::max(at_s, 0.0);
    return;
  }
  const TraceArrivals& law = std::get<TraceArrivals>(law_);
  if (law.offsets_s == nullptr || law.offsets_s->empty()) return;
  // A recorded request has its time: the one that was drawn last is still to come, and what the trace held
  // while the factor was 0 is over.
  if (now_s_ > at_s) pending_.push_back({now_s_, last_});
  std::erase_if(pending_, [at_s](const Pending& pending) { return pending.at_s < at_s; });
  std::make_heap(pending_.begin(), pending_.end(), std::greater<>());
  while (index_ < law.offsets_s->size() && lap_s_ + (*law.offsets_s)[index_] < at_s) {
    if (++index_ < law.offsets_s->size() || law.length_s <= 0) continue;
    index_ = 0;
    lap_s_ += law.length_s;
  }
}

double ArrivalStream::Next() {
  if (const auto* law = std::get_if<PoissonArrivals>(&law_)) return NextPoisson(law->rate_rps);
  if (const auto* law = std::get_if<GammaArrivals>(&law_)) return NextGamma(*law);
  if (const auto* law = std::get_if<MmppArrivals>(&law_)) return NextMmpp(*law);
  if (const auto* law = std::get_if<DayCurveArrivals>(&law_)) return NextDayCurve(*law);
  return NextTrace(std::get<TraceArrivals>(law_));
}

const RecordedJob* ArrivalStream::recorded() const {
  const auto* law = std::get_if<TraceArrivals>(&law_);
  return law != nullptr && law->jobs != nullptr ? &(*law->jobs)[last_] : nullptr;
}

double ArrivalStream::NextPoisson(double rate_rps) {
  const double rate = rate_rps * factor_;
  if (rate <= 0) return kNever;
  now_s_ += rng_.Exponential() / rate;
  return now_s_;
}

double ArrivalStream::NextGamma(const GammaArrivals& law) {
  const double rate = law.rate_rps * factor_;
  if (rate <= 0) return kNever;
  now_s_ += rng_.Gamma(1 / rate, law.cv);
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
  const double spread_s = law.shared || scale > 1 ? law.MeanGapS() : 0;
  // A recorded request may be moved to before the top of the heap until it lies a whole gap beyond it.
  while (pending_.empty() || NextRecordedS(law) - spread_s <= pending_.front().at_s) {
    if (NextRecordedS(law) == kNever) return kNever;
    TakeRecorded(law, scale, spread_s);
  }
  std::pop_heap(pending_.begin(), pending_.end(), std::greater<>());
  now_s_ = pending_.back().at_s;
  last_ = pending_.back().index;
  pending_.pop_back();
  return now_s_;
}

double ArrivalStream::NextRecordedS(const TraceArrivals& law) const {
  if (index_ < law.offsets_s->size()) return lap_s_ + (*law.offsets_s)[index_];
  return law.length_s > 0 ? lap_s_ + law.length_s + law.offsets_s->front() : kNever;
}

void ArrivalStream::TakeRecorded(const TraceArrivals& law, double scale, double spread_s) {
  if (index_ >= law.offsets_s->size()) {
    index_ = 0;
    lap_s_ += law.length_s;
  }
  const std::size_t index = index_++;
  const double at_s = lap_s_ + (*law.offsets_s)[index];
  // A whole number of copies of each entry, one more with the probability of the fraction.
  const double whole = std::floor(scale);
  auto copies = static_cast<std::uint32_t>(whole) + (rng_.Chance(scale - whole) ? 1u : 0u);
  for (; copies > 0; --copies) {
    const double shift_s = spread_s > 0 ? spread_s * (2 * rng_.Uniform() - 1) : 0;
    // What would fall before the begin of the trace is mirrored there, so that its first seconds are as full.
    pending_.push_back({std::abs(at_s + shift_s), index});
    std::push_heap(pending_.begin(), pending_.end(), std::greater<>());
  }
}

}  // namespace ringway::sim
