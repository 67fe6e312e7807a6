// Waiting for something to become true, by asking again and again until a limit.
//
// For tests with real processes, which cannot say when they are ready. The limit only bounds a failure; a
// test that passes does not depend on it. Asks every few milliseconds, on the calling thread.
#ifndef RINGWAY_TESTS_LIVE_EVENTUALLY_H_
#define RINGWAY_TESTS_LIVE_EVENTUALLY_H_

#include "absl/time/clock.h"

#include "core/time.h"

namespace ringway::live {

inline constexpr Duration kPatience = Seconds(20);

template <class Predicate>
bool Eventually(Predicate&& holds, Duration limit = kPatience) {
  const Time give_up = absl::Now() + limit;
  while (!holds()) {
    if (absl::Now() > give_up) return false;
    absl::SleepFor(Milliseconds(5));
  }
  return true;
}

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_EVENTUALLY_H_
