// A setting that an operator may give for a while: what lasts, and what lies over it until a moment comes.
//
// An order without a term replaces what lasts and ends what lies over it; one with a term lies over it, in
// place of an earlier one. When the term is over what lasts counts again, so a timed order reverts to what
// was decided for good and never to another timed one.
//
// Terms end by the machine's monotonic time: a clock that is set does not end them while the controller runs.
// On disk the end is a date (state_store.h), and after a restart what is left is never more than the term was
// long, so a clock that was put back does not prolong an order beyond that. Plain values; time is an
// argument.
#ifndef RINGWAY_CONTROLLER_TIERS_TIMED_H_
#define RINGWAY_CONTROLLER_TIERS_TIMED_H_

#include <optional>
#include <string>
#include <utility>

#include "core/time.h"

namespace ringway::controller {

inline constexpr Duration kTermMin = Seconds(1);
inline constexpr Duration kTermMax = Hours(24 * 90);

struct Term {
  Time until;
  Duration length;  // as it was given
  std::string who;
  friend bool operator==(const Term&, const Term&) = default;
};

template <class T>
struct Timed {
  T lasting{};
  std::optional<std::pair<T, Term>> over = std::nullopt;

  const T& now() const { return over ? over->first : lasting; }
  void Set(T value, std::optional<Term> term) {
    if (term) {
      over.emplace(std::move(value), *std::move(term));
    } else {
      lasting = std::move(value);
      over.reset();
    }
  }
  // True: the term is over, and what lasts counts again.
  bool Expire(Time at) {
    if (!over || at < over->second.until) return false;
    over.reset();
    return true;
  }
  friend bool operator==(const Timed&, const Timed&) = default;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_TIERS_TIMED_H_
