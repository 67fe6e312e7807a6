// How many requests entered one region in each two minutes of the last day.
//
// A bin is known when at least half of its time was counted; gaps (the controller was down, the region was
// silent) stay unknown, and whoever asks gets nothing instead of a guess. Bins are numbered by the date, so
// that a history that comes back from a file after a restart still knows which hour it speaks of.
//
// Bound: kKept bins, a day and an hour, 4 bytes each. Add is O(1), and O(bins skipped) after a gap. Pure
// value; times may stand still and do not go back.
#ifndef RINGWAY_CONTROLLER_SCALE_DEMAND_HISTORY_H_
#define RINGWAY_CONTROLLER_SCALE_DEMAND_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.h"

namespace ringway::scale {

class DemandHistory {
 public:
  static constexpr std::int64_t kBinS = 120;
  static constexpr std::int64_t kDay = 86400 / kBinS;  // in bins
  static constexpr std::int64_t kKept = kDay + 3600 / kBinS;

  // `count` requests entered in the `seconds` that ended at `at`.
  void Add(Time at, double seconds, double count);
  static std::int64_t BinOf(Time at) { return ToUnixSeconds(at) / kBinS; }
  // Requests per second over the bins [first, last]; none where fewer than half of them are known.
  std::optional<double> Rate(std::int64_t first, std::int64_t last) const;

  // What a file keeps: the rates of the bins up to the newest that is over, oldest first, the unknown as -1.
  struct Saved {
    std::int64_t newest = 0;
    std::vector<float> rates;
  };
  Saved Save(std::int64_t now) const;
  void Restore(const Saved& saved);

 private:
  struct Bin {
    std::int64_t number = -1;
    float seconds = 0;
    float count = 0;
    bool known() const { return 2 * seconds >= static_cast<float>(kBinS); }
  };
  const Bin* At(std::int64_t number) const;
  Bin& Open(std::int64_t number);

  std::vector<Bin> bins_;  // by number modulo kKept; empty until something is counted
};

}  // namespace ringway::scale

#endif  // RINGWAY_CONTROLLER_SCALE_DEMAND_HISTORY_H_
