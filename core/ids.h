// Dense identifiers, one type for each kind of thing.
//
// An id is an index: the loader numbers regions, tiers, routers and workers from zero, and everything that
// decides works on arrays indexed by those numbers. Names exist only at the edges (files, wire, screen).
// Distinct types keep a router from being used as a region. Ids are meaningful inside one world only; whoever
// crosses a process boundary translates through names.
//
// Invariants: a default-constructed id is invalid() and must not be used as an index. Cost: that of the
// integer.
#ifndef RINGWAY_CORE_IDS_H_
#define RINGWAY_CORE_IDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace ringway {

template <class Tag>
class Id {
 public:
  using Rep = std::uint32_t;
  constexpr Id() = default;
  constexpr explicit Id(std::size_t value) : value_(static_cast<Rep>(value)) {}
  constexpr Rep value() const { return value_; }
  constexpr std::size_t index() const { return value_; }
  constexpr bool valid() const { return value_ != std::numeric_limits<Rep>::max(); }
  friend constexpr bool operator==(Id a, Id b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Id a, Id b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Id a, Id b) { return a.value_ < b.value_; }
  template <typename H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  Rep value_ = std::numeric_limits<Rep>::max();
};

using RegionId = Id<struct RegionTag>;
using TierId = Id<struct TierTag>;
using RouterId = Id<struct RouterTag>;
using WorkerId = Id<struct WorkerTag>;
// A job inside one router: a slot of its job arena, reused after the job ended.
using JobId = Id<struct JobTag>;

// A vector that only its own kind of id can index.
template <class IdType, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t n, const T& value = T()) : items_(n, value) {}
  decltype(auto) operator[](IdType id) { return items_[id.index()]; }
  decltype(auto) operator[](IdType id) const { return items_[id.index()]; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  IdType end_id() const { return IdType(items_.size()); }
  bool contains(IdType id) const { return id.index() < items_.size(); }
  void resize(std::size_t n, const T& value = T()) { items_.resize(n, value); }
  void assign(std::size_t n, const T& value) { items_.assign(n, value); }
  IdType push_back(T value) {
    items_.push_back(std::move(value));
    return IdType(items_.size() - 1);
  }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  const std::vector<T>& raw() const { return items_; }
  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_IDS_H_
