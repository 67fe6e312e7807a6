#include "tests/live/recovery/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/live/eventually.h"

namespace ringway::live {
namespace {

constexpr Duration kWindow = Seconds(2);
// Four tenths of what four workers carry in 100 ms each, spread over the routers: waits are short, and every
// worker is asked several times a second.
constexpr double kRps = 8;

template <class Windows>
bool AllServedByAll(const Windows& windows) {
  return std::all_of(windows.begin(), windows.end(), [](const Window& window) {
    return window.jobs > 0 && window.done == window.jobs && window.usable == kWorkers;
  });
}

std::string LastLines(const std::string& log) {
  constexpr std::size_t kBytes = 2000;
  return log.size() <= kBytes ? log : log.substr(log.size() - kBytes);
}

}  // namespace

Trial::Windows Trial::Measure(Duration span) {
  Windows windows;
  std::array<std::thread, kRouters> clients;
  const int seed = ++seed_;
  for (int i = 0; i < kRouters; ++i) {
    clients[i] =
        std::thread([this, &windows, i, span, seed] { windows[i] = fleet_->Serve(i, kRps, span, seed); });
  }
  for (std::thread& client : clients) client.join();
  for (int i = 0; i < kRouters; ++i) windows[i].usable = fleet_->Usable(i);
  return windows;
}

bool Trial::BecomesWell() {
  const bool well = fleet_->AwaitReady() && Eventually(
                                                [this] {
                                                  before_ = Measure(kWindow);
                                                  return AllServedByAll(before_);
                                                },
                                                kRecovery);
  EXPECT_TRUE(well) << "not well before any trouble:" << Describe(before_) << Logs();
  return well;
}

void Trial::UnderLoad(const std::function<void()>& fault) {
  std::atomic<bool> over{false};
  std::thread clients([this, &over] {
    while (!over) Measure(Seconds(1));
  });
  fault();
  over = true;
  clients.join();
}

bool Trial::WaitsAreAsBefore(const Windows& windows) const {
  for (int i = 0; i < kRouters; ++i) {
    if (windows[i].p50 > before_[i].p50 + kService) return false;
    if (windows[i].p90 > before_[i].p90 + 2 * kService) return false;
  }
  return true;
}

void Trial::ExpectRecovery() {
  const Time over = absl::Now();
  Windows after;
  const bool recovered = Eventually(
      [&] {
        after = Measure(kWindow);
        return AllServedByAll(after) && WaitsAreAsBefore(after);
      },
      kRecovery);
  EXPECT_TRUE(recovered) << "before:" << Describe(before_) << "\nafter:" << Describe(after) << Logs();
  std::printf("as before %s after the trouble\n",
              absl::FormatDuration(Trunc(Duration(absl::Now() - over), Milliseconds(1))).c_str());
}

std::string Trial::Describe(const Windows& windows) {
  std::string text;
  for (int i = 0; i < kRouters; ++i) {
    const Window& window = windows[i];
    absl::StrAppend(&text, "\n router ", i, ": ", window.done, " of ", window.jobs, " done, p50 ",
                    absl::FormatDuration(window.p50), ", p90 ", absl::FormatDuration(window.p90), ", ",
                    window.usable, " of ", kWorkers, " workers usable", window.failures);
  }
  return text;
}

std::string Trial::Logs() {
  std::string text;
  for (int i = 0; i < kRouters; ++i) {
    absl::StrAppend(&text, "\n--- the end of router ", i, "'s log:\n", LastLines(fleet_->router(i).Log()));
  }
  return text;
}

}  // namespace ringway::live
