// What is known of each of many things that are numbered one after the other and mostly leave in that order.
//
// A table addressed by the number's low bits. The living ones lie in a window that moves upwards, so two of
// them want the same place only when the window is wider than the table: then it doubles. An old one that
// stays behind forever would make it grow without need, so beyond kWindowMax the old one moves aside into a
// hash map. A reference is good until the next Add.
//
// Complexity: O(1), one cache line. Numbers start at 1.
#ifndef RINGWAY_SIM_KERNEL_SERIAL_TABLE_H_
#define RINGWAY_SIM_KERNEL_SERIAL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/kernel/prefetch.h"

namespace ringway::sim {

template <class T>
class SerialTable {
 public:
  SerialTable() : places_(1024) {}

  // Null: unknown.
  T* Find(std::uint64_t serial) {
    Place& place = places_[serial & last_];
    if (place.serial == serial) return &place.value;
    return aside_.empty() ? nullptr : FindAside(serial);
  }
  // The serial must not be there.
  T& Add(std::uint64_t serial) {
    ++size_;
    while (true) {
      Place& place = places_[serial & last_];
      if (place.serial == 0) {
        place.serial = serial;
        return place.value;
      }
      if (places_.size() < kWindowMax) {
        Double();
        continue;
      }
      aside_.emplace(place.serial, std::move(place.value));
      place.serial = 0;
    }
  }
  void Erase(std::uint64_t serial) {
    Place& place = places_[serial & last_];
    if (place.serial == serial) {
      place.serial = 0;
      --size_;
    } else {
      size_ -= aside_.erase(serial);
    }
  }
  std::size_t size() const { return size_; }
  // A hint to the memory: the serial will be looked up soon.
  void Foresee(std::uint64_t serial) const { Prefetch(&places_[serial & last_]); }

 private:
  static constexpr std::size_t kWindowMax = std::size_t{1} << 20;
  struct Place {
    std::uint64_t serial = 0;  // 0: free
    T value = {};
  };

  [[gnu::noinline]] T* FindAside(std::uint64_t serial) {
    const auto found = aside_.find(serial);
    return found == aside_.end() ? nullptr : &found->second;
  }
  [[gnu::noinline]] void Double() {
    std::vector<Place> old(places_.size() * 2);
    old.swap(places_);
    last_ = places_.size() - 1;
    // Apart before, so apart in the larger table.
    for (Place& place : old) {
      if (place.serial != 0) places_[place.serial & last_] = std::move(place);
    }
  }

  std::vector<Place> places_;
  std::size_t last_ = places_.size() - 1;  // place; all bits below the size
  absl::flat_hash_map<std::uint64_t, T> aside_;
  std::size_t size_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_KERNEL_SERIAL_TABLE_H_
