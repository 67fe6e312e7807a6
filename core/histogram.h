// Quantiles of many positive values in bounded memory.
//
// Buckets grow geometrically: 64 linear sub-buckets to each power of two, so a quantile is off by at most
// 1/128 of its value (the idea of HdrHistogram, G. Tene). Values below `floor` count as the floor's bucket,
// zero included and reported as 0; above the ceiling of floor x 2^40 they count as the ceiling. Merging is
// exact, and the order of additions does not matter, so a sharded run reports the same quantiles as a whole
// one.
//
// Invariants: count() is the sum of all buckets. Memory: 20 KiB. Threads: one owner. Add: a few ns, no
// allocation.
#ifndef RINGWAY_CORE_HISTOGRAM_H_
#define RINGWAY_CORE_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringway {

class Histogram {
 public:
  // `floor` is the smallest value that is told from zero, in the unit of the values.
  explicit Histogram(double floor = 1e-6);

  // NaN and negative values are a broken invariant of the caller.
  void Add(double value, std::uint64_t times = 1);
  // Precondition: same floor.
  void Merge(const Histogram& other);
  void Clear();

  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  double max() const { return max_; }
  // The value below which a share q in [0, 1] of the values lies; 0 when empty.
  double Quantile(double q) const;

 private:
  static constexpr int kSubBits = 6;
  static constexpr int kPowers = 40;
  std::size_t BucketOf(double value) const;
  double Middle(std::size_t bucket) const;

  double floor_;
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_HISTOGRAM_H_
