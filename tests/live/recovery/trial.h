// One fleet, one trouble: what clients measured before, the trouble under load, and the measure until all is
// as before.
//
// Before: windows of kWindow at every router at once, until every job is done and every router counts every
// worker. After: the same again and again, until success and waits are those of before, for kRecovery at
// most. Waits may be longer by what a machine that does other things adds; a router that has lost workers for
// good shows in the count.
//
// Threads: the one that made it plays the trouble, since daemons die with the thread that started them;
// clients have threads of their own.
#ifndef RINGWAY_TESTS_LIVE_RECOVERY_TRIAL_H_
#define RINGWAY_TESTS_LIVE_RECOVERY_TRIAL_H_

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "core/time.h"
#include "tests/live/recovery/fleet.h"

namespace ringway::live {

inline constexpr Duration kRecovery = Seconds(30);

class Trial {
 public:
  explicit Trial(std::unique_ptr<Fleet> fleet) : fleet_(std::move(fleet)) {}
  Fleet& fleet() { return *fleet_; }

  // Fails the test and returns false when the fleet does not get well before there was any trouble.
  bool BecomesWell();
  // Plays the trouble while clients go on, and waits for the last of them.
  void UnderLoad(const std::function<void()>& fault);
  void ExpectRecovery();

 private:
  using Windows = std::array<Window, kRouters>;
  Windows Measure(Duration span);
  bool WaitsAreAsBefore(const Windows& windows) const;
  std::string Describe(const Windows& windows);
  std::string Logs();

  std::unique_ptr<Fleet> fleet_;
  Windows before_;
  int seed_ = 0;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_LIVE_RECOVERY_TRIAL_H_
