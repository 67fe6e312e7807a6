// Who gets the new settings: a part of every region that has more than one router, the same after a restart.
#include "controller/canary/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"

namespace ringway::canary {
namespace {

std::vector<RouterPlace> Routers(const std::vector<int>& in_region) {
  std::vector<RouterPlace> routers;
  for (std::size_t region = 0; region < in_region.size(); ++region) {
    for (int i = 0; i < in_region[region]; ++i) {
      routers.push_back({absl::StrCat("r", region, "-", i), absl::StrCat("r", region)});
    }
  }
  return routers;
}

int Of(const std::vector<std::string>& chosen, const std::string& region) {
  return static_cast<int>(std::count_if(
      chosen.begin(), chosen.end(), [&](const std::string& name) { return name.starts_with(region + "-"); }));
}

TEST(ChoiceTest, AShareOfEachRegionAndNeverAll) {
  struct Case {
    double share;
    int routers;
    int chosen;
  };
  for (const auto& [share, routers, chosen] :
       {Case{0.1, 1, 0}, Case{0.1, 2, 1}, Case{0.5, 2, 1}, Case{0.1, 10, 1}, Case{0.1, 16, 2},
        Case{0.25, 12, 3}, Case{0.5, 5, 3}, Case{0.5, 3, 2}}) {
    const auto names = Choose("1.7", share, Routers({routers, 4}));
    EXPECT_EQ(Of(names, "r0"), chosen) << share << " of " << routers;
    EXPECT_GE(Of(names, "r1"), 1);
    EXPECT_LT(Of(names, "r1"), 4);
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  }
  EXPECT_TRUE(Choose("1.7", 0.5, Routers({1, 1, 1})).empty());
}

TEST(ChoiceTest, TheOrderOfTheRoutersDoesNotMatter) {
  auto routers = Routers({7, 9});
  const auto chosen = Choose("1.7", 0.3, routers);
  std::reverse(routers.begin(), routers.end());
  EXPECT_EQ(Choose("1.7", 0.3, routers), chosen);
}

TEST(ChoiceTest, EveryRouterHasItsTurn) {
  std::set<std::string> seen;
  for (int canary = 0; canary < 100; ++canary) {
    for (const std::string& name : Choose(absl::StrCat(canary), 0.1, Routers({10}))) seen.insert(name);
  }
  EXPECT_EQ(seen.size(), 10u);
}

// Kept over releases: a restart into the next one must go on with the same routers.
TEST(ChoiceTest, TheHashStays) {
  EXPECT_EQ(PlaceInCanary("1.7", "r0-1"), PlaceInCanary("1.7", "r0-1"));
  EXPECT_NE(PlaceInCanary("1.7", "r0-1"), PlaceInCanary("1.", "7r0-1"));
}

}  // namespace
}  // namespace ringway::canary
