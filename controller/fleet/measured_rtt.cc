#include "controller/fleet/measured_rtt.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::controller {
namespace {

// Corrections that a sentence names.
constexpr std::size_t kNamedMax = 5;

bool ByPair(const RttCorrection& a, const RttCorrection& b) {
  return std::pair(a.from, a.to) < std::pair(b.from, b.to);
}

}  // namespace

void MeasuredRtt::Hear(RegionId from, RegionId to, double ms) {
  measured_[{from, to}] = ms;
  review_.heard = true;
}

std::optional<double> MeasuredRtt::ms(RegionId from, RegionId to) const {
  auto found = measured_.find({from, to});
  if (found == measured_.end()) found = measured_.find({to, from});
  if (found == measured_.end()) return std::nullopt;
  return found->second;
}

template <class F>
void MeasuredRtt::ForPairs(F f) const {
  for (const auto& [pair, ms] : measured_) {
    f(pair);
    const Pair back{pair.second, pair.first};
    if (!measured_.contains(back)) f(back);
  }
}

std::optional<std::pair<double, RttSource>> MeasuredRtt::Wanted(const Pair& pair, const RttMatrix& file,
                                                                const RttMatrix& in_use) const {
  const auto& [from, to] = pair;
  const double measured = *ms(from, to), given = file.ms(from, to), used = in_use.ms(from, to);
  const bool was_wrong = in_use.source(from, to) == RttSource::kMeasured;
  const double factor = was_wrong ? kRightFactor : kWrongFactor;
  const bool wrong =
      std::abs(measured - given) > kWrongMinMs && (measured > factor * given || measured < given / factor);
  const bool by_measurement = file.estimated(from, to) || wrong;
  const double right = by_measurement ? measured : given;
  if (std::abs(right - used) <= std::max(kStepMinMs, kStepShare * used)) return std::nullopt;
  return std::pair(right, by_measurement ? RttSource::kMeasured : file.source(from, to));
}

bool MeasuredRtt::Due(Time now, const RttMatrix& file, const RttMatrix& in_use) {
  if (std::exchange(review_.heard, false)) {
    bool wanted = false;
    ForPairs([&](const Pair& pair) { wanted = wanted || Wanted(pair, file, in_use).has_value(); });
    if (!wanted) {
      review_.wanted_since = InfiniteFuture();
    } else if (review_.wanted_since == InfiniteFuture()) {
      review_.wanted_since = now;
    }
  }
  return now >= review_.wanted_since + kGather && now >= review_.corrected_at + kRest;
}

std::vector<RttCorrection> MeasuredRtt::Correct(Time now, const RttMatrix& file, RttMatrix& in_use) {
  std::vector<RttCorrection> corrections;
  ForPairs([&](const Pair& pair) {
    const auto wanted = Wanted(pair, file, in_use);
    if (!wanted) return;
    corrections.push_back({pair.first, pair.second, in_use.ms(pair.first, pair.second), wanted->first});
    in_use.Set(pair.first, pair.second, wanted->first, wanted->second);
  });
  std::sort(corrections.begin(), corrections.end(), ByPair);
  review_.wanted_since = InfiniteFuture();
  if (!corrections.empty()) review_.corrected_at = now;
  return corrections;
}

std::vector<RttCorrection> MeasuredRtt::InUse(const RttMatrix& file, const RttMatrix& in_use) const {
  std::vector<RttCorrection> corrections;
  ForPairs([&](const Pair& pair) {
    const auto& [from, to] = pair;
    if (file.estimated(from, to) || in_use.source(from, to) != RttSource::kMeasured) return;
    corrections.push_back({from, to, file.ms(from, to), in_use.ms(from, to)});
  });
  std::sort(corrections.begin(), corrections.end(), ByPair);
  return corrections;
}

void MeasuredRtt::Renumber(const std::function<std::optional<RegionId>(RegionId)>& renumbered) {
  for (const auto& [pair, ms] : std::exchange(measured_, {})) {
    const auto from = renumbered(pair.first), to = renumbered(pair.second);
    if (from && to) measured_[{*from, *to}] = ms;
  }
  review_ = {.heard = !measured_.empty()};
}

void MeasuredRtt::Restore(Measured measured, const Review& review) {
  measured_ = std::move(measured);
  review_ = review;
}

std::string DescribeCorrections(const std::vector<RttCorrection>& corrections, const World& world) {
  std::string text;
  for (std::size_t i = 0; i < std::min(corrections.size(), kNamedMax); ++i) {
    const RttCorrection& one = corrections[i];
    absl::StrAppendFormat(&text, "%s%s to %s %.0f ms, not %.0f", i > 0 ? "; " : "",
                          world.regions[one.from].name, world.regions[one.to].name, one.now_ms,
                          one.before_ms);
  }
  if (corrections.size() > kNamedMax) {
    absl::StrAppend(&text, "; and ", corrections.size() - kNamedMax, " others");
  }
  return text;
}

}  // namespace ringway::controller
