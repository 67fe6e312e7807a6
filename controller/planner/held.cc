#include "controller/planner/held.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace ringway::planner {
namespace {

// Shorter reports are put together.
constexpr double kEntrySeconds = 0.95;
// After a change the rate is measured anew up to this age, in entries of the present length.
constexpr double kAnewSecondsMax = 300;
// ... where that differs by more than this many standard deviations.
constexpr double kWorthMoving = 0.5;
constexpr double kSaysOtherwise = 2;
// Of the last entry, for what the rate is at most.
constexpr double kSigmas = 3;
// Blocks from whose differences the dispersion is learnt: as long, with as many events expected.
constexpr double kBlockSeconds = 8;
constexpr double kBlockEvents = 4;
// Weight of a block at the least; of the first ones 1/5, 1/6 ...
constexpr double kBlockWeightMin = 0.05;
constexpr std::int32_t kBlocksBefore = 4;
// One odd pair counts for no more; one across a refutation for less, because a ramp is no scatter, and for
// something, because where scatter itself refutes the rate every few seconds it could never be learnt. What
// is believed of the dispersion stays within 1 and kDispersionMax: less than Poisson's would be luck, and a
// region that scatters by more has no rate.
constexpr double kSurpriseMax = 40;
constexpr double kSurpriseBrokenMax = 4;
constexpr double kDispersionMax = 16;
// Of refuted_at, for the law of bursts: unlike Poisson's over a dispersion it does not flatter what it
// judges.
constexpr double kBurstsShare = 0.8;
// What a rate of nothing may still let happen: five events refute it, one does not.
constexpr double kExpectedMin = 0.05;

}  // namespace

Held::Held(const Settings& settings) : settings_(settings) { state_.rate = settings.prior_rate; }

void Held::Reset(double rate) {
  State fresh;
  fresh.rate = rate;
  fresh.dispersion = state_.dispersion;
  fresh.blocks = state_.blocks;
  fresh.refuted = true;
  fresh.primed = true;
  state_ = fresh;
}

double Held::dispersion() const {
  return settings_.dispersed ? std::clamp(state_.dispersion, 1.0, kDispersionMax) : 1.0;
}

double Held::AtMost(double exposure_min) const {
  if (state_.now.entry < 2) return state_.rate;
  const auto at_most = [&](const Mark& since) {
    const double exposure = state_.now.exposure - since.exposure;
    if (exposure <= 0) return state_.rate;
    const double count = state_.now.count - since.count;
    return (count + kSigmas * std::sqrt(count) + kSigmas) / exposure;
  };
  const double last = at_most(state_.marks[0][1]);
  for (const auto& level : state_.marks) {
    for (const Mark* mark : {&level[0], &level[1]}) {
      if (state_.now.exposure - mark->exposure < exposure_min) continue;
      return std::min({state_.rate, last, at_most(*mark)});
    }
  }
  return std::min(state_.rate, last);
}

double Held::StandardError() const {
  const double prior = state_.refuted ? 0 : settings_.prior_events;
  const double exposure = state_.now.exposure - state_.changed.exposure;
  if (state_.rate <= 0) return exposure > 0 ? dispersion() / exposure : 0;
  const double events = exposure * state_.rate + prior;
  return events > 0 ? state_.rate * std::sqrt(dispersion() / events) : state_.rate;
}

bool Held::Add(double seconds, double count, double exposure) {
  state_.open_s += seconds;
  state_.open_count += count;
  state_.open_exposure += exposure;
  if (state_.open_s < kEntrySeconds) return false;
  return EndEntry();
}

bool Held::EndEntry() {
  State& s = state_;
  s.now.entry += 1;
  s.now.count += s.open_count;
  s.now.exposure += s.open_exposure;
  if (settings_.dispersed) MeasureDispersion(s.open_s, s.open_count, s.open_exposure);
  const double entry_s = s.open_s;
  s.open_s = s.open_count = s.open_exposure = 0;
  // The first thing that is ever counted is all that is known, where there is no prior.
  bool changed = false;
  if (!s.primed && settings_.prior_events <= 0) {
    s.rate = s.now.exposure > 0 ? s.now.count / s.now.exposure : 0;
    changed = s.rate > 0;
  } else {
    changed = Refuted() || MeasuredAnew(entry_s);
  }
  s.primed = true;
  MoveMarks();
  return changed;
}

void Held::MeasureDispersion(double seconds, double count, double exposure) {
  State& s = state_;
  s.block.count += count;
  s.block.exposure += exposure;
  s.block_s += seconds;
  if (s.block_s < kBlockSeconds || s.rate * s.block.exposure < kBlockEvents) return;
  if (s.last_block.exposure > 0) {
    const double stretch = s.block.exposure / s.last_block.exposure;
    const double rate = (s.last_block.count + s.block.count) / (s.last_block.exposure + s.block.exposure);
    const double expected = rate * s.block.exposure * (1 + stretch);
    const double difference = s.block.count - s.last_block.count * stretch;
    if (expected > 0) {
      ++s.blocks;
      const double weight = std::max(kBlockWeightMin, 1.0 / (kBlocksBefore + s.blocks));
      const double surprise_max = s.block_broken || s.last_broken ? kSurpriseBrokenMax : kSurpriseMax;
      const double surprise = std::min(surprise_max, difference * difference / expected);
      s.dispersion += weight * (surprise - s.dispersion);
    }
  }
  s.last_block = s.block;
  s.last_broken = std::exchange(s.block_broken, false);
  s.block = {};
  s.block_s = 0;
}

// Of the held rate against the window's own. Counts that scatter by more than Poisson's come in bursts, and a
// burst is no other rate: more than expected is judged by the negative binomial law of that dispersion as
// well, whose tail is as long as theirs. Less than expected is not, since gaps are no longer than that.
double Held::Ratio(const Mark& since) const {
  const double count = state_.now.count - since.count;
  const double expected = state_.rate * (state_.now.exposure - since.exposure);
  const double least = std::max(expected, kExpectedMin);
  const double off = count - expected;
  // The ratio is at most off^2 / expected: most windows need no logarithm.
  if (off * off <= settings_.refuted_at * dispersion() * least) return 0;
  const double poisson = ((count > 0 ? count * std::log(count / least) : 0) - off) / dispersion();
  if (off <= 0 || dispersion() <= 1) return poisson;
  const double shape = least / (dispersion() - 1);
  const double bursts =
      count * std::log(count / least) - (count + shape) * std::log((count + shape) / (least + shape));
  return std::min(poisson, bursts / kBurstsShare);
}

bool Held::Refuted() {
  State& s = state_;
  double worst = settings_.refuted_at;
  const Mark* since = nullptr;
  const auto look = [&](const Mark& mark) {
    // The same count over another time may be a window of its own; one of no exposure says nothing.
    if (mark.entry < s.changed.entry || s.now.exposure - mark.exposure <= 0) return;
    const double ratio = Ratio(mark);
    if (ratio <= worst) return;
    worst = ratio;
    since = &mark;
  };
  look(s.marks[0][0]);
  for (const auto& level : s.marks) look(level[1]);
  look(s.changed);
  if (since == nullptr) return false;
  s.rate = (s.now.count - since->count) / (s.now.exposure - since->exposure);
  s.told_by = s.now.entry - since->entry;
  // The change fell into the first entry of the window: the rate is measured anew from behind it.
  Mark behind = s.now;
  for (const auto& level : s.marks) {
    for (const Mark& mark : level) {
      if (mark.entry > since->entry && mark.entry < behind.entry) behind = mark;
    }
  }
  s.changed = behind;
  s.refuted = true;
  s.block_broken = true;
  return true;
}

bool Held::MeasuredAnew(double entry_s) {
  State& s = state_;
  const std::int64_t age = s.now.entry - s.changed.entry;
  if (age < 1 || !std::has_single_bit(static_cast<std::uint64_t>(age))) return false;
  if (static_cast<double>(age) * entry_s > kAnewSecondsMax) return false;
  double count = s.now.count - s.changed.count;
  double exposure = s.now.exposure - s.changed.exposure;
  if (!s.refuted && settings_.prior_events > 0) {
    count += settings_.prior_events;
    exposure += settings_.prior_events / settings_.prior_rate;
  }
  if (exposure <= 0) return false;
  const double fresh = count / exposure;
  const double deviation = std::sqrt(std::max(count, 1.0) * dispersion()) / exposure;
  // Until there are as many entries as told of the change, they have to say something else.
  const double worth = age < s.told_by ? kSaysOtherwise : kWorthMoving;
  if (std::abs(fresh - s.rate) <= worth * deviation) return false;
  s.rate = fresh;
  return true;
}

// A mark of level k is the newest moment whose entry is a multiple of 2^k.
void Held::MoveMarks() {
  State& s = state_;
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (s.now.entry % (std::int64_t{1} << level) != 0) return;
    s.marks[level][1] = s.marks[level][0];
    s.marks[level][0] = s.now;
  }
}

}  // namespace ringway::planner
