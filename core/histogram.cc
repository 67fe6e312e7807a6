#include "core/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/check.h"

namespace ringway {

// Bucket 0 holds everything below the floor.
Histogram::Histogram(double floor) : floor_(floor), buckets_((std::size_t{kPowers} << kSubBits) + 1) {
  RINGWAY_CHECK(floor > 0);
}

// The exponent of a number from 1 and the first bits of its fraction follow each other as it is stored.
std::size_t Histogram::BucketOf(double value) const {
  constexpr int kFractionBits = 52;
  constexpr std::uint64_t kOne = std::uint64_t{1023} << kSubBits;  // exponent and fraction of 1.0
  if (value < floor_) return 0;
  const std::uint64_t place =
      (std::bit_cast<std::uint64_t>(value / floor_) >> (kFractionBits - kSubBits)) - kOne;
  return std::min<std::uint64_t>(place + 1, buckets_.size() - 1);
}

double Histogram::Middle(std::size_t bucket) const {
  if (bucket == 0) return 0;
  const std::size_t power = (bucket - 1) >> kSubBits;
  const double sub = static_cast<double>((bucket - 1) & ((1 << kSubBits) - 1));
  return std::ldexp(floor_ * (1 + (sub + 0.5) / (1 << kSubBits)), static_cast<int>(power));
}

void Histogram::Add(double value, std::uint64_t times) {
  RINGWAY_CHECK(value >= 0);
  buckets_[BucketOf(value)] += times;
  count_ += times;
  sum_ += value * static_cast<double>(times);
  max_ = std::max(max_, value);
}

void Histogram::Merge(const Histogram& other) {
  RINGWAY_CHECK(floor_ == other.floor_);
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

void Histogram::Clear() { *this = Histogram(floor_); }

double Histogram::Quantile(double q) const {
  if (count_ == 0) return 0;
  const auto rank =
      static_cast<std::uint64_t>(std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_)));
  if (rank >= count_) return max_;  // known exactly, whatever its bucket
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= std::max<std::uint64_t>(rank, 1)) return std::min(Middle(bucket), max_);
  }
  return max_;
}

}  // namespace ringway
