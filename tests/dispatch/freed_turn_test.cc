#include "router/dispatch/freed_turn.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ringway::dispatch {
namespace {

TEST(FreedTurn, AloneItNeverWaits) {
  FreedTurn turn;
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(turn.Wait(rng), ZeroDuration());
    turn.Taken();
  }
  EXPECT_FALSE(turn.contended());
}

TEST(FreedTurn, RefusalsWidenTheWindowToItsLongest) {
  FreedTurn turn;
  for (int i = 0; i < 20; ++i) turn.Refused();
  EXPECT_EQ(turn.window(), FreedTurn::kWindowMax);
  Rng rng(1);
  for (int i = 0; i < 100; ++i) EXPECT_LT(turn.Wait(rng), FreedTurn::kWindowMax);
}

TEST(FreedTurn, WhenTheOthersAreGoneItForgetsThem) {
  FreedTurn turn;
  for (int i = 0; i < 20; ++i) turn.Refused();
  for (int i = 0; i < 60; ++i) turn.Taken();
  EXPECT_FALSE(turn.contended());
}

// Routers that all wait for the same workers, and hear of each other's success 0.75 ms later.
TEST(FreedTurn, ManyRoutersMakeFewOffersForEachWorker) {
  for (const int routers : {2, 8, 64}) {
    Rng rng(7);
    std::vector<FreedTurn> turns(static_cast<std::size_t>(routers));
    int offers = 0;
    constexpr int kWorkers = 3000, kFirst = 1000;  // by then they know of each other
    for (int i = 0; i < kWorkers; ++i) {
      std::vector<std::pair<Duration, std::size_t>> order;
      for (std::size_t r = 0; r < turns.size(); ++r) order.push_back({turns[r].Wait(rng), r});
      std::sort(order.begin(), order.end());
      turns[order.front().second].Taken();
      for (const auto& [wait, router] : order) {
        if (wait > order.front().first + Microseconds(750)) break;
        offers += i >= kFirst;
        if (router != order.front().second) turns[router].Refused();
      }
    }
    EXPECT_LE(offers, 1.25 * (kWorkers - kFirst)) << routers << " routers";
  }
}

}  // namespace
}  // namespace ringway::dispatch
